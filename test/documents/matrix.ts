import { ciiOf } from '../../src/documents/xml/cii.ts'
import { eCreditNoteOf } from '../../src/documents/xml/credit-note.ts'
import { type EInvoice, eInvoiceOf } from '../../src/documents/xml/einvoice.ts'
import { peppolOf } from '../../src/documents/xml/peppol.ts'
import { ublOf } from '../../src/documents/xml/ubl.ts'
import { taxCategories } from '../../src/domain/invoices/lines.ts'
import { creditNoteOf, lined, linedInvoice } from './lined.ts'

/** A text in each language that documents are made in. */
const texts = [
  'Consulting in May, “as agreed”',
  'Beratung im Mai – größere Änderungen & Prüfung',
  'Conseil en mai : déplacement à l’étranger',
  'Asesoría de mayo: diseño y señalización',
  'Consulenza di maggio, com’è stato concordato',
  'Advies in mei, coördinatie en reïntegratie',
  'Doradztwo w maju: zażółć gęślą jaźń',
  'Consultoria em maio: informação e revisão',
]

/** With two, none, three and six decimals. */
const currencies = ['EUR', 'JPY', 'KWD', 'USDC']

const invoices = [
  ...taxCategories.flatMap((category, at) =>
    currencies.map((currency) => {
      const description = texts[at] ?? ''
      const line = { description, quantity: '3.5', unit: 'HUR', unitPrice: '33.333', category }
      const other = { description, unitPrice: '100.01', category }
      return [`${category}-${currency}`, linedInvoice([line, other], { currency })] as const
    }),
  ),
  ...Object.entries(lined).map(([name, it]) => [name.replace(/\W+/g, '-'), it] as const),
]

/** Invoices of each category in each currency, each with notes for all and for its first line. */
export const stated: readonly (readonly [name: string, EInvoice])[] = invoices.flatMap(
  ([name, invoice]) => [
    [name, eInvoiceOf(invoice)],
    [`${name}-credited`, eCreditNoteOf(creditNoteOf(invoice), invoice)],
    [`${name}-credited-in-part`, eCreditNoteOf(creditNoteOf(invoice, [1]), invoice)],
  ],
)

export type File = {
  readonly name: string
  readonly syntax: 'UBL' | 'CII' | 'Peppol'
  readonly xml: string
}

/** Peppol has no address for who has no VAT id. */
export const files: readonly File[] = stated.flatMap(([name, it]) => {
  const isRouted = it.breakdown.every(({ category }) => category !== 'O')
  return [
    { name, syntax: 'UBL' as const, xml: ublOf(it) },
    { name, syntax: 'CII' as const, xml: ciiOf(it) },
    ...(isRouted ? [{ name, syntax: 'Peppol' as const, xml: ublOf(peppolOf(it)) }] : []),
  ]
})
