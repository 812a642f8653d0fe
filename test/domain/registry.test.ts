import { expect, test } from 'bun:test'
import { caip2Of, invoiceChains, networkNamed } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'

/**
 * The table of contract §6, written by hand: chain id, canonical USDC, confirmations, whether the
 * chain's own finality is required first, whether gas is free.
 */
const rows = [
  ['base', 8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 5, false, false],
  ['arbitrum', 42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 40, false, false],
  ['polygon', 137, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 64, true, false],
  ['skale', 1187947933, '0x85889c8c714505E0c94b30fcfcF64fE3Ac8FCb20', 1, false, true],
  ['ethereum', 1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 12, true, false],
  ['solana', null, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 32, true, false],
] as const

test('every chain is there, and no other', () => {
  expect(Object.keys(registry).toSorted()).toEqual(rows.map(([network]) => network).toSorted())
})

test.each(rows)('%s', (network, chainId, usdcAddress, blocks, finalized, gasless) => {
  const confirmations = { blocks, finalized }
  expect(registry[network]).toMatchObject({ chainId, usdcAddress, confirmations, gasless })
})

test('invoices are paid on all of them but ethereum', () => {
  const payable: readonly string[] = invoiceChains
  expect(payable.toSorted()).toEqual(['arbitrum', 'base', 'polygon', 'skale', 'solana'])
})

test('x402 knows a chain by its CAIP-2 name, and a proof may name it in either way', () => {
  expect(caip2Of('polygon')).toBe('eip155:137')
  expect(caip2Of('solana')).toBe('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')
  expect(['base', 'eip155:8453'].map(networkNamed)).toEqual(['base', 'base'])
  expect(['eip155:2', 'eip155:', 'toString', ''].map(networkNamed)).toEqual(
    Array(4).fill(undefined),
  )
})
