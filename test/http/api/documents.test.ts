import { beforeAll, describe, expect, test } from 'bun:test'
import { edition } from '../../../src/documents/pdf/invoice-document.ts'
import { linedTerms } from '../../documents/lined.ts'
import { anInvoice } from '../../support/app.ts'
import { readEInvoice } from '../../support/e-invoice.ts'
import { brokenRules } from '../../support/en16931.ts'
import { drawnOnce, inspectPdf } from '../../support/pdf.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { useWorld } from '../../support/world.ts'
import { parseXml, textsAt } from '../../support/xml.ts'

const { app, sql } = useWorld({ env: { ROLE: 'http' } })
let id: string

const body = {
  amount: 125_000,
  currency: 'USD',
  taxCountry: 'DE',
  description: 'Data enrichment',
  buyer: { companyName: 'Ada Example Ltd', email: 'ada@example.com', vat: 'IE1' },
  seller: { name: 'Żółć GmbH', address: '2 Example Road, Paris', wallet: `0x${'aa'.repeat(20)}` },
}
const warnings = 'seller_vat_missing, buyer_address_missing, buyer_vat_format, tax_currency_missing'

beforeAll(async () => {
  id = (await app.send('POST', '/api/invoices', body)).json.id
  await drawnOnce(app, id)
})

const get = (path: string, headers = {}) => app.send('GET', path, undefined, headers)
const pdf = (invoiceId: string) => `/api/invoices/${invoiceId}/pdf`
const xml = (invoiceId: string, query = '') => `/api/invoices/${invoiceId}/xml${query}`

async function bytesOf(path: string): Promise<Uint8Array> {
  const response = await fetch(app.url + path, { headers: { 'x-api-key': app.account.v1Key } })
  return response.bytes()
}

describe('200', () => {
  test('a PDF comes with its name, a tag, and what may be wrong with it', async () => {
    const { status, headers } = await get(pdf(id))
    expect(status).toBe(200)
    expect(headers.toJSON()).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'inline; filename="INV-2026-0001.pdf"',
      'cache-control': 'private, no-cache',
      etag: `"${id}-1-${edition}-de-1487500000-pdf"`,
      'x-document-warnings': warnings,
      'x-request-id': expect.any(String),
    })
    const { isPdf, pages, attachment } = inspectPdf(await bytesOf(pdf(id)))
    expect([isPdf, pages]).toEqual([true, 1])
    expect(attachment).toBe((await get(xml(id, '?format=cii'))).text)
  })

  test('a PDF is in the language asked for, else in that of the tax country, and has a tag for each', async () => {
    const asked = async (headers: Record<string, string>) => {
      const { headers: got } = await get(pdf(id), headers)
      return [got.get('content-language'), got.get('vary'), got.get('etag')]
    }
    const tag = (language: string) => `"${id}-1-${edition}-${language}-1487500000-pdf"`
    expect(await asked({})).toEqual(['de', 'accept-language', tag('de')])
    expect(await asked({ 'accept-language': 'fr-CA' })).toEqual([
      'fr',
      'accept-language',
      tag('fr'),
    ])
    const stale = { 'accept-language': 'fr', 'if-none-match': tag('de') }
    expect((await get(pdf(id), stale)).status).toBe(200)
    expect((await get(pdf(id), { ...stale, 'if-none-match': tag('fr') })).status).toBe(304)
  })

  test('XML is UBL, or CII if asked for', async () => {
    const { headers, text } = await get(xml(id))
    expect(headers.toJSON()).toMatchObject({
      'content-type': 'application/xml',
      'content-disposition': 'inline; filename="INV-2026-0001.ubl.xml"',
      'x-document-warnings': warnings,
    })
    expect((await get(xml(id, '?format=ubl'))).text).toBe(text)
    expect(textsAt(parseXml(text), 'cac:LegalMonetaryTotal', 'cbc:PayableAmount')).toEqual([
      '1487.50',
    ])
    const cii = await get(xml(id, '?format=cii'))
    expect(cii.headers.get('content-disposition')).toEndWith('"INV-2026-0001.cii.xml"')
    expect(parseXml(cii.text).name).toBe('rsm:CrossIndustryInvoice')
  })

  test('the same invoice is the same bytes, another state another tag', async () => {
    const [first, second] = await Promise.all([bytesOf(pdf(id)), bytesOf(pdf(id))])
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(true)
    const other = (await app.send('POST', '/api/invoices', body)).json.id
    const before = (await get(pdf(other))).headers.get('etag')
    await app.send('POST', `/api/invoices/${other}/send`)
    expect((await get(pdf(other))).headers.get('etag')).not.toBe(before)
  })

  test('an invoice of /v1 has them, too', async () => {
    const madeInV1 = await anInvoice(app, { amount: '12.345678' })
    const { headers, text } = await get(xml(madeInV1))
    expect(text).toContain('<cbc:PriceAmount currencyID="USD">12.345678</cbc:PriceAmount>')
    expect(headers.get('x-document-warnings')).toBe(
      'seller_name_missing, seller_address_missing, seller_country_missing, seller_id_missing, ' +
        'buyer_address_missing, buyer_country_missing',
    )
    expect(inspectPdf(await bytesOf(pdf(madeInV1))).pages).toBe(1)
  })
})

