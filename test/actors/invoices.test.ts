import { describe, expect, test } from 'bun:test'
import type { Request } from '../../src/domain/invoices/request.ts'
import { terms } from '../support/invoice.ts'
import { invoiceActors } from '../support/invoice-actors.ts'
import { storedInvoice } from '../support/stored-invoice.ts'
import { storedMandate } from '../support/stored-mandate.ts'
import { useWorld } from '../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
const accountId = Bun.randomUUIDv7()

const aMandate = (lifeMs: number) =>
  storedMandate(db.sql, accountId, { lifeMs, terms: '{"amount":50,"currency":"USDC"}' })

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
      const created = invoiceActors(db.sql, { aheadMs }).create(accountId, under(id), null)
      await expect(created).rejects.toMatchObject({ reason: 'mandate_not_active' })
    }
  })

  test('is made until then', async () => {
    const id = await aMandate(60_000)
    const { isReplay } = await invoiceActors(db.sql, { aheadMs: 3_600_000 }).create(
      accountId,
      under(id),
      null,
    )
    expect(isReplay).toBe(false)
  })

  test('is refused as mandate_limit_exceeded where there is room before and after, and none when it is made', async () => {
    const id = await aMandate(60_000)
    await db.sql`create function lack_room() returns trigger language plpgsql as 'begin return null; end'`
    await db.sql`create trigger lack_room before update of bound_micro on mandates for each row execute function lack_room()`
    const created = invoiceActors(db.sql).create(accountId, under(id), null)
    await expect(created).rejects.toMatchObject({ reason: 'mandate_limit_exceeded' })
    await db.sql`drop function lack_room cascade`
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
      const { execute } = invoiceActors(db.sql, { aheadMs })
      const tooEarly = new Date(dueAt.getTime() - 1)
      expect(await execute(id, { kind: 'expire', at: tooEarly })).toMatchObject({ state: 'draft' })
      expect(await execute(id, { kind: 'expire', at: dueAt })).toMatchObject({ state: 'failed' })
    },
  )
})
