import { expect, test } from 'bun:test'
import { registry } from '../../src/chain/registry.ts'
import { problemOf, spelt } from '../../src/chain/wallets.ts'

const checksummed = registry.base.usdcAddress
const digits = checksummed.slice(2)

test.each([checksummed, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`])(
  'nothing is wrong with %s',
  (address) => {
    expect(problemOf('base', address)).toBeNull()
  },
)

test('capitals among small letters tell of a typing error', () => {
  expect(problemOf('base', checksummed.replace('fCD6', 'fCd6'))).toStartWith('has capitals')
  expect(problemOf('base', '0x12')).toBe('is no address on base')
})

test('on Solana only the length does', () => {
  const { usdcAddress } = registry.solana
  expect(problemOf('solana', usdcAddress)).toBeNull()
  expect(problemOf('solana', `${usdcAddress}v`.slice(1))).toBe('is no address on solana')
})

test('an address all in capitals is spelt by its checksum, without which clients refuse it', () => {
  expect(spelt('base', `0x${digits.toUpperCase()}`)).toBe(checksummed)
  const mistyped = checksummed.replace('fCD6', 'fCd6')
  for (const address of [checksummed, checksummed.toLowerCase(), mistyped])
    expect(spelt('base', address)).toBe(address)
  expect(spelt('solana', registry.solana.usdcAddress)).toBe(registry.solana.usdcAddress)
})
