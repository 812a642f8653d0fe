import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import type { Network } from '../../../src/domain/network.ts'
import { type Sent, sentKey, transferKey } from '../../../src/domain/x402/traces.ts'
import { partsOf, usedForX402 } from '../../../src/storage/settlement/transaction-uses.ts'
import { claimPayment } from '../../../src/storage/x402/payments.ts'
import { newClaim } from '../../support/paywall.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })

/** Claims what a payer's transaction paid for. */
function sell(network: Network, sent: Sent) {
  const { txHash, from: payer } = sent
  const claim = newClaim({ key: transferKey(network, sent), network, payer, txHash })
  return claimPayment(database.sql, claim, [])
}

const [delegate, owner] = ['2'.repeat(44), '3'.repeat(44)]
const aSignature = () => base58.encode(crypto.getRandomValues(new Uint8Array(64)))

test('what one bought by a transaction on Solana is bought by all of it, whoever owns what was sent', async () => {
  const txHash = aSignature()
  expect(await sell('solana', { txHash, from: delegate })).not.toBeNull()
  const owned = { txHash, from: owner }
  const other = { txHash: aSignature(), from: owner }
  const bought = await usedForX402(database.sql, 'solana', [owned, other])
  expect([...bought]).toEqual([sentKey(owned)])
  expect(await sell('solana', owned)).toBeNull()
  expect(partsOf('solana', [owned, { txHash, from: delegate }])).toHaveLength(1)
})

test('parts of transactions are in one order, each once', () => {
  const a = { txHash: '0x01', from: '0xa' }
  const b = { txHash: '0x01', from: '0xb' }
  const later = { txHash: '0x02', from: '0xa' }
  expect(partsOf('base', [later, b, a, b])).toEqual([a, b, later])
})
