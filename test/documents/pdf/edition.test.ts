import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { documentOf, edition } from '../../../src/documents/pdf/invoice-document.ts'
import { ciiOf } from '../../../src/documents/xml/cii.ts'
import { eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../../src/documents/xml/ubl.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { variants } from '../variants.ts'

/** What the page, the UBL and the CII of an invoice say. How the page looks is not in it. */
function printOf(invoice: Invoice): string {
  const said = eInvoiceOf(invoice)
  const texts = [...valuesIn(documentOf(invoice)), ublOf(said), ciiOf(said)]
  return hash('sha256', texts.join('\n')).slice(0, 12)
}

function valuesIn(value: unknown): readonly unknown[] {
  const isWhole = typeof value !== 'object' || value === null
  return isWhole ? [value] : Object.values(value).flatMap(valuesIn)
}

// If the print of an invoice changes after a release, raise the edition, so that cached copies are
// replaced. A new invoice only adds a line.
test('the documents of an edition do not change', () => {
  const prints = Object.entries(variants).map(([name, invoice]) => [name, printOf(invoice)])
  expect({ edition, ...Object.fromEntries(prints) }).toEqual({
    edition: 1,
    draft: 'a2bac10b83c2',
    due: '4cdfddb003f7',
    'due, made a month before it was sent': 'fa38b47245db',
    'due, of /v1, with fractions of a cent': '002597fc83e4',
    'due, with nothing said that need not be': '4680e8b9594c',
    'due, without tax': 'd0ea5ba002e5',
    'due, with ids that are no VAT ids': '736d77c9a85c',
    'due, by the one-stop shop': 'a581bae08e87',
    'due, in yen': 'b8d99e31fbf2',
    'partly paid': '20a3416ec5dc',
    'a draft, partly paid': '20a3416ec5dc',
    'partly paid, on Solana': '032628e7fc1f',
    paid: '2e2c35a58976',
    settled: 'b1f6ec1ba223',
    'settled, overpaid, in euros': 'c0a2858e42f7',
    void: 'c48f6550fdb1',
    expired: '9fc8d342c2ec',
    'expired, partly paid': 'c10f23100f81',
    'a purchase, with tax': '1d3a4580acb2',
    'a purchase, with tax, settled': '563002d22e0e',
    'a purchase, of an order': '9bb07a2d2e78',
    'in many alphabets': '4c791cafadfa',
    'of long texts': 'b113bf4136f7',
  })
})
