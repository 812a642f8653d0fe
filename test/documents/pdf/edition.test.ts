import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { documentOf, edition } from '../../../src/documents/pdf/invoice-document.ts'
import { english } from '../../../src/documents/words/english.ts'
import { ciiOf } from '../../../src/documents/xml/cii.ts'
import { eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../../src/documents/xml/ubl.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { variants } from '../variants.ts'

/** What the page, the UBL and the CII of an invoice say. How the page looks is not in it. */
function printOf(invoice: Invoice): string {
  const said = eInvoiceOf(invoice)
  const texts = [...valuesIn(documentOf(invoice, english)), ublOf(said), ciiOf(said)]
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
    draft: '8fefaea408b3',
    due: '8fefaea408b3',
    'due, made a month before it was sent': '14936fe43895',
    'due, of /v1, with fractions of a cent': 'b154a80f81b0',
    'due, with nothing said that need not be': 'a05fb5c45ada',
    'due, without tax': '1d885c878961',
    'due, with ids that are no VAT ids': '37f8fee64152',
    'due, by the one-stop shop': '346e9f0764ed',
    'due, in yen': 'eb3fcef46775',
    'partly paid': 'ca0b95634253',
    'a draft, partly paid': 'ca0b95634253',
    'partly paid, on Solana': '7e4570057e88',
    paid: '53d31ce04e36',
    settled: 'cc68b47ea4ba',
    'settled, overpaid, in euros': '4754ad07be1f',
    void: '6fb873e17883',
    expired: '03ce381b4719',
    'expired, partly paid': '0135083a13b6',
    'a purchase, with tax': '2cd7826edea2',
    'a purchase, with tax, settled': '815bf5f18541',
    'a purchase, of an order': '8b816499a6d4',
    'in many alphabets': 'a13364ba74c9',
    'of long texts': '813a4dbeef36',
  })
})
