import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { networks } from '../../../src/domain/network.ts'
import { toBytes, toText } from '../../../src/storage/postgres/chain-bytes.ts'

const filled = (length: number, zeros: number) => new Uint8Array(length).fill(0xa7, zeros)

for (const network of networks)
  for (const length of network === 'solana' ? [32, 64] : [20, 32])
    for (const zeros of [0, 1, length])
      test(`${length} bytes on ${network}, ${zeros} of them zeros, are read as they were written`, () => {
        const bytes = filled(length, zeros)
        const hex = `0x${Buffer.from(bytes).toString('hex')}`
        const text = network === 'solana' ? base58.encode(bytes) : hex
        expect(toText(network, bytes)).toBe(text)
        expect(toBytes(text)).toEqual(Buffer.from(bytes))
      })

test('hex is read in any case, and written in lower case', () => {
  expect(toText('base', toBytes(`0x${'AB'.repeat(20)}`))).toBe(`0x${'ab'.repeat(20)}`)
})

test('nothing is empty, and null is null', () => {
  expect(toBytes('')).toHaveLength(0)
  expect(toText('solana', toBytes(''))).toBe('')
  expect(toBytes(null)).toBeNull()
})

for (const [what, text] of [
  ['an odd number of digits', `0x${'a'.repeat(63)}`],
  ['hex without 0x', '0'.repeat(64)],
  ['0X', `0X${'a'.repeat(64)}`],
  ['a letter that hex has not', `0x${'g'.repeat(64)}`],
  ['a letter that base58 has not', '0OIl'],
  ['base58 longer than 64 bytes', '2'.repeat(89)],
  ['a control character', '\0'],
  ['8 KB', '2'.repeat(8_192)],
] as const)
  test(`${what} becomes UTF-8, which is no hash`, () => {
    expect(toBytes(text)).toEqual(Buffer.from(text))
  })
