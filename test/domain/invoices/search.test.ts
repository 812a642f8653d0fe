import { expect, test } from 'bun:test'
import { searchOf, withReference } from '../../../src/domain/invoices/search.ts'

const id = '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'
const hash = `0x${'5e'.repeat(32)}`
const signature = '5'.repeat(88)

test.each([
  ['INV-2026-0001', { kind: 'number', year: 2026, number: 1 }],
  [' inv-2026-12345 ', { kind: 'number', year: 2026, number: 12_345 }],
  ['2026-7', { kind: 'number', year: 2026, number: 7 }],
  ['17', { kind: 'number', year: null, number: 17 }],
  ['0017', { kind: 'number', year: null, number: 17 }],
  [id.toUpperCase(), { kind: 'id', id }],
  [`0x${'5E'.repeat(32)}`, { kind: 'hash', hash }],
  [signature, { kind: 'hash', hash: signature }],
  ['Ada Example', { kind: 'buyer', part: 'Ada Example' }],
  ['ada@example.com', { kind: 'buyer', part: 'ada@example.com' }],
  ['0x5e', { kind: 'buyer', part: '0x5e' }],
  ['INV-', { kind: 'buyer', part: 'INV-' }],
  ['1234567890', { kind: 'buyer', part: '1234567890' }],
] as const)('%s is looked for as what it most likely is', (typed, search) => {
  expect(searchOf(typed)).toEqual(search)
})

test('a reference of ours finds its invoice, any other hash a transaction', () => {
  const read = (reference: string) => (reference === hash ? id : null)
  expect(withReference(searchOf(hash), read)).toEqual({ kind: 'id', id })
  expect(withReference(searchOf(signature), read)).toEqual({ kind: 'hash', hash: signature })
  expect(withReference(searchOf('Ada'), read)).toEqual({ kind: 'buyer', part: 'Ada' })
})