describe('304', () => {
  test.each([pdf, xml])('who has the document is not sent it again', async (path) => {
    const etag = (await get(path(id))).headers.get('etag') ?? ''
    const again = await get(path(id), { 'if-none-match': etag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    for (const known of [`W/${etag}`, `"another", W/"one" , ${etag}`, '*']) {
      const { status, text } = await get(path(id), { 'if-none-match': known })
      expect([known, status, text]).toEqual([known, 304, ''])
    }
    expect((await get(path(id), { 'if-none-match': '"another"' })).status).toBe(200)
  })
})

describe('the documents of a credit note', () => {
  const files = (noteId: string, rest: string) => `/api/credit-notes/${noteId}/${rest}`

  test('are a PDF in the language asked for, and XML that names the invoice', async () => {
    const { id: credited } = (await app.send('POST', '/api/invoices', body)).json
    const path = `/api/invoices/${credited}/credit-notes`
    const { json: note } = await app.send('POST', path, { reason: 'Returned', amount: 11_900 })
    const { headers } = await get(files(note.id, 'pdf'), { 'accept-language': 'pl' })
    expect(headers.toJSON()).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${note.creditNoteNumber}.pdf"`,
      'content-language': 'pl',
      etag: `"${note.id}-1-${edition}-pl-pdf"`,
    })
    const { text } = await get(files(note.id, 'xml?format=cii'))
    expect(inspectPdf(await bytesOf(files(note.id, 'pdf'))).attachment).toBe(text)
    const said = readEInvoice((await get(files(note.id, 'xml'))).text)
    expect(said).toEqual(readEInvoice(text))
    expect(said).toMatchObject({
      kind: 'credit_note',
      number: note.creditNoteNumber,
      precedes: [{ number: note.invoiceNumber }],
      sums: { net: '100.00', tax: '19.00', payable: '119.00' },
    })
    expect((await get(xml(credited))).text).toContain('Credited so far: 119.00 USD.')
  })

  test('of another account, or of none, are not found', async () => {
    for (const rest of ['pdf', 'xml'])
      expect((await get(files(Bun.randomUUIDv7(), rest))).status).toBe(404)
    expect((await get(files('x', 'xml?format=x'))).status).toBe(400)
  })
})

describe('Peppol BIS Billing 3.0', () => {
  test('is UBL with the profile and the electronic addresses of both parties', async () => {
    const over = linedTerms([{ unitPrice: '100', category: 'reverse_charge' }])
    const { id: lined } = await storedInvoice(sql, app.account.account.id, over)
    const { status, headers, text } = await get(xml(lined, '?format=peppol'))
    expect(status).toBe(200)
    expect(headers.get('content-disposition')).toEndWith('.peppol.xml"')
    const said = readEInvoice(text)
    expect(brokenRules(said)).toEqual([])
    const addresses = [said.seller, said.buyer].map(({ scheme, endpoint }) => [scheme, endpoint])
    expect(addresses).toEqual([
      ['9930', 'DE136695976'],
      ['9935', 'IE6388047V'],
    ])
  })

  test('409 names everything that is missing', async () => {
    const { status, json } = await get(xml(id, '?format=peppol'))
    expect([status, json.error.code]).toEqual([409, 'INVALID_STATE'])
    expect(json.error.message).toBe('Peppol needs what is missing here: buyerReference, seller.vat')
    expect(json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'buyerReference',
      'seller.vat',
    ])
  })

  test('warns where the country of the seller has rules of its own', async () => {
    const { seller, buyer, ...rest } = linedTerms([{ unitPrice: '100' }])
    const german = { ...buyer, country: 'DE', vat: 'DE136695976' }
    const { id: domestic } = await storedInvoice(sql, app.account.account.id, {
      ...rest,
      seller,
      buyer: german,
    })
    const { headers } = await get(xml(domestic, '?format=peppol'))
    expect(headers.get('x-document-warnings')).toBe('peppol_national_rules')
    expect((await get(xml(domestic))).headers.has('x-document-warnings')).toBe(false)
  })
})

describe('400', () => {
  test.each(['?format=pdf', '?format=', '?format=UBL', '?format=ubl&format=cii'])(
    '%s is no format',
    async (query) => {
      const { status, json } = await get(xml(id, query))
      expect([status, json.error.code, json.error.details]).toEqual([
        400,
        'INVALID_REQUEST',
        [{ path: 'format', message: 'must be one of ubl, cii, peppol' }],
      ])
    },
  )
})
