import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Network } from '../../../src/domain/network.ts'
import { type Sent, sentKey, transferKey } from '../../../src/domain/x402/traces.ts'
import { partsOf, usedForX402 } from '../../../src/storage/settlement/transaction-uses.ts'
import { claimPayment, findPayment, markSettled } from '../../../src/storage/x402/payments.ts'
import { aTxHash } from '../../support/claims.ts'
import { newClaim } from '../../support/paywall.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

/**
 * Claims what a payer's transaction paid for. `key` is as this version writes it, or as the one
 * before did.
 */
async function sell(network: Network, sent: Sent, key = transferKey(network, sent)) {
  const { txHash, from: payer } = sent
  const claim = newClaim({ key, network, payer, txHash })
  return { claim, soldAt: await claimPayment(database.sql, claim, []) }
}

test('what one bought by a transaction on Solana is bought by all of it, whoever owns what was sent', async () => {
  const txHash = aTxHash()
  expect((await sell('solana', { txHash, from: 'delegate' })).soldAt).not.toBeNull()
  const owned = { txHash, from: 'owner' }
  const other = { txHash: aTxHash(), from: 'owner' }
  const bought = await usedForX402(database.sql, 'solana', [owned, other])
  expect([...bought]).toEqual([sentKey(owned)])
  expect((await sell('solana', owned)).soldAt).toBeNull()
  expect(partsOf('solana', [owned, { txHash, from: 'delegate' }])).toHaveLength(1)
})

test('parts of transactions are in one order, each once', () => {
  const a = { txHash: '0x01', from: '0xa' }
  const b = { txHash: '0x01', from: '0xb' }
  const later = { txHash: '0x02', from: '0xa' }
  expect(partsOf('base', [later, b, a, b])).toEqual([a, b, later])
})

test('a transfer that was presented to the version before is found by its payer, and buys nothing else', async () => {
  const sent = { txHash: aTxHash(), from: '0xa1' }
  const { claim, soldAt } = await sell('base', sent, `base:transfer:${sent.txHash}`)
  const again = { ...claim, key: transferKey('base', sent) }
  expect((await findPayment(database.sql, again))?.key).toBe(claim.key)
  expect((await sell('base', sent)).soldAt).toBeNull()
  expect(await markSettled(database.sql, claim.key, sent.txHash)).toEqual(soldAt)
})
