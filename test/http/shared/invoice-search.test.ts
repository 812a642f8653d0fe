import { beforeAll, describe, expect, test } from 'bun:test'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { anInvoice } from '../../support/app.ts'
import { heldTransfer } from '../../support/claims.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
let first: string
let second: string

beforeAll(async () => {
  first = await invoiceTo('Übel & "Söhne" GmbH', 'ada@example.com')
  second = await invoiceTo('100 % Cotton_Ltd', 'Grace@Example.org')
  await invoiceTo('Nobody', 'nobody@example.net', app.other.v1Key)
})

function invoiceTo(customerName: string, customerEmail: string, key?: string) {
  return anInvoice(app, { customerName, customerEmail }, key)
}

async function search(text: string, query = '', family = '/api') {
  const path = `${family}/invoices?search=${encodeURIComponent(text)}${query}`
  const { json } = await app.send('GET', path)
  return json.data.map(({ id }: { id: string }) => id)
}

describe('a search of invoices', () => {
  test('finds by a part of the buyer’s name or address, whatever the case, and takes every character as it is', async () => {
    for (const text of ['Übel', 'übel', '"SÖHNE"', '"söhne"', '& "', 'ADA@example', '  gmbh ']) {
      expect([text, await search(text)]).toEqual([text, [first]])
    }
    for (const text of ['0 % c', 'cotton_', 'grace@EXAMPLE.org']) {
      expect([text, await search(text)]).toEqual([text, [second]])
    }
    expect(await search("'")).toEqual([])
    expect(await search('%')).toEqual([second])
  })

  test('finds by number, with or without its year, and by id', async () => {
    const year = new Date().getUTCFullYear()
    for (const text of [`INV-${year}-0001`, `${year}-1`, '1', first]) {
      expect([text, await search(text)]).toEqual([text, [first]])
    }
    expect(await search('INV-1999-0001')).toEqual([])
  })

  test('finds by reference, and by the transaction that paid', async () => {
    const { json } = await app.send('GET', `/api/invoices/${second}`)
    expect(await search(json.paymentDetails.reference)).toEqual([second])
    const transfer = await heldTransfer(app.database.sql, { usdcBase: 7_250_000n })
    const [, txHash = ''] = transfer.split(':')
    expect(await search(txHash)).toEqual([])
    await app.database
      .sql`update transfers set invoice_id = ${first}, matched_by = 'operator', held_as = null where tx_hash = ${toBytes(txHash)}`
    expect(await search(txHash)).toEqual([first])
    expect(await search(txHash.toUpperCase().replace('0X', '0x'))).toEqual([first])
  })

  test('finds nothing of another account, whatever is known of it', async () => {
    const foreign = { 'x-api-key': app.other.v1Key }
    const { json } = await app.send('GET', `/api/invoices/${first}`)
    for (const text of [first, 'Übel', json.paymentDetails.reference]) {
      const path = `/v1/invoices?search=${encodeURIComponent(text)}`
      const found = await app.send('GET', path, undefined, foreign)
      expect([found.json.data, found.json.total]).toEqual([[], 0])
    }
  })

  test('goes together with the other filters, in every family and as CSV', async () => {
    expect(await search('example', '&limit=1')).toEqual([second])
    expect(await search('example', '&status=settled')).toEqual([])
    expect(await search('Übel', '', '/v1')).toEqual([first])
    expect(await search('Übel', '', '/api/v1')).toEqual([first])
    const csv = await app.send('GET', '/v1/invoices?search=cotton', undefined, {
      accept: 'text/csv',
    })
    expect(csv.text.trim().split('\n').length).toBe(2)
  })

  test('and the filter by agent take as many characters as an agent may have', async () => {
    const agentId = '🧾'.repeat(256)
    for (const query of ['agentId', 'search']) {
      const path = `/v1/invoices?${query}=${encodeURIComponent(agentId)}`
      expect((await app.send('GET', path)).status).toBe(200)
    }
  })

  test('400 for a text that is empty, too long, or has control characters', async () => {
    for (const text of ['', '🧾'.repeat(257), 'a\0b', 'a\nb']) {
      const path = `/v1/invoices?search=${encodeURIComponent(text)}`
      const { status, json } = await app.send('GET', path)
      expect([status, json.error.code]).toEqual([400, 'INVALID_REQUEST'])
    }
  })
})
