import type { Command } from '../../src/domain/invoices/decide.ts'
import type { Invoice } from '../../src/domain/invoices/invoice.ts'
import { after, payment, terms } from '../support/invoice.ts'

/** Invoices whose documents differ in appearance. */

const seller = {
  name: 'Grace Example GmbH',
  email: null,
  address: 'Beispielstraße 12\n10115 Berlin\nGermany',
  vat: 'DE136695976',
  wallet: null,
}
const buyer = {
  name: 'Ada Example Ltd',
  email: 'ada@example.com',
  address: '1 Example Street\nDublin 2\nIreland',
  vat: 'IE6388047V',
}
const payTo = '0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345'

const dollars = terms({
  form: 'api',
  seller,
  buyer,
  description: 'Data enrichment, April 2026: 12,400 records',
  currency: 'USD',
  scale: 2,
  subtotalUnits: 125_000n,
  tax: { countryCode: 'DE', rateBasisPoints: 1900, taxUnits: 23_750n },
  totalUnits: 148_750n,
  dueUsdcBase: 1_487_500_000n,
  payTo,
  reference: `0x${'3d'.repeat(32)}`,
  dueAt: '2026-05-31T23:59:59.000Z',
  agentId: 'agent-7',
})

const euros = {
  ...dollars,
  currency: 'EUR',
  fx: { rate: '1.08', source: 'indicative default', asOf: '2026-05-01T00:00:00.000Z' },
  dueUsdcBase: 1_606_500_000n,
}

const decimals = {
  ...dollars,
  form: 'v1' as const,
  currency: 'USDC',
  scale: 6,
  subtotalUnits: 12_345_000n,
  tax: { countryCode: 'DE', rateBasisPoints: 1900, taxUnits: 2_345_550n },
  totalUnits: 14_690_550n,
  dueUsdcBase: 14_690_550n,
}

const purchase = { ...dollars, isPurchase: true as const, dueUsdcBase: 1_250_000_000n }

// As the proxy makes it of a 402.
const bought = {
  ...decimals,
  form: 'api' as const,
  seller: { name: 'api.example.com', email: null, address: null, vat: null, wallet: payTo },
  description: 'GET https://api.example.com/report',
  dueAt: null,
  dueUsdcBase: 12_345_000n,
  isPurchase: true as const,
  poNumber: 'PO-7',
}

const alphabets = {
  ...dollars,
  seller: {
    ...seller,
    name: 'Ελληνική Εταιρεία Α.Ε. — Żółć & <Söhne>',
    address: 'ул. Тверская, 7\nМосква\nñ ő ğ',
  },
  description:
    'Zażółć gęślą jaźń ✓\nСъешь ещё этих мягких французских булок\nΞεσκεπάζω την ψυχοφθόρα',
}

const longTexts = {
  ...dollars,
  seller: { ...seller, name: 'W'.repeat(256), address: 'A'.repeat(500) },
  buyer: { ...buyer, name: 'Long name '.repeat(25), address: 'Line\n'.repeat(100) },
  description: `${'Lorem ipsum dolor sit amet '.repeat(110)}\n${'x'.repeat(1_000)}`,
  agentId: 'agent '.repeat(40),
}

const send: Command = { kind: 'send' }
const transfer = payment({
  txHash: `0x${'5e'.repeat(32)}`,
  usdcBase: 1_487_500_000n,
  blockNumber: 24_105_337,
})
const credit = (usdcBase = transfer.usdcBase): Command => ({
  kind: 'credit',
  payment: { ...transfer, usdcBase },
})
const confirm: Command = {
  kind: 'confirm',
  key: transfer.key,
  blockNumber: 24_105_337,
  from: transfer.from,
  confirmations: 5,
  settlementId: 'stl',
  receiptId: 'drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21',
}

export const variants = {
  draft: after([], dollars),
  due: after([send], dollars),
  'due, made a month before it was sent': {
    ...after([send], dollars),
    createdAt: '2026-04-01T12:00:00.000Z',
  },
  'due, of /v1, with fractions of a cent': after([], decimals),
  'due, with nothing said that need not be': after([]),
  'due, without tax': after([send], {
    ...dollars,
    tax: { countryCode: 'US', rateBasisPoints: 0, taxUnits: 0n },
    totalUnits: 125_000n,
    mandateId: 'mnd-1',
  }),
  'due, with ids that are no VAT ids': after([send], {
    ...dollars,
    seller: { ...seller, vat: '12-3456789', wallet: payTo },
    buyer: { ...buyer, vat: '98 7654321' },
  }),
  'due, by the one-stop shop': after([send], {
    ...euros,
    seller: { ...seller, vat: 'EU372000041', wallet: payTo },
    buyer: { ...buyer, vat: null },
  }),
  'due, in yen': after([send], { ...euros, currency: 'JPY', scale: 0 }),
  'partly paid': after([send, credit(500_000_000n)], dollars),
  'a draft, partly paid': after([credit(500_000_000n)], dollars),
  'partly paid, on Solana': after([send, credit(500_000_000n)], {
    ...dollars,
    chain: 'solana',
    payTo: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    usdcAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  }),
  paid: after([send, credit()], dollars),
  settled: after([send, credit(), confirm], dollars),
  'settled, overpaid, in euros': after([send, credit(1_607_000_000n), confirm], euros),
  void: after([send, { kind: 'void' }], dollars),
  expired: after([send, { kind: 'expire' }], { ...dollars, dueAt: '2026-04-30T00:00:00.000Z' }),
  'expired, partly paid': after([send, credit(500_000_000n), { kind: 'expire' }], {
    ...dollars,
    dueAt: '2026-04-30T00:00:00.000Z',
  }),
  'a purchase, with tax': after([send], purchase),
  'a purchase, with tax, settled': after([send, credit(1_250_000_000n), confirm], purchase),
  'a purchase, of an order': after([send], bought),
  'in many alphabets': after([send], alphabets),
  'of long texts': after([send], longTexts),
}

/** The invoice with these VAT ids of its parties. */
export function withVats(
  invoice: Invoice,
  sellerVat: string | null,
  buyerVat: string | null,
): Invoice {
  const { terms } = invoice
  const seller = { ...terms.seller, vat: sellerVat }
  return { ...invoice, terms: { ...terms, seller, buyer: { ...terms.buyer, vat: buyerVat } } }
}
