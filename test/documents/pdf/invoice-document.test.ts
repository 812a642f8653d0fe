import { describe, expect, test } from 'bun:test'
import jsQR from 'jsqr'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { type Qr, qrOf } from '../../../src/documents/pdf/qr.ts'
import { clean } from '../../../src/documents/texts.ts'
import { english } from '../../../src/documents/words/english.ts'
import type { Language } from '../../../src/documents/words/language.ts'
import { wordsIn } from '../../../src/documents/words/tables.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { after } from '../../support/invoice.ts'
import { lined } from '../lined.ts'
import { variants } from '../variants.ts'

const { money, percent, say } = english
const paidThroughProxy = say('paidThroughProxy')
const recordedOnly = say('recordedOnly')
const { due, expired } = variants
const { 'partly paid': partlyPaid } = variants

describe('the document of an invoice', () => {
  test('has what VAT Directive art. 226 asks for', () => {
    const { number, facts, seller, buyer, items, totals, total } = documentOf(due, english)
    expect(number).toBe('INV-2026-0001')
    expect(facts[0]).toEqual({ label: 'Date of issue', value: '1 May 2026' })
    expect(seller).toEqual({
      name: 'Grace Example GmbH',
      lines: ['Beispielstraße 12', '10115 Berlin', 'Germany', 'VAT id DE136695976'],
    })
    expect([buyer?.name, buyer?.lines.at(-1)]).toEqual(['Ada Example Ltd', 'VAT id IE6388047V'])
    expect(items).toEqual([
      {
        description: ['Data enrichment, April 2026: 12,400 records'],
        quantity: '1',
        unitPrice: '1,250.00 USD',
        taxRate: '19%',
        amount: '1,250.00 USD',
      },
    ])
    expect(totals).toEqual([
      { label: 'Subtotal, excluding VAT', value: '1,250.00 USD' },
      { label: 'VAT 19%, Germany', value: '237.50 USD' },
    ])
    expect(total.value).toBe('1,487.50 USD')
  })

  const whole = { heading: 'Pay 1,487.50 USDC on Base', uri: expect.any(String), hint: null }
  const restOnBase = { heading: 'Pay 987.50 USDC on Base', uri: null, hint: null }
  const part = { heading: 'Partial payment' }
  test.each<[keyof typeof variants, string, string | null, payment: object | null, object | null]>([
    ['draft', 'Open', null, whole, null],
    ['due', 'Open', null, whole, null],
    ['due, of /v1, with fractions of a cent', 'Open', null, { uri: expect.any(String) }, null],
    ['partly paid', 'Partly paid', null, restOnBase, part],
    ['a draft, partly paid', 'Partly paid', null, restOnBase, part],
    ['partly paid, on Solana', 'Partly paid', null, { heading: 'Pay 987.50 USDC on Solana' }, part],
    ['paid', 'Being confirmed', null, null, { heading: 'Payment, not yet confirmed' }],
    ['settled', '✓ Paid', null, null, { heading: 'Payment' }],
    ['void', 'Voided', 'VOID', null, null],
    ['expired', 'Overdue', null, whole, null],
  ])('%s: status, how to pay, and what was received', (name, label, stamp, payment, settlement) => {
    expect(documentOf(variants[name], english)).toMatchObject({
      badge: { label },
      stamp,
      payment,
      settlement,
    })
  })

  test('asks for the amount kept apart for it, with its link, else for the reference', () => {
    const uri = 'ethereum:0x@8453/transfer?uint256=987500007'
    const asked = { usdcBase: 987_500_007n, needsReference: false, uri }
    expect(documentOf(partlyPaid, english, asked).payment).toMatchObject({
      heading: 'Pay 987.500007 USDC on Base',
      uri,
      hint: null,
    })
    const none = { usdcBase: 987_500_000n, needsReference: true, uri: null }
    expect(documentOf(partlyPaid, english, none).payment).toMatchObject({
      uri: null,
      hint: expect.stringContaining('only by the reference'),
    })
  })

  test('notes that an expired invoice can still be paid, and that a purchase’s tax is only recorded', () => {
    expect(documentOf(expired, english).notes[0]).toStartWith('The due date has passed')
    expect(documentOf(variants['a purchase, with tax'], english).notes).toContain(recordedOnly)
  })

  test('asks for no transfer for a purchase, and notes how it is paid', () => {
    const open = documentOf(variants['a purchase, with tax'], english)
    expect([open.payment, open.notes[0]]).toEqual([null, paidThroughProxy])
    expect(documentOf(variants['a purchase, with tax, settled'], english).notes).not.toContain(
      paidThroughProxy,
    )
  })

  test('shows the purchase order of a purchase', () => {
    const orderOf = (invoice: Invoice) =>
      documentOf(invoice, english).facts.filter(({ label }) => label === 'Purchase order')
    expect(orderOf(variants['a purchase, of an order'])).toEqual([
      { label: 'Purchase order', value: 'PO-7' },
    ])
    expect(orderOf(variants['a purchase, with tax'])).toEqual([])
  })

  test('shows who paid a settled invoice, when, where, and any excess', () => {
    const { settlement } = documentOf(variants['settled, overpaid, in euros'], english)
    expect(settlement).toEqual({
      heading: 'Payment',
      isConfirmed: true,
      facts: [
        { label: 'Received', value: '1,607.00 USDC on Base' },
        { label: 'Overpaid', value: '0.50 USDC' },
        { label: 'Exchange rate', value: '1 EUR = 1.08 USDC, indicative default, 1 May 2026' },
        { label: 'To', value: '0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345' },
        { label: 'From', value: '0x00000000000000000000000000000000000000bb' },
        { label: 'Confirmed', value: '1 May 2026, 12:00 UTC, block 24105337' },
        { label: 'Receipt', value: 'drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21' },
      ],
      transfers: [
        {
          label: 'Transaction',
          value: `0x${'5e'.repeat(32)}`,
          link: `https://basescan.org/tx/0x${'5e'.repeat(32)}`,
        },
      ],
    })
  })

  test('is complete even for an invoice with minimal terms', () => {
    const { buyer, seller, items, notes } = documentOf(
      after([], { seller: { name: null, email: null, address: null, vat: null, wallet: null } }),
      english,
    )
    expect([seller, buyer?.lines]).toEqual([{ name: '—', lines: [] }, ['buyer@example.com']])
    expect([items[0]?.description, notes]).toEqual([['Services'], ['No VAT has been charged.']])
    const nobody = { name: null, email: null, address: null, vat: null }
    expect(documentOf(after([], { buyer: nobody }), english).buyer).toBeNull()
  })
})

