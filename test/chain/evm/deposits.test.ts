import { describe, expect, test } from 'bun:test'
import { depositAddresses, isExtendedPublicKey } from '../../../src/chain/evm/deposits.ts'
import { depositXpub, privateXprv, walletAddress } from '../../support/deposit-key.ts'

describe('the deposit addresses of an extended public key', () => {
  test('are the accounts that a wallet with its seed shows, in their order', () => {
    const addressOf = depositAddresses(depositXpub)
    for (const index of [0, 1, 2, 19, 1_000, 2 ** 31 - 1]) {
      expect(addressOf(index)).toBe(walletAddress(index))
    }
  })
})

describe('an extended public key', () => {
  test('is one only whole: a letter mistyped or left out, or another text, is none', () => {
    expect(isExtendedPublicKey(depositXpub)).toBe(true)
    const mistyped = depositXpub.replace('Bh6', 'Bh2')
    for (const text of [mistyped, depositXpub.slice(0, -1), 'xpub', '', walletAddress(0)]) {
      expect(isExtendedPublicKey(text)).toBe(false)
    }
  })

  test('is never a private one', () => {
    expect(privateXprv()).toStartWith('xprv')
    expect(isExtendedPublicKey(privateXprv())).toBe(false)
  })
})
