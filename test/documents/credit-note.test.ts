import { describe, expect, test } from 'bun:test'
import { creditDocumentOf } from '../../src/documents/pdf/credit-document.ts'
import { english } from '../../src/documents/words/english.ts'
import { type Language, languages } from '../../src/documents/words/language.ts'
import { wordsIn } from '../../src/documents/words/tables.ts'
import { ciiOf } from '../../src/documents/xml/cii.ts'
import { eCreditNoteOf } from '../../src/documents/xml/credit-note.ts'
import { eInvoiceOf } from '../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../src/documents/xml/ubl.ts'
import type { CreditNote } from '../../src/domain/credit-notes/credit-note.ts'
import { readEInvoice } from '../support/e-invoice.ts'
import { parseXml } from '../support/xml.ts'
import { creditNoteOf, lined } from './lined.ts'
import { variants } from './variants.ts'

const { 'three lines at two rates': invoice } = lined
const all = creditNoteOf(invoice)
const one = creditNoteOf(invoice, [2])

const refund = {
  payer: '0xbb',
  refundTo: '0xbb',
  usdcBase: 1_899_450_000n,
  sequence: 0,
  proof: null,
  receiptId: null,
}
const paidBack: CreditNote = { ...all, progress: { wallets: [], refunds: [refund] } }

describe('the page of a credit note', () => {
  test('names itself, the invoice that it credits, and why', () => {
    const { number, title, labels, facts, notes } = creditDocumentOf(all, invoice, english)
    expect([number, title, labels.heading]).toEqual([
      'CN-2026-0001',
      'Credit note CN-2026-0001',
      'Credit note',
    ])
    expect(facts).toEqual([
      { label: 'Date of issue', value: '2 June 2026' },
      { label: 'Invoice', value: 'INV-2026-0001, 1 May 2026' },
      { label: 'Buyer reference', value: 'COST-CENTRE 7' },
    ])
    expect(notes).toEqual([
      'Reason: Returned',
      'The amount due of INV-2026-0001 is lowered by 1,899.45 USDC.',
    ])
  })

  test('has the lines that it credits, else what it takes off each rate', () => {
    const rows = (note: CreditNote) =>
      creditDocumentOf(note, invoice, english).items.map(({ description, ...figures }) => [
        description[0],
        ...Object.values(figures),
      ])
    expect(rows(one)).toEqual([['Printed handbook', '3', '24.90 EUR', '7%', '74.70 EUR']])
    expect(rows(all)).toEqual([
      ['Credit for INV-2026-0001', '1', '1,529.01 EUR', '19%', '1,529.01 EUR'],
      ['Credit for INV-2026-0001', '1', '74.70 EUR', '7%', '74.70 EUR'],
    ])
    expect(creditDocumentOf(one, invoice, english).total.value).toBe('79.93 EUR')
  })

  test('says what is paid back, and when it has been', () => {
    const { notes, badge } = creditDocumentOf(paidBack, invoice, english)
    expect(notes[1]).toBe('1,899.45 USDC is paid back on Base.')
    expect(badge).toBeNull()
    const refunded = creditDocumentOf({ ...paidBack, state: 'refunded' }, invoice, english)
    expect(refunded.badge).toEqual({ label: '✓ Refunded', tone: 'done' })
  })

  test.each<[Language, string]>([
    ['en', 'Credit note'],
    ['de', 'Rechnungskorrektur'],
    ['fr', 'Avoir'],
    ['es', 'Factura rectificativa'],
    ['it', 'Nota di credito'],
    ['nl', 'Creditnota'],
    ['pl', 'Faktura korygująca'],
    ['pt', 'Nota de crédito'],
  ])('is called in %s: %s', (language, title) => {
    expect(creditDocumentOf(all, invoice, wordsIn(language)).labels.heading).toBe(title)
  })

  test.each(languages)('names its facts differently in %s', (language) => {
    const { facts } = creditDocumentOf(all, invoice, wordsIn(language))
    expect(new Set(facts.map(({ label }) => label)).size).toBe(facts.length)
  })
})

describe('the XML of a credit note', () => {
  test('is type 381, a UBL CreditNote, and names the invoice (BG-3)', () => {
    const ubl = ublOf(eCreditNoteOf(all, invoice))
    expect(parseXml(ubl).name).toBe('CreditNote')
    const { type, number, precedes, notes, dueOn, terms, sums } = readEInvoice(ubl)
    expect([type, number, dueOn]).toEqual(['381', 'CN-2026-0001', undefined])
    expect(precedes).toEqual([{ number: 'INV-2026-0001', issuedOn: '2026-05-01' }])
    expect([notes, terms]).toEqual([
      'Returned',
      'The amount due of INV-2026-0001 is lowered by 1,899.45 USDC.',
    ])
    expect(sums).toMatchObject({ net: '1603.71', tax: '295.74', payable: '1899.45' })
  })

  test('taking everything back, states the figures of its invoice', () => {
    for (const it of [...Object.values(lined), variants.settled, variants['due, without tax']]) {
      const credit = readEInvoice(ciiOf(eCreditNoteOf(creditNoteOf(it), it)))
      const { sums, breakdown } = readEInvoice(ciiOf(eInvoiceOf(it)))
      expect(credit.breakdown.map(({ category, tax }) => [category, tax])).toEqual(
        breakdown.map(({ category, tax }) => [category, tax]),
      )
      expect(credit.sums.tax).toBe(sums.tax)
    }
  })

  test('of a part of a line: the price is for what is credited where a product would not be the net', () => {
    const lines = [{ line: 1, quantity: '0.333333', netUnits: 4_003n }]
    const part = { ...one, terms: { ...one.terms, lines } }
    const [line] = eCreditNoteOf(part, invoice).lines
    expect(line).toMatchObject({ unitPrice: '40.03', priceQuantity: '0.333333', net: '40.03' })
  })
})
