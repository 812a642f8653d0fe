import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGroupCommit } from '../../src/actors/group-commit.ts'
import { createInvoiceReader } from '../../src/actors/invoice-reader.ts'
import { createInvoices } from '../../src/actors/invoices.ts'
import { createOnce } from '../../src/actors/once.ts'
import type { Request } from '../../src/domain/invoices/request.ts'
import { insertAll, loadMany, updateAll } from '../../src/storage/invoices/invoices.ts'
import * as InvoiceLists from '../../src/storage/invoices/lists.ts'
import { trailOf } from '../../src/storage/invoices/trails.ts'
import { findBindable } from '../../src/storage/mandates/bindings.ts'
import { terms } from '../support/invoice.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { storedInvoice } from '../support/stored-invoice.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(() => db.drop())

const accountId = Bun.randomUUIDv7()

const atOnce: InvoiceLists.InTurn = (read) => read(db.sql)

/** One process whose clock is `aheadMs` ahead. `look` is how it finds a mandate. */
function process(aheadMs = 0, look = findBindable) {
  const commit = { lanes: 1, maxBatch: 64, maxWaiting: 64 }
  const load = (ids: readonly string[]) => loadMany(db.sql, ids)
  return createInvoices({
    store: {
      load,
      findBindable: (...asked) => look(db.sql, ...asked),
      list: (...asked) => InvoiceLists.list(db.sql, ...asked),
      pages: (...asked) => InvoiceLists.pages({ first: atOnce, further: atOnce }, ...asked),
      trailOf: (id) => trailOf(db.sql, id),
    },
    reader: createInvoiceReader({ load, isFresh: () => false, most: 1, mostCharacters: 0 }),
    insertions: createGroupCommit({ ...commit, flush: (_, rows) => insertAll(db.sql, rows) }),
    changes: createGroupCommit({ ...commit, flush: (_, rows) => updateAll(db.sql, rows) }),
    once: createOnce(db.sql),
    now: () => new Date(Date.now() + aheadMs),
    databaseClock: { now: () => new Date() },
    newId: () => Bun.randomUUIDv7(),
    fx: { rates: {}, source: 'test', asOf: '2026-01-01' },
    payee: () => ({ ...terms(), paymentUri: () => 'ethereum:' }),
    onCommit() {},
    onDueDate() {},
  })
}

/**
 * A mandate signed by both parties, for 50 USDC, which expires `lifeMs` from now by PostgreSQL's
 * clock.
 */
async function aMandate(lifeMs: number): Promise<string> {
  const id = `mnd_${Bun.randomUUIDv7()}`
  await db.sql`
    insert into mandates (id, account_id, version, state, proposer, counterparty, scope, terms, expires_at, canonical, hash,
      created_at, updated_at)
    values (${id}, ${accountId}, 3, 'signed_by_both', 'a', 'b', 'c', '{"amount":50,"currency":"USDC"}',
      now() + ${lifeMs} * interval '1 millisecond', '', '0x', now(), now())`
  return id
}

function under(mandateId: string): Request {
  const { form, currency, chain, buyer, seller, description, agentId, payer, dueAt, metadata } =
    terms()
  const rest = { buyer, seller, description, agentId, payer, dueAt, metadata }
  return { form, currency, chain, country: null, amountSource: '1', mandateId, ...rest }
}

describe('an invoice under a mandate', () => {
  test('is refused as mandate_not_active once it is over by PostgreSQL’s clock, wherever this process’s stands', async () => {
    const id = await aMandate(-1)
    for (const aheadMs of [-5_000, 0, 5_000]) {
      const created = process(aheadMs).create(accountId, under(id), null)
      await expect(created).rejects.toMatchObject({ reason: 'mandate_not_active' })
    }
  })

  test('is made until then', async () => {
    const id = await aMandate(60_000)
    const { isReplay } = await process(3_600_000).create(accountId, under(id), null)
    expect(isReplay).toBe(false)
  })

  test('is refused as mandate_limit_exceeded where there is room before and after, and none when it is made', async () => {
    const id = await aMandate(60_000)
    const bound = (micro: number) =>
      db.sql`update mandates set bound_micro = ${micro} where id = ${id}`
    let looks = 0
    const { create } = process(0, async (...asked) => {
      await bound(0)
      const found = await findBindable(...asked)
      if (++looks === 1) await bound(50_000_000)
      return found
    })
    const created = create(accountId, under(id), null)
    await expect(created).rejects.toMatchObject({ reason: 'mandate_limit_exceeded' })
    expect(looks).toBe(2)
  })
})

describe('an invoice with a due date', () => {
  test.each([
    ['behind', -3_600_000],
    ['ahead of', 3_600_000],
  ])(
    'expires by the time it was found overdue at, also where this process’s clock is %s that',
    async (_, aheadMs) => {
      const dueAt = new Date()
      const { id } = await storedInvoice(db.sql, accountId, { dueAt: dueAt.toISOString() })
      const { execute } = process(aheadMs)
      const tooEarly = new Date(dueAt.getTime() - 1)
      expect(await execute(id, { kind: 'expire', at: tooEarly })).toMatchObject({ state: 'draft' })
      expect(await execute(id, { kind: 'expire', at: dueAt })).toMatchObject({ state: 'failed' })
    },
  )
})