describe('the document of an invoice with lines', () => {
  test('has a row for each line, with its unit, and a line of tax for each rate', () => {
    const { items, totals, total } = documentOf(lined['three lines at two rates'], english)
    const rows = items.map(({ description, ...figures }) => [
      description.join(' | '),
      ...Object.values(figures),
    ])
    expect(rows).toEqual([
      ['Consulting, April', '12.5 hrs', '120.00 EUR', '19%', '1,500.00 EUR'],
      ['Printed handbook | ISBN 978-3-16-148410-0', '3', '24.90 EUR', '7%', '74.70 EUR'],
      ['Storage, by the gigabyte', '1,234.567 GB', '0.0235 EUR', '19%', '29.01 EUR'],
    ])
    expect(totals).toEqual([
      { label: 'Subtotal, excluding VAT', value: '1,603.71 EUR' },
      { label: 'VAT 19%, Germany on 1,529.01 EUR', value: '290.51 EUR' },
      { label: 'VAT 7%, Germany on 74.70 EUR', value: '5.23 EUR' },
    ])
    expect(total.value).toBe('1,899.45 EUR')
  })

  test('shows the buyer’s reference, and the country of a party whose address lacks it', () => {
    const { terms } = lined['reverse charge alone']
    const buyer = { ...terms.buyer, address: '1 Example Street' }
    const document = documentOf(after([], { ...terms, buyer }), wordsIn('fr'))
    expect(document.facts).toContainEqual({
      label: 'Référence de l’acheteur',
      value: 'COST-CENTRE 7',
    })
    expect(document.buyer?.lines.slice(0, 2)).toEqual(['1 Example Street', 'Irlande'])
    expect(document.seller.lines.slice(0, 3)).toEqual([
      'Beispielstraße 12',
      '10115 Berlin',
      'Germany',
    ])
  })

  test.each<[Language, string]>([
    ['en', 'Reverse charge: the customer is liable for the VAT.'],
    ['de', 'Steuerschuldnerschaft des Leistungsempfängers.'],
    ['fr', 'Autoliquidation : la TVA est due par le preneur.'],
    ['es', 'Inversión del sujeto pasivo.'],
    ['it', 'Inversione contabile: l’IVA è a carico del committente.'],
    ['nl', 'Btw verlegd.'],
    ['pl', 'Odwrotne obciążenie.'],
    ['pt', 'IVA – autoliquidação.'],
  ])('says in %s why no tax is charged', (language, sentence) => {
    expect(documentOf(lined['reverse charge alone'], wordsIn(language)).notes).toEqual([sentence])
    const { notes } = documentOf(
      lined['a line of each untaxed category but one'],
      wordsIn(language),
    )
    expect(notes.length).toBe(4)
    expect(notes[0]).toContain('VATEX-EU-132-1I')
  })
})

describe('texts', () => {
  test('money is grouped, with at least two decimals where the currency has them', () => {
    expect(money(9_007_199_254_740_991n, 6, 'USDC')).toBe('9,007,199,254.740991 USDC')
    expect(money(100_000n, 2, 'EUR')).toBe('1,000.00 EUR')
    expect(money(1_000_000n, 0, 'JPY')).toBe('1,000,000 JPY')
    const percents = ['19%', '25.5%', '0%']
    expect([1_900, 2_550, 0].map(percent)).toEqual(percents)
  })

  test('invisible characters are removed', () => {
    expect(clean('\u202eA\u0007\u200b\u00adB\ufeff\uffff\r\nC\tD ')).toBe('AB\nC D')
  })
})

describe('the code to scan', () => {
  test.each([
    'ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x8f3c&uint256=1',
    `solana:EPjF?amount=14.875&spl-token=EPjF&reference=${'r'.repeat(44)}&memo=0x${'3d'.repeat(32)}`,
  ])('is read back as %s', (uri) => {
    const { pixels, side } = photograph(qrOf(uri))
    expect(jsQR(pixels, side, side)?.data).toBe(uri)
  })
})

const scale = 4

/** Renders a QR code for a reader: four pixels per module, RGBA. */
function photograph({ path, side }: Qr): { pixels: Uint8ClampedArray; side: number } {
  const width = side * scale
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
    for (let row = 0; row < scale; row++) {
      const start = (Number(y) * scale + row) * width + Number(x) * scale
      for (let at = start; at < start + Number(length) * scale; at++)
        pixels.set([0, 0, 0, 255], at * 4)
    }
  }
  return { pixels, side: width }
}
