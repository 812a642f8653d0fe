import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { edition } from '../../../src/documents/pdf/edition.ts'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
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

// Where the print of a known invoice changes, raise the edition with it: whoever has the document
// of the edition before would be told that it is still the same. A new invoice only adds a line.
test('the documents of an edition stay as they are', () => {
  const prints = Object.entries(variants).map(([name, invoice]) => [name, printOf(invoice)])
  expect({ edition, ...Object.fromEntries(prints) }).toEqual({
    edition: 9,
    draft: 'a2bac10b83c2',
    due: '4cdfddb003f7',
    'due, made a month before it was sent': 'fa38b47245db',
    'due, of /v1, with fractions of a cent': '310490644a34',
    'due, with nothing said that need not be': '5ec7813da46b',
    'due, without tax': 'd0ea5ba002e5',
    'due, with ids that are no VAT ids': '736d77c9a85c',
    'due, by the one-stop shop': 'a581bae08e87',
    'due, in yen': 'b8d99e31fbf2',
    'partly paid': 'eee3add6eaf1',
    'a draft, partly paid': 'eee3add6eaf1',
    'partly paid, on Solana': '4984bcab473e',
    paid: 'aa38b6f354b2',
    settled: 'b1f6ec1ba223',
    'settled, overpaid, in euros': 'c0a2858e42f7',
    void: '8790b3b4cc9e',
    expired: '39db531c09df',
    'expired, partly paid': '4ec5ab642e16',
    'a purchase, with tax': '6217ff634b24',
    'a purchase, with tax, settled': 'cfbbbabf70e7',
    'a purchase, of an order': '68aab747017e',
    'in many alphabets': '4c791cafadfa',
    'of long texts': 'b113bf4136f7',
  })
})
