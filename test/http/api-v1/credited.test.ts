import { beforeAll, describe, expect, test } from 'bun:test'
import { testWallet } from '../../support/app.ts'
import { credited, payInvoice } from '../../support/credit-notes.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
const seller = { name: 'Grace Example GmbH', wallet: testWallet }
const buyer = { companyName: 'Ada Example Ltd', email: 'ada@example.com' }
const reason = 'Returned'
const none = { sales: 0, credits: 0, net: 0, notes: 0, usdc: [0, 0] }
let token: string

beforeAll(async () => {
  token = (await app.send('POST', '/api/v1/auth/token')).json.data.token
})

/** Answers the id of an invoice over 10.00 USD and 1.90 of German VAT. */
async function invoiced(path = '/api/invoices', over: object = {}): Promise<string> {
  const body = { amount: 1_000, currency: 'USD', taxCountry: 'DE', buyer, seller, ...over }
  const { json } = await app.send('POST', path, body)
  return json.data?.id ?? json.id
}

/** What counts now: with tax, and in base units of USDC, which a cache keeps for a while. */
async function counted() {
  const bearer = { authorization: `Bearer ${token}` }
  const path = '/api/v1/dashboard/tax-summary'
  const { json } = await app.keyless('GET', path, undefined, bearer)
  const [figures] = json.data.currencies
  const [usdc] = await app.database.sql<[{ sold: string; credited: string }]>`
    select coalesce(sum(usdc_base) filter (where kind = 'sale'), 0) as sold,
      coalesce(sum(usdc_base) filter (where kind = 'credit'), 0) as credited
    from tax_totals where account_id = ${app.account.account.id}`
  return {
    sales: figures?.totalWithTax ?? 0,
    credits: figures?.credits.totalWithTax ?? 0,
    net: figures?.net.totalWithTax ?? 0,
    notes: figures?.credits.creditNoteCount ?? 0,
    usdc: [Number(usdc.sold), Number(usdc.credited)],
  }
}

describe('what is credited counts with its sale', () => {
  test('not while the invoice is open, nor if it never settles', async () => {
    const id = await invoiced()
    await credited(app, id, { reason, amount: 190 })
    await credited(app, id, { reason })
    expect(await counted()).toEqual(none)
  })

  test('from the settlement on, where the note came first; of USDC it was never due', async () => {
    const id = await invoiced()
    await credited(app, id, { reason, amount: 190 })
    await payInvoice(app, id, { usdcBase: 10_000_000n })
    const usdc = [10_000_000, 0]
    expect(await counted()).toEqual({ sales: 1_190, credits: 190, net: 1_000, notes: 1, usdc })
  })

  test('at once, where the invoice has settled', async () => {
    const id = await invoiced()
    await payInvoice(app, id, { usdcBase: 11_900_000n })
    await credited(app, id, { reason, amount: 190 })
    const usdc = [21_900_000, 1_900_000]
    expect(await counted()).toEqual({ sales: 2_380, credits: 380, net: 2_000, notes: 2, usdc })
  })

  test('once, where the note itself settles the invoice', async () => {
    const id = await invoiced()
    await payInvoice(app, id, { usdcBase: 4_000_000n })
    await credited(app, id, { reason, amount: 990 })
    const usdc = [25_900_000, 3_900_000]
    expect(await counted()).toEqual({ sales: 3_570, credits: 1_370, net: 2_200, notes: 3, usdc })
  })

  test('is rounded once for each note, in the smallest unit of the currency', async () => {
    const flat = { customerName: 'Ada', customerEmail: 'ada@example.com', amount: 0.016 }
    const id = await invoiced('/v1/invoices', { ...flat, currency: 'USD', taxCountry: undefined })
    await payInvoice(app, id, { usdcBase: 16_000n })
    await credited(app, id, { reason, amount: 0.006 }, { path: '/v1/invoices' })
    await credited(app, id, { reason }, { path: '/v1/invoices' })
    expect(await counted()).toMatchObject({ sales: 3_572, credits: 1_372, net: 2_200, notes: 5 })
  })
})
