import { beforeEach, describe, expect, test } from 'bun:test'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { askedAmount } from '../../../src/storage/settlement/asked-amounts.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'

const { sql } = useWorld({ service: 'none' })
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
    update invoices set state = ${state}, payable = ${how === 'expired'},
      due_at = case when ${how} = 'expired' then now() end,
      progress = replace(progress, '{', ${how === 'settled' ? '{' : `{"failure":"${how}",`}),
      updated_at = now() - ${`${daysAgo} days`}::interval
    where id = ${id}`
}

describe('P1 payers are asked for', () => {
  test('what is due, where no other invoice at the address is', async () => {
    const invoice = await anInvoice()
    await anInvoice(one, { dueUsdcBase: due + 1_000n })
    await anInvoice(one, { payTo: '0xelsewhere' })
    expect(await asked(invoice)).toBe(due)
  })

  test.each([
    ['the account’s own', one],
    ['another account’s', other],
  ])('millionths more, where %s invoice is due the same', async (_, accountId) => {
    const [first, second] = [await anInvoice(accountId), await anInvoice()]
    expect(await asked(second)).toBe(due + 1n)
    expect(await asked(first)).toBe(due + 2n)
    expect(await asked(second)).toBe(due + 1n)
  })

  test('an amount that no other is asked for or due', async () => {
    const [, second, third] = [
      await anInvoice(),
      await anInvoice(),
      await anInvoice(),
      await anInvoice(one, { dueUsdcBase: due + 2n }),
    ]
    expect(await asked(second)).toBe(due + 1n)
    expect(await asked(third)).toBe(due + 3n)
  })

  test('the same amount in fifty pages that are opened at once, and others for other invoices', async () => {
    const invoices = [await anInvoice(), await anInvoice(), await anInvoice(other)]
    const views = invoices.flatMap((invoice) => Array.from({ length: 50 }, () => invoice))
    const amounts = await Promise.all(views.map((invoice) => asked(invoice)))
    const byInvoice = Map.groupBy(amounts, (_, at) => Math.floor(at / 50))
    const different = [...byInvoice.values()].map((found) => new Set(found))
    expect(different.map(({ size }) => size)).toEqual([1, 1, 1])
    expect(new Set(amounts).size).toBe(3)
    expect(amounts).not.toContain(null)
  })

  test('the rest after a part payment, while the first amount stays theirs', async () => {
    const [, paid, another] = [await anInvoice(), await anInvoice(), await anInvoice()]
    expect(await asked(paid)).toBe(due + 1n)
    expect(await asked(paid, 51_250_000n)).toBe(51_250_000n)
    expect(await asked(another)).toBe(due + 2n)
  })

  test.each([
    ['once it is settled, of the same account', 'settled', one, 0, due],
    ['once it is void, of the same account', 'voided', one, 0, due],
    ['a day after it was settled, of another account', 'settled', other, 1, due + 1n],
    ['31 days after it was settled, of another account', 'settled', other, 31, due],
    ['once it has expired, of the same account', 'expired', one, 0, due + 1n],
  ] as const)('an amount of another invoice %s', async (_, how, accountId, daysAgo, expected) => {
    const before = await anInvoice()
    expect(await asked(before)).toBe(due)
    await close(before, how, daysAgo)
    expect(await asked(await anInvoice(accountId))).toBe(expected)
  })

  test('nothing, once all thousand are taken', async () => {
    await sql`
      insert into asked_amounts (chain, pay_to, usdc_base, invoice_id, for_base, asked_at)
      select 'base', ${toBytes(payTo)}, ${due} + n, ${(await anInvoice()).id}, n, now() from generate_series(0, 999) as n`
    const invoice = await anInvoice()
    expect(await asked(invoice)).toBeNull()
    await sql`delete from asked_amounts where usdc_base = ${due + 999n} and pay_to = ${toBytes(payTo)}`
    expect(await asked(invoice)).toBe(due + 999n)
  })
})
