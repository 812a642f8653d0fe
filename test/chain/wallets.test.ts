import { expect, test } from 'bun:test'
import { problemOf, spelt } from '../../src/chain/wallets.ts'
import { registry } from '../../src/domain/registry.ts'

const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const onSolana = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const digits = checksummed.slice(2)

test.each([checksummed, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`])(
  'nothing is wrong with %s',
  (address) => {
    expect(problemOf('base', address)).toBeNull()
  },
)

test('capitals among small letters tell of a typing error', () => {
  expect(problemOf('base', checksummed.replace('5aA', '5aa'))).toStartWith('has capitals')
  expect(problemOf('base', '0x12')).toBe('is no address on base')
})

test('on Solana only the length does', () => {
  expect(problemOf('solana', onSolana)).toBeNull()
  expect(problemOf('solana', `${onSolana}v`.slice(1))).toBe('is no address on solana')
})

test.each([
  ['base', 'the zero address', `0x${'0'.repeat(40)}`],
  ['base', 'its USDC', registry.base.usdcAddress],
  ['polygon', 'its USDC in small letters', registry.polygon.usdcAddress.toLowerCase()],
  ['solana', 'the system program', '11111111111111111111111111111111'],
  ['solana', 'the Token program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ['solana', 'the mint of USDC', registry.solana.usdcAddress],
] as const)('on %s, %s is no wallet', (network, _, address) => {
  expect(problemOf(network, address)).toBe('is no wallet: nobody can have what is paid there')
})

test('an address all in capitals is spelt by its checksum, without which clients refuse it', () => {
  expect(spelt('base', `0x${digits.toUpperCase()}`)).toBe(checksummed)
  const mistyped = checksummed.replace('5aA', '5aa')
  for (const address of [checksummed, checksummed.toLowerCase(), mistyped])
    expect(spelt('base', address)).toBe(address)
  expect(spelt('solana', onSolana)).toBe(onSolana)
})
