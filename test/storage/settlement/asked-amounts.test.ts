import { beforeEach, describe, expect, test } from 'bun:test'
import { serviceAccountId } from '../../../src/domain/accounts/account.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { askedAmount } from '../../../src/storage/settlement/asked-amounts.ts'
import { newInvoice, storedInvoice, storeInvoices } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ service: 'none' })
const { sql } = world
const due = 61_250_000n
const [one, other] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
let payTo: string

beforeEach(() => {
  payTo = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`
})

function anInvoice(accountId = one, over: Partial<Terms> = {}) {
  return storedInvoice(sql, accountId, { payTo, dueUsdcBase: due, ...over })
}

type Invoice = Awaited<ReturnType<typeof anInvoice>>

const asked = (invoice: Invoice, leftBase = due) => askedAmount(sql, invoice, leftBase)

/** As it stands after its payment was final, or it was voided, `daysAgo`. */
async function close({ id }: Invoice, how: 'settled' | 'voided' | 'expired', daysAgo = 0) {
  const state = how === 'settled' ? 'settled' : 'failed'
  await sql`
    update invoices set state = ${state}, owed_base = case when ${how === 'expired'} then due_base end,
      due_at = case when ${how} = 'expired' then now() end,
      progress = replace(progress, '{', ${how === 'settled' ? '{' : `{"failure":"${how}",`}),
      updated_at = now() - ${`${daysAgo} days`}::interval
    where id = ${id}`
}

/** A whole number of millionths more, but not the amount itself. */
function expectMore(amount: bigint | null, than = due): void {
  expect(amount).toBeGreaterThan(than)
  expect(amount).toBeLessThanOrEqual(than + 999n)
}

describe('payers are asked for', () => {
  test('what is due, where no other invoice at the address is', async () => {
    const invoice = await anInvoice()
    await anInvoice(one, { dueUsdcBase: due + 1_000n })
    await anInvoice(one, { payTo: '0xelsewhere' })
    expect(await asked(invoice)).toBe(due)
  })

  test('millionths more, where another invoice is due the same, and the same at each view', async () => {
    const [first, second] = [await anInvoice(), await anInvoice()]
    const amounts = [await asked(second), await asked(first), await asked(second)]
    for (const amount of amounts) expectMore(amount)
    expect(amounts[2]).toBe(amounts[0])
    expect(amounts[1]).not.toBe(amounts[0])
  })

  test.each([
    ['where another account has an open invoice', 'open'],
    ['where another account has had an invoice', 'settled'],
  ] as const)('no price %s', async (_, state) => {
    const theirs = await anInvoice(other, { dueUsdcBase: 1_000_000n })
    if (state === 'settled') await close(theirs, 'settled')
    expectMore(await asked(await anInvoice()))
    expectMore(await asked(await anInvoice(one, { dueUsdcBase: 9_999n }), 9_999n), 9_998n)
    const taxed = await anInvoice(one, { dueUsdcBase: due + 5_500n })
    expectMore(await asked(taxed, due + 5_500n), due + 5_500n)
    for (let n = 0; n < 20; n++) {
      const left = due + 9_500n
      const amount = await asked(await anInvoice(one, { dueUsdcBase: left }), left)
      expect(Number(amount) % 100).not.toBe(0)
    }
  })

  test('what is due although an invoice was created there without a key, whose payers are asked for more', async () => {
    const keyless = await anInvoice(serviceAccountId)
    const own = await anInvoice()
    expect(await asked(own)).toBe(due)
    expectMore(await asked(keyless))
  })

  test('what was asked before another account came', async () => {
    const invoice = await anInvoice()
    expect(await asked(invoice)).toBe(due)
    await anInvoice(other)
    expect(await asked(invoice)).toBe(due)
  })

  test('the rest after a part payment, while the first amount stays theirs', async () => {
    const [, paid, another] = [await anInvoice(), await anInvoice(), await anInvoice()]
    const first = await asked(paid)
    expect(await asked(paid, 51_250_000n)).toBe(51_250_000n)
    expect(await asked(another)).not.toBe(first)
    expect(await asked(paid)).toBe(first)
  })

  test.each([
    ['once it is settled, of the same account', 'settled', one, 0, true],
    ['once it is void, of the same account', 'voided', one, 0, true],
    ['a day after it was settled, of another account', 'settled', other, 1, false],
    ['31 days after it was settled, of another account', 'settled', other, 31, true],
    ['once it has expired, of the same account', 'expired', one, 0, false],
  ] as const)('an amount of another invoice %s', async (_, how, accountId, daysAgo, isFree) => {
    const before = await anInvoice()
    const left = due + 500n
    expect(await asked(before, left)).toBe(left)
    await close(before, how, daysAgo)
    const next = await anInvoice(accountId)
    // Otherwise an invoice never asks for what it is due.
    await sql`update payment_addresses set is_shared = false`
    const amount = await asked(next, left)
    expect(amount === left).toBe(isFree)
  })
})

describe('two invoices never ask one amount', () => {
  const { database } = world

  test('however many pages are opened at once, by several processes', async () => {
    const pools = [1, 2].map(() => connect(database.url, { max: 4, name: 'pages' }))
    const invoices = await Promise.all(
      Array.from({ length: 12 }, (_, n) => anInvoice(n % 3 === 0 ? other : one)),
    )
    const views = Array.from({ length: 6 }, () => invoices).flat()
    const found = await Promise.all(
      views.map(async (invoice, n) => ({
        id: invoice.id,
        amount: await askedAmount(pools[n % 2] as Sql, invoice, due),
      })),
    )
    await Promise.all(pools.map((pool) => pool.end()))
    const byInvoice = Map.groupBy(found, ({ id }) => id)
    const sets = [...byInvoice.values()].map((same) => new Set(same.map(({ amount }) => amount)))
    expect(sets.map(({ size }) => size)).toEqual(invoices.map(() => 1))
    expect(new Set(sets.flatMap((set) => [...set])).size).toBe(invoices.length)
    for (const { amount } of found) expectMore(amount)
  })

  test('also where all of them would take the one amount that is free again', async () => {
    const before = await anInvoice()
    await reserveAll(before.id)
    await close(before, 'settled')
    await sql`delete from asked_amounts where usdc_base <> ${due + 7n} and invoice_id = ${before.id}`
    const blocking = await anInvoice()
    await reserveAll(blocking.id)
    const amounts = await Promise.all(
      (await Promise.all([1, 2, 3, 4].map(() => anInvoice()))).map((invoice) => asked(invoice)),
    )
    expect(amounts.filter((amount) => amount !== null)).toEqual([due + 7n])
  })
})

/** All that payers could be asked for are asked for this invoice, but what another asks. */
async function reserveAll(invoiceId: string) {
  await sql`
    insert into asked_amounts (chain, pay_to, usdc_base, invoice_id, for_base, asked_at)
    select 'base', ${toBytes(payTo)}, ${due} + n, ${invoiceId}, n, now() from generate_series(0, 999) as n on conflict do nothing`
}

describe('nobody takes all amounts from others', () => {
  test('of its own account nothing is left, once all thousand are taken', async () => {
    await reserveAll((await anInvoice()).id)
    const invoice = await anInvoice()
    expect(await asked(invoice)).toBeNull()
    await sql`delete from asked_amounts where usdc_base = ${due + 999n} and pay_to = ${toBytes(payTo)}`
    expect(await asked(invoice)).toBe(due + 999n)
  })

  test.each([
    ['a thousand invoices within a cent', other],
    ['a thousand pages of invoices over the same', other],
    ['a thousand pages of invoices created without a key', serviceAccountId],
  ] as const)('by %s', async (how, accountId) => {
    const strangers = Array.from({ length: 1_000 }, (_, n) =>
      newInvoice(accountId, { payTo, dueUsdcBase: how.includes('within') ? due + BigInt(n) : due }),
    )
    await storeInvoices(sql, strangers)
    if (how.includes('pages'))
      await sql`
        insert into asked_amounts (chain, pay_to, usdc_base, invoice_id, for_base, asked_at)
        select 'base', ${toBytes(payTo)}, ${due} + n, id, ${due}, now() - (1000 - n) * interval '1 s'
        from unnest(${sql.array(strangers.map(({ id }) => id))}::uuid[]) with ordinality as made (id, n) where n < 1000`
    const victims = await Promise.all([1, 2, 3].map(() => anInvoice()))
    const amounts = await Promise.all(victims.map((invoice) => asked(invoice)))
    expect(new Set(amounts).size).toBe(3)
    // The oldest hundred stay theirs.
    for (const amount of amounts) expectMore(amount, how.includes('created') ? due - 1n : due + 98n)
  })
})
