import { afterAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createdInvoice } from '../support/app.ts'
import { credited } from '../support/credit-notes.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const wallet = `0x${'5e'.repeat(20)}`
const dayMs = 86_400_000
const day = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
const rates = join(tmpdir(), `rates-${Bun.randomUUIDv7()}.json`)

/** The rate of Switzerland is 8 % until yesterday, 10 % from tomorrow on. */
async function ratesFile(): Promise<string> {
  const row = { country: 'CH', name: 'Switzerland', reduced: 1, source: 'a test' }
  const rows = [
    { ...row, from: '2000-01-01', standard: 8 },
    { ...row, from: day(-1).slice(0, 10), standard: 9 },
    { ...row, from: day(1).slice(0, 10), standard: 10 },
  ]
  await Bun.write(rates, JSON.stringify(rows))
  return rates
}

afterAll(() => rm(rates, { force: true }))

const { node, sql, send, start } = useWorld({
  chains: ['base'],
  funded: [1],
  service: 'apart',
  env: async () => ({
    BASE_WALLET: wallet,
    BASE_CONFIRMATIONS: '1',
    TAX_RATES: await ratesFile(),
    LOG_LEVEL: 'info',
  }),
})

/** Every instant in the database. */
async function dates(): Promise<readonly { where: string; at: Date }[]> {
  const columns = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'timestamp with time zone'`
  const found = columns.map(async ({ table, column }) => {
    const rows =
      await sql`select ${sql(column)} as at from ${sql(table)} where isfinite(${sql(column)})`
    return rows.map(({ at }) => ({ where: `${table}.${column}`, at }))
  })
  return (await Promise.all(found)).flat()
}

// Further than a year: whatever the day is, the year is another one.
test.each([400, -400])(
  'a process whose clock is %d days off dates nothing by it: invoices and their numbers, taxes, due dates, settlements, receipts, credit notes, months',
  async (days) => {
    const preload = Bun.fileURLToPath(new URL('../support/shifted-clock.ts', import.meta.url))
    const wrong = await start({
      FX_RATES_AS_OF: '2020-01-01',
      CLOCK_AHEAD_MS: `${days * dayMs}`,
      BUN_OPTIONS: `--preload=${preload}`,
    })
    const { status, json: readiness } = await send('GET', '/readyz')
    expect([status, readiness.problems]).toEqual([
      503,
      [expect.stringContaining('the clock of this')],
    ])

    const isOfNow = (text: string) => Math.abs(Date.parse(text) - Date.now()) < 60_000
    const order = { amount: 100, currency: 'USD', taxCountry: 'CH' }
    const invoice = await createdInvoice({ send }, { ...order, dueAt: day(1) })
    expect(isOfNow(invoice.createdAt)).toBe(true)
    expect(await sql`select year from invoices where id = ${invoice.id}`).toEqual([
      { year: new Date().getUTCFullYear() },
    ] as never)
    expect(Number(invoice.total)).toBe(109)
    const overdue = await send('POST', '/v1/invoices', {
      ...{ amount: '1', customerName: 'A', customerEmail: 'a@example.com' },
      dueAt: day(-1),
    })
    expect(overdue.status).toBe(400)

    const { id, paymentDetails } = invoice
    const { reference } = paymentDetails
    await node.transfer({
      from: node.wallet(1).address,
      to: wallet,
      usdcBase: 109_000_000n,
      reference,
    })
    await node.mine(2)
    await eventually(
      async () =>
        (await sql`select from invoices where id = ${id} and state = 'settled'`).length > 0,
      40_000,
    )
    const note = await credited({ send }, id, { reason: 'Returned' }, { path: '/v1/invoices' })
    expect(note.status).toBe(201)

    const wrongly = (await dates()).filter(
      ({ at }) => Math.abs(at.getTime() - Date.now()) > 2 * dayMs,
    )
    expect(wrongly).toEqual([])
    expect(await sql`select from document_months`).toHaveLength(0)
    await wrong.kill()
  },
)
