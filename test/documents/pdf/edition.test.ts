import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { documentOf, edition } from '../../../src/documents/pdf/invoice-document.ts'
import { english } from '../../../src/documents/words/english.ts'
import { ciiOf } from '../../../src/documents/xml/cii.ts'
import { eInvoiceOf } from '../../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../../src/documents/xml/ubl.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { lined } from '../lined.ts'
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
  const prints = Object.entries({ ...variants, ...lined }).map(([name, invoice]) => [
    name,
    printOf(invoice),
  ])
  expect({ edition, ...Object.fromEntries(prints) }).toEqual({
    edition: 1,
    draft: '004b65e1ee94',
    due: '004b65e1ee94',
    'due, made a month before it was sent': '954520913d1a',
    'due, of /v1, with fractions of a cent': 'b4e2ae69c37b',
    'due, with nothing said that need not be': 'fc2977349ca2',
    'due, without tax': 'e543af553c84',
    'due, with ids that are no VAT ids': '30a915897ccd',
    'due, by the one-stop shop': 'a904c1a7407f',
    'due, in yen': 'd06f864acc35',
    'partly paid': '1799f1096e5a',
    'a draft, partly paid': '1799f1096e5a',
    'partly paid, on Solana': '200d3c286ede',
    paid: '97b6e64b68d3',
    settled: '46645fa7df86',
    'settled, overpaid, in euros': '0174ad5d1b09',
    void: '3f3b72043e08',
    expired: '5b49a9e9e788',
    'expired, partly paid': 'ec8b01ab5583',
    'a purchase, with tax': '8b6fd55311e9',
    'a purchase, with tax, settled': 'dfdae040ed96',
    'a purchase, of an order': '018d522ed874',
    'in many alphabets': '71f5daa29380',
    'of long texts': '5329a2c0363b',
    'three lines at two rates': '411f11734700',
    'a line of each untaxed category but one': 'e517d4661e81',
    'reverse charge alone': 'f49402b84e9a',
    'outside the scope of VAT': 'dabe8cfc80eb',
    'in USDC, each line rounded': '78dd1fa11d19',
    'in yen, at prices with decimals': '13078f13b0e1',
    'in dinars': '20890fec388f',
  })
})
