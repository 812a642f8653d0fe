import { expect, test } from 'bun:test'
import { spelt } from '../../src/chain/wallets.ts'

const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const onSolana = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const digits = checksummed.slice(2)

test('an address all in capitals is spelt by its checksum, without which clients refuse it', () => {
  expect(spelt('base', `0x${digits.toUpperCase()}`)).toBe(checksummed)
  const mistyped = checksummed.replace('5aA', '5aa')
  for (const address of [checksummed, checksummed.toLowerCase(), mistyped])
    expect(spelt('base', address)).toBe(address)
  expect(spelt('solana', onSolana)).toBe(onSolana)
})
