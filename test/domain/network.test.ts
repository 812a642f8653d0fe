import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import {
  caip2Of,
  isAddress,
  isAnyTxHash,
  isTxHash,
  networkNamed,
} from '../../src/domain/network.ts'

const filled = (length: number, byte: number) => base58.encode(new Uint8Array(length).fill(byte))
const afterZeros = (zeros: number, length: number) =>
  base58.encode(new Uint8Array(length).fill(255, zeros))

describe('an address on Solana is 32 bytes in base58', () => {
  test.each([
    filled(32, 0),
    filled(32, 1),
    filled(32, 255),
    afterZeros(1, 32),
    afterZeros(31, 32),
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  ])('%s is one', (text) => {
    expect(isAddress('solana', text)).toBe(true)
  })

  test.each([
    ['31 bytes', filled(31, 255)],
    ['33 bytes', filled(33, 1)],
    ['a zero byte and 32 others', afterZeros(1, 33)],
    ['a character twice', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv'],
    ['the highest number of 44 digits', 'z'.repeat(44)],
    ['a letter that base58 has not', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l'],
    ['nothing', ''],
  ])('%s is none', (_, text) => {
    expect(isAddress('solana', text)).toBe(false)
  })
})

describe('a signature of Solana is 64 bytes in base58', () => {
  test.each([filled(64, 0), filled(64, 1), filled(64, 255), afterZeros(1, 64)])(
    '%s is one',
    (text) => {
      expect([isTxHash('solana', text), isAnyTxHash(text)]).toEqual([true, true])
    },
  )

  test.each([
    ['63 bytes', filled(63, 255)],
    ['65 bytes', afterZeros(1, 65)],
    ['the highest number of 88 digits', 'z'.repeat(88)],
  ])('%s are none', (_, text) => {
    expect([isTxHash('solana', text), isAnyTxHash(text)]).toEqual([false, false])
  })
})

test('x402 knows a chain by its CAIP-2 name, and a proof may name it in either way', () => {
  expect(caip2Of('polygon')).toBe('eip155:137')
  expect(caip2Of('solana')).toBe('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')
  expect(['base', 'eip155:8453'].map(networkNamed)).toEqual(['base', 'base'])
  expect(['eip155:2', 'eip155:', 'toString', ''].map(networkNamed)).toEqual(
    Array(4).fill(undefined),
  )
})
