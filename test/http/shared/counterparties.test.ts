import { beforeAll, describe, expect, test } from 'bun:test'
import { createdInvoice } from '../../support/app.ts'
import { drawnTexts } from '../../support/drawn-text.ts'
import { drawnOnce } from '../../support/pdf.ts'
import { useShop } from '../../support/x402-proxy.ts'

const env = { BASE_CONFIRMATIONS: '2' }
const { app, node, buy, sign, aResource, becomes } = useShop({ env })
const agentId = 'agent-7'
const year = new Date().getUTCFullYear()
const profile = { name: 'Our Company Ltd', email: 'books@ours.example' }
const numbers = { sale: `INV-${year}-0001`, purchase: `PUR-${year}-0001` }
let sold: string
let bought: string
let seller: { name: string; wallet: string }

beforeAll(async () => {
  await app.send('PUT', '/api/account/profile', profile)
  const url = aResource()
  const unpaid = await buy(url, { 'x-agent-id': agentId })
  const payTo = JSON.parse(atob(unpaid.headers.get('payment-required') ?? '')).accepts[0].payTo
  seller = { name: new URL(url).host, wallet: payTo.toLowerCase() }
  bought = unpaid.headers.get('x-invoice-id') ?? ''
  sold = (await createdInvoice(app, { customerName: 'Ada Buyer' })).id
  await buy(url, { 'x-agent-id': agentId, ...(await sign(unpaid)) })
  await node.mine(4)
  await becomes(bought, 'settled')
  await drawnOnce(app, bought)
})

const get = (path: string, headers = {}) => app.send('GET', path, undefined, headers)
const csv = { accept: 'text/csv' }

async function drawn(path: string): Promise<string> {
  const response = await fetch(app.url + path, { headers: { 'x-api-key': app.account.v1Key } })
  const texts = drawnTexts(new Uint8Array(await response.arrayBuffer()))
  return texts.map(({ glyphs }) => glyphs.map(({ letters }) => letters).join('')).join('')
}

describe('a purchase, and not the account, is shown with its own number and its seller', () => {
  test.each<[view: string, read: () => Promise<string>]>([
    ['/api/invoices', async () => JSON.stringify((await get('/api/invoices')).json.data[1])],
    ['/api/v1/invoices', async () => JSON.stringify((await get('/api/v1/invoices')).json.data[1])],
    ['/api/invoices/:id', async () => (await get(`/api/invoices/${bought}`)).text],
    ['/api/v1/invoices/:id', async () => (await get(`/api/v1/invoices/${bought}`)).text],
    ['CSV', async () => (await get('/api/invoices?kind=purchase', csv)).text],
    ['PDF', () => drawn(`/api/invoices/${bought}/pdf`)],
    ['PDF of anybody', () => drawn(`/pay/${bought}/invoice.pdf`)],
    ['UBL', async () => (await get(`/api/invoices/${bought}/xml?format=ubl`)).text],
    ['CII', async () => (await get(`/api/invoices/${bought}/xml?format=cii`)).text],
    ['page', async () => (await get(`/pay/${bought}`)).text],
  ])('%s', async (_, read) => {
    const text = await read()
    for (const part of [numbers.purchase, seller.name, seller.wallet])
      expect(text.toLowerCase()).toContain(part.toLowerCase())
    expect(text).not.toContain('INV-')
  })

  test.each<[view: string, read: () => Promise<string>]>([
    ['PDF', () => drawn(`/api/invoices/${bought}/pdf`)],
    ['UBL', async () => (await get(`/api/invoices/${bought}/xml?format=ubl`)).text],
    ['CII', async () => (await get(`/api/invoices/${bought}/xml?format=cii`)).text],
  ])('%s names the account as the buyer, after the seller', async (_, read) => {
    const text = await read()
    expect(text.indexOf(profile.name)).toBeGreaterThan(text.indexOf(seller.name))
  })

  test('what anybody may see does not name the account', async () => {
    for (const text of [
      await drawn(`/pay/${bought}/invoice.pdf`),
      (await get(`/pay/${bought}`)).text,
      (await get(`/pay/${bought}/status`)).text,
    ]) {
      expect(text).not.toContain(profile.name)
      expect(text).not.toContain(profile.email)
    }
  })

  test('the counterparty of a list and of the CSV is the buyer of a sale, and the seller of a purchase', async () => {
    const { json } = await get('/api/invoices')
    expect(json.data.map(({ counterparty }: { counterparty: object }) => counterparty)).toEqual([
      { name: 'Ada Buyer', wallet: null },
      seller,
    ])
    const [head = '', ...rows] = (await get('/v1/invoices', csv)).text.trim().split('\r\n')
    const at = head.split(',').indexOf('counterparty')
    expect(rows.map((row) => row.split(',')[at])).toEqual(['Ada Buyer', seller.name])
  })

  test('its number is the integer on /v1, its own in files, journal and receipt', async () => {
    expect((await get(`/v1/invoices/${bought}`)).json.data).toMatchObject({
      ...{ invoiceNumber: 1, kind: 'purchase', seller },
    })
    expect((await get(`/v1/invoices/${sold}`)).json.data.invoiceNumber).toBe(1)
    for (const [file, extension] of [
      [`/api/invoices/${bought}/pdf`, 'pdf'],
      [`/pay/${bought}/invoice.pdf`, 'pdf'],
      [`/api/invoices/${bought}/xml`, 'ubl.xml'],
    ]) {
      const { headers } = await get(file ?? '')
      expect(headers.get('content-disposition')).toBe(
        `inline; filename="${numbers.purchase}.${extension}"`,
      )
    }
    const { receiptId } = (await get(`/api/invoices/${bought}`)).json
    expect((await get(`/v1/receipts/${receiptId}`)).text).toContain(`"${numbers.purchase}"`)
    const journal = (await get('/api/books')).text
    expect(journal).toContain(`"entry":"purchase:${numbers.purchase}"`)
    expect(journal).not.toContain('INV-')
  })
})

describe('a list is filtered', () => {
  const lists = ['/api/invoices', '/api/v1/invoices', '/v1/invoices']
  const ids = (text: string) => [sold, bought].filter((id) => text.includes(id))
  test.each(
    lists.flatMap((list) => [[list, 'as JSON', {}] as const, [list, 'as CSV', csv] as const]),
  )('%s %s by kind, agent, number and seller', async (list, _, headers) => {
    const found = async (query: string) => ids((await get(`${list}?${query}`, headers)).text)
    expect(await found('')).toEqual([sold, bought])
    expect(await found('kind=sale')).toEqual([sold])
    expect(await found('kind=purchase')).toEqual([bought])
    expect(await found(`agentId=${agentId}`)).toEqual([bought])
    expect(await found(`kind=sale&agentId=${agentId}`)).toEqual([])
    expect(await found('search=1')).toEqual([sold, bought])
    expect(await found(`search=${numbers.sale}`)).toEqual([sold])
    expect(await found(`search=${numbers.purchase}`)).toEqual([bought])
    expect(await found('search=pur-1')).toEqual([bought])
    expect(await found(`search=${seller.name.slice(0, 6).toUpperCase()}`)).toEqual([bought])
  })

  test.each(lists)('%s by no other kind', async (list) => {
    for (const kind of ['', 'Sale', 'credit']) {
      const { status, json } = await get(`${list}?kind=${kind}`)
      expect([status, json.error.code]).toEqual([400, 'INVALID_REQUEST'])
    }
  })
})
