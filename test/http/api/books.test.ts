import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from '../../../src/domain/books/journal.ts'
import { createdInvoice, keyWith, refused } from '../../support/app.ts'
import { heldTransfer } from '../../support/claims.ts'
import { printed, shellOf } from '../../support/documentation.ts'
import { balances, faultsOf } from '../../support/journal.ts'
import { eventually } from '../../support/wait.ts'
import { useShop } from '../../support/x402-proxy.ts'

const path = '/api/books'
const env = { BASE_CONFIRMATIONS: '2', FEE_BPS: '100' }
const { app, node, buy, sign, aResource, becomes } = useShop({ env })
const year = new Date().getUTCFullYear()
const nobody = { debit: null, credit: null }

async function journal(query = '', key = app.account.v1Key): Promise<readonly Row[]> {
  const { text } = await app.send('GET', path + query, undefined, { 'x-api-key': key })
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** An invoice paid by transfers of these amounts, once it has settled. */
async function sold(over: object, ...parts: readonly bigint[]) {
  const { id, paymentDetails } = await createdInvoice(app, over)
  const { paymentAddress: to, reference, amountDue } = paymentDetails
  const dueBase = BigInt(Math.round(Number(amountDue) * 1_000_000))
  const rest = dueBase - parts.reduce((sum, part) => sum + part, 0n)
  const from = node.wallet(1).address
  for (const usdcBase of [...parts, rest]) await node.transfer({ from, to, reference, usdcBase })
  await node.mine(3)
  await eventually(async () => {
    const { json } = await app.send('GET', `/api/invoices/${id}`)
    return json.status === 'settled'
  })
  return { id, document: (await app.send('GET', `/api/invoices/${id}`)).json.invoiceNumber }
}

let sale: Awaited<ReturnType<typeof sold>>
let bought: string

beforeAll(async () => {
  // 119 EUR are 128.52 USDC, in two parts.
  sale = await sold({ amount: 100, currency: 'EUR', taxCountry: 'DE' }, 28_520_000n)
  const url = aResource()
  const unpaid = await buy(url, { 'x-invoice-country': 'DE' })
  bought = unpaid.json.invoice.id
  await buy(url, await sign(unpaid))
  await node.mine(4)
  await becomes(bought, 'settled')
})

describe('200 B5', () => {
  test('a sale in EUR paid in two transfers, the fee on it, and a purchase, each entry in balance', async () => {
    const rows = await journal()
    expect(faultsOf(rows)).toEqual([])
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
    const of = (kind: string) => rows.filter(({ entry }) => entry.startsWith(`${kind}:`))
    const row = { date: day, entry: `sale:${sale.document}`, document: sale.document, ...nobody }
    expect(of('sale')).toEqual([
      { ...row, account: 'clearing', currency: 'EUR', debit: '119.00' },
      { ...row, account: 'sales', currency: 'EUR', credit: '100.00' },
      { ...row, account: 'vat_payable', currency: 'EUR', credit: '19.00' },
    ])
    // One hundredth of what came, by the receipt.
    const fee = { ...row, entry: `fee:${sale.document}`, currency: 'USDC' }
    expect(of('fee')).toEqual([
      { ...fee, account: 'fees', debit: '1.2852' },
      { ...fee, account: 'wallet', credit: '1.2852' },
    ])
    const payments = of('payment').map(({ account, debit, credit }) => [account, debit ?? credit])
    expect(payments.toSorted((a, b) => (`${a[1]} ${a[0]}` < `${b[1]} ${b[0]}` ? -1 : 1))).toEqual([
      ...['clearing', 'wallet'].map((account) => [account, '0.01']),
      ...['clearing', 'wallet'].map((account) => [account, '100.00']),
      ...['clearing', 'wallet'].map((account) => [account, '28.52']),
    ])
    expect(of('purchase').map(({ account, debit, credit }) => [account, debit, credit])).toEqual([
      ['purchases', '0.01', null],
      ['clearing', null, '0.01'],
    ])
  })

  test('the wallet has what came less what went, and sales and tax what the summary says', async () => {
    const sums = balances(
      await journal(`?period=${year}`),
      ({ account, currency }) => `${account} ${currency}`,
    )
    expect(sums).toEqual({
      'clearing EUR': 119_000_000n,
      'sales EUR': -100_000_000n,
      'vat_payable EUR': -19_000_000n,
      'wallet USDC': 128_520_000n - 1_285_200n - 10_000n,
      'clearing USDC': -128_520_000n,
      'fees USDC': 1_285_200n,
      'purchases USDC': 10_000n,
    })
    const { token } = (await app.send('POST', '/api/v1/auth/token')).json.data
    const bearer = { authorization: `Bearer ${token}` }
    const summary = `/api/v1/dashboard/tax-summary?period=${year}`
    const { data } = (await app.keyless('GET', summary, undefined, bearer)).json
    expect(data.currencies[0]).toMatchObject({ subtotal: 10_000, tax: 1_900 })
  })

  test('as CSV the same rows under the same names', async () => {
    const headers = { accept: 'text/csv' }
    const csv = await app.send('GET', `${path}?period=${year}`, undefined, headers)
    expect(csv.headers.get('content-type')).toStartWith('text/csv')
    const [header = '', ...lines] = csv.text.trimEnd().split('\r\n')
    expect(header).toBe('date,entry,account,document,currency,debit,credit')
    const names = header.split(',')
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell || null])),
    )
    expect(rows).toEqual([...(await journal())] as object[])
    const plain = await app.send('GET', path)
    expect(plain.headers.get('content-type')).toBe('application/x-ndjson')
  })

  test('by the commands of the guide: it balances, and becomes plain-text accounting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-books-'))
    const env = { QUITTANCE_URL: app.url, QUITTANCE_KEY: app.account.v1Key, PERIOD: `${year}` }
    const script = await shellOf('docs/bookkeeping.md')
    expect(await printed(['sh', '-eu'], script, env, folder)).toBe('')
    const ledger = await Bun.file(join(folder, 'journal.ledger')).text()
    rmSync(folder, { recursive: true })
    expect(ledger).toContain(
      [
        `(${sale.document}) sale:${sale.document}`,
        '    assets:clearing  EUR 119.00',
        '    income:sales  EUR -100.00',
        '    liabilities:vat  EUR -19.00',
        '',
      ].join('\n'),
    )
  })

  test('only what happened in the period, and nothing of others', async () => {
    expect(await journal(`?to=${year}-01-01`)).toEqual([])
    expect(await journal(`?from=${year + 1}-01-01`)).toEqual([])
    expect(await journal('', app.other.v1Key)).toEqual([])
  })

  test('money that an operator has assigned, from then on', async () => {
    const owner = await app.newAccount()
    const { id } = await createdInvoice(app, { amount: 2 }, owner.v1Key)
    const transferId = await heldTransfer(app.database.sql, { usdcBase: 1_000_000n })
    expect(await journal('', owner.v1Key)).toEqual([])
    const operator = { 'x-api-key': await keyWith(app, ['admin']) }
    const assigned = await app.send(
      'POST',
      `/api/transfers/${transferId}/assign`,
      { invoiceId: id },
      operator,
    )
    expect(assigned.status).toBe(200)
    const rows = await journal('', owner.v1Key)
    expect(rows.map(({ entry, account, debit }) => [entry, account, debit])).toEqual([
      [`payment:${transferId}`, 'wallet', '1.00'],
      [`payment:${transferId}`, 'clearing', null],
    ])
  })
})

describe('refused', () => {
  test.each([
    ['period', 'period=2026-Q5'],
    ['period', 'period=2026&from=2026-01-01'],
    ['to', 'from=2026-02-01&to=2026-01-01'],
    ['quarter', 'quarter=3'],
  ])('400 B5 names %s in %s', async (field, query) => {
    const answer = await app.send('GET', `${path}?${query}`)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe(field)
  })

  test('401 without a key, 403 with one that may not read invoices', async () => {
    expect(refused(await app.keyless('GET', path))).toEqual([401, 'UNAUTHORIZED'])
    const key = { 'x-api-key': await keyWith(app, ['dashboard:read']) }
    expect(refused(await app.send('GET', path, undefined, key))).toEqual([403, 'FORBIDDEN'])
  })
})
