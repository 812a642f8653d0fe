import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { candidateOf, centBase, type Incoming } from '../../../src/domain/settlement/candidate.ts'
import { match } from '../../../src/domain/settlement/matching.ts'
import { loadMany, updateAll } from '../../../src/storage/invoices/invoices.ts'
import { candidateQueryOf, candidates } from '../../../src/storage/settlement/candidates.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { newInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const [ours, theirs] = [
  '0190a000-0000-7000-8000-000000000001',
  '0190a000-0000-7000-8000-000000000002',
]
const [wallet, elsewhere, payer] = ['0xaa', '0xbb', '0xcc'].map((end) => end.padEnd(42, '0'))
const dueUsdcBase = 10_000_000n
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const nowMs = Math.floor(Date.now() / 1_000) * 1_000
/** More of each kind than anybody who reads them all could hide. */
const many = 300

const { database, sql } = useWorld({ service: 'none' })

/** Invoices over the amount, a second apart, the newest of them made `ageMs` ago. */
async function made(accountId: string, over: Partial<Terms>, ageMs: number, count = many) {
  const invoices = Array.from({ length: count }, (_, n) =>
    newInvoice(accountId, { payTo: wallet ?? '', dueUsdcBase, ...over }, at(ageMs + n * 1_000)),
  )
  await storeInvoices(sql, invoices)
  return invoices
}

/** A transfer of an amount to the wallet, so long ago. */
function paid(usdcBase: bigint, ageMs: number, key: string, from = payer ?? ''): Incoming {
  const sent = { from, to: wallet ?? '', usdcBase, blockTimeMs: nowMs - ageMs }
  return { key, txHash: key, ...sent, namedInvoiceIds: [] }
}

/** The invoices that these transfers could pay. */
async function found(
  transfers: readonly Incoming[],
  by = sql,
): Promise<readonly Invoice.Invoice[]> {
  return (await candidates(by, 'base', candidateQueryOf(transfers))).map(({ invoice }) => invoice)
}

const idsOf = (invoices: readonly Invoice.Invoice[]) => invoices.map(({ id }) => id).toSorted()

function at(ageMs: number): Date {
  return new Date(nowMs - ageMs)
}

async function expire(invoices: readonly Invoice.Invoice[]): Promise<void> {
  const changes = invoices.map((before) => {
    const now = new Date(before.terms.dueAt ?? 0)
    const after = evolve(before, decide(before, { kind: 'expire' }, now), now)
    return { before, after: after as Invoice.Invoice, entry: { types: 'invoice.sent', data: null } }
  })
  await updateAll(sql, changes)
}

const hours = (from: number, to: number) => fc.integer({ min: from, max: to })
const account = fc.constantFrom(ours as string, theirs as string)
const wallets = fc.constantFrom(payer as string, '0xdd'.padEnd(42, '0'))
/** Invoices and payments of one amount; times in hours before now. */
const story = fc.record({
  owed: fc.array(
    fc.record({
      accountId: fc.oneof({ weight: 4, arbitrary: fc.constant(ours as string) }, account),
      payer: fc.option(wallets),
      dueAgo: fc.oneof(hours(-4, 6), hours(716, 728)),
      lastedFor: hours(1, 20),
      hasExpired: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
    }),
    { minLength: 1, maxLength: 15 },
  ),
  payments: fc.array(fc.record({ from: wallets, ago: hours(0, 4) }), {
    minLength: 1,
    maxLength: 4,
  }),
})

describe('what a transfer could pay is found', () => {
  let own: Invoice.Invoice

  beforeAll(async () => {
    for (const terms of [{ payTo: elsewhere ?? '' }, { chain: 'polygon' } as const])
      for (const named of [null, payer ?? null])
        await made(theirs, { ...terms, payer: named }, dayMs)
    for (const named of [null, payer ?? null]) {
      const dueAt = at(50 * dayMs).toISOString()
      await expire(await made(ours, { payer: named, dueAt }, 60 * dayMs))
    }
    own = (await made(ours, {}, hourMs, 1))[0] as Invoice.Invoice
    for (const named of [null, payer ?? null]) await made(ours, { payer: named }, 1_000)
    await sql`analyze invoices`
  })

  test('without a look at what is paid elsewhere, has long expired or is newer, however much that is', async () => {
    const read = await rowsRead(database, 'invoices', async (sql) => {
      const some = await found([paid(dueUsdcBase, 0, '0x01')], sql)
      expect(idsOf(some)).toContain(own.id)
      expect(new Set(some.map(({ accountId }) => accountId))).toEqual(new Set([ours]))
      expect(some.length).toBeLessThan(5)
    })
    expect(read).toBeLessThan(80)
  })
})

test('what has expired since is read once for all transfers where it is less than they are', async () => {
  const usdcBase = 22_000_000n
  const dueAt = at(0).toISOString()
  const expiredSince = await made(ours, { dueUsdcBase: usdcBase, dueAt }, hourMs, 50)
  await expire(expiredSince)
  const transfers = Array.from({ length: 200 }, (_, n) => paid(usdcBase, n * 1_000, `0x${n}`))
  const read = await rowsRead(database, 'invoices', async (sql) => {
    expect(idsOf(await found(transfers, sql))).toEqual(idsOf(expiredSince))
  })
  expect(read).toBeLessThan(1_000)
})

test('the rules decide by what is found as they would by all invoices', async () => {
  const stories = fc.sample(story, { seed: 1, numRuns: 200 }).map(({ owed, payments }, n) => {
    const usdcBase = BigInt(n + 1) * centBase
    const invoices = owed.map(({ accountId, dueAgo, lastedFor, ...over }) => {
      const dueAt = at(dueAgo * hourMs).toISOString()
      const terms = { payTo: wallet ?? '', dueUsdcBase: usdcBase, payer: over.payer, dueAt }
      return newInvoice(accountId, terms, at((dueAgo + lastedFor) * hourMs))
    })
    const transfers = payments
      .toSorted((a, b) => b.ago - a.ago)
      .map(({ from, ago }, index) => ({
        ...paid(usdcBase, ago * hourMs, `${index}`, from),
        txHash: `0x${n}`,
      }))
    return { invoices, transfers, expired: invoices.filter((_, index) => owed[index]?.hasExpired) }
  })
  const all = stories.flatMap(({ invoices }) => invoices)
  await storeInvoices(sql, all)
  await expire(stories.flatMap(({ expired }) => expired))
  for (const { invoices, transfers } of stories) {
    const known = await loadMany(
      sql,
      invoices.map(({ id }) => id),
    )
    const byAll = match(
      'base',
      transfers,
      known.map((invoice) => candidateOf(invoice)),
    )
    const byFound = (await found(transfers)).map((invoice) => candidateOf(invoice))
    expect(match('base', transfers, byFound)).toEqual([...byAll])
  }
})
