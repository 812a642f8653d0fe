import { expect, test } from 'bun:test'
import {
  hintOf,
  receiptLinkOf,
  remarksOf,
  statusTextOf,
  termsOf,
} from '../../../src/documents/payer-texts.ts'
import { code, type Term } from '../../../src/documents/texts.ts'
import { english } from '../../../src/documents/words/english.ts'
import { noProfile, type Profile } from '../../../src/domain/accounts/profile.ts'
import { leftUsdcBase } from '../../../src/domain/invoices/balance.ts'
import type { Command } from '../../../src/domain/invoices/decide.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import type { Payable } from '../../../src/domain/invoices/payable.ts'
import { paymentLink } from '../../../src/domain/invoices/payment-link.ts'
import type { Network } from '../../../src/domain/network.ts'
import { payableOf } from '../../../src/http/pages/payable.ts'
import { plainPayment } from '../../../src/http/pages/plain-payment.ts'
import { after, payment, terms } from '../../support/invoice.ts'

const credit = (usdcBase: bigint): Command => ({
  kind: 'credit',
  payment: payment({ usdcBase, key: `base:0x01:${usdcBase}` }),
})
const confirm = (usdcBase: bigint): Command => ({
  kind: 'confirm',
  key: `base:0x01:${usdcBase}`,
  blockNumber: 8,
  from: payment().from,
  confirmations: 5,
  settlementId: '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21',
  receiptId: 'drs_1',
})
const passed = { dueAt: '2026-04-30T12:00:00.000Z' }

function shown(
  commands: readonly Command[],
  over: Parameters<typeof terms>[0] = {},
  kept: {
    isHeld?: boolean
    needsReference?: boolean
    extraBase?: bigint
    accepts?: boolean
    profile?: Partial<Profile>
  } = {},
) {
  const { isHeld = false, needsReference = false, extraBase = 0n } = kept
  const invoices = {
    find: async () => undefined,
    accepts: () => kept.accepts ?? true,
    profileOf: async () => ({ ...noProfile, ...kept.profile }),
    heldFor: async () => (isHeld ? [heldPayment] : []),
    ask: async (invoice: Invoice) => ({
      usdcBase: leftUsdcBase(invoice) + extraBase,
      needsReference,
    }),
  }
  return payableOf(after(commands, over), invoices)
}

const linkOf = (usdcBase: bigint, chain: Network = 'base') =>
  paymentLink(terms({ chain }), usdcBase)
const part = [credit(4_500_000n), confirm(4_500_000n)]
const asked = (usdcBase: bigint): Command => ({
  kind: 'credit',
  payment: payment({ usdcBase, key: `base:0x01:${usdcBase}`, matchedBy: 'asked' }),
})
const taken = { needsReference: true }
const whole = credit(12_500_000n)
const ownAddress = { depositIndex: 7 }
const held = { isHeld: true }
const heldPayment = {
  txHash: `0x${'0d'.repeat(32)}`,
  amount: '12.50',
  from: `0x${'ee'.repeat(20)}`,
  blockTime: '2026-05-01T12:00:00.000Z',
  why: 'ambiguous',
} as const
const line = {
  ...{ description: 'Paper', quantity: '1', unit: 'C62', unitPrice: '1', netUnits: 100n },
  category: 'outside_scope',
  rateBasisPoints: 0,
} as const
const open = {
  ...{ status: 'draft', amountDue: '12.50', paymentUri: linkOf(12_500_000n), overpaidAmount: null },
  ...{ takesPayment: true, needsReference: false, isHeld: false, hasOwnAddress: false },
  qr: { side: expect.any(Number) },
}
const partly = {
  ...{ status: 'draft', statusDetail: 'partly_paid', paymentUri: linkOf(8_000_000n) },
  ...{ amountReceived: '4.50', amountRemaining: '8.00', takesPayment: true },
}
const closed = { takesPayment: false, paymentUri: null, qr: null, isLate: false, isExpired: false }
const late = [{ kind: 'expire' } as const, whole, confirm(12_500_000n)]

test.each<[string, Parameters<typeof shown>, object]>([
  ['an open invoice asks for all', [[]], { ...open, amountReceived: '0.00', isExpired: false }],
  ['a partly paid one asks for the rest', [part], { ...partly, needsReference: false }],
  [
    'it asks for an amount of its own, which its link requests, and says what is due',
    [[], {}, { extraBase: 7n }],
    {
      ...open,
      amountAsked: '12.500007',
      amountRemaining: '12.50',
      paymentUri: linkOf(12_500_007n),
    },
  ],
  [
    'where no amount is left, it has no link without a reference, as a payment would be held',
    [part, {}, taken],
    { takesPayment: true, needsReference: true, paymentUri: null, qr: null },
  ],
  [
    'where no amount is left on Solana, it has a link, which carries the reference',
    [part, { chain: 'solana' }, taken],
    { ...partly, needsReference: true, paymentUri: linkOf(8_000_000n, 'solana') },
  ],
  [
    'where nobody reads the chain, it has no link',
    [[], {}, { accepts: false }],
    { takesPayment: true, accepting: false, paymentUri: null, qr: null },
  ],
  [
    'the millionths that tell it apart are no overpayment',
    [[asked(12_500_007n), confirm(12_500_007n)]],
    { ...closed, status: 'settled', overpaidAmount: null, amountReceived: '12.500007' },
  ],
  [
    'a held payment leaves the link, as the next is recognised by its amount',
    [[], {}, held],
    { isHeld: true, needsReference: false, paymentUri: linkOf(12_500_000n) },
  ],
  ['nothing is held at an own address', [[], ownAddress, held], { isHeld: false }],
  ['nothing is held of a paid invoice', [[whole], {}, held], { isHeld: false }],
  ['nothing is held of a void invoice', [[{ kind: 'void' }], {}, held], { isHeld: false }],
  ['a covered one asks for nothing', [[whole]], { ...closed, status: 'paid', receiptId: null }],
  [
    'an overpaid one says how much more has come',
    [[credit(13_000_000n), confirm(13_000_000n)]],
    { ...closed, status: 'settled', overpaidAmount: '0.50', txHash: '0x01', receiptId: 'drs_1' },
  ],
  [
    'one past its due date can still be paid',
    [[{ kind: 'expire' }], passed],
    { status: 'failed', isExpired: true, paymentUri: linkOf(12_500_000n) },
  ],
  ['and was then paid late', [late, passed], { status: 'settled', isExpired: false, isLate: true }],
  [
    'one with lines is for these, where it does not say more',
    [[], { description: null, lines: Array.from({ length: 6 }, () => line) }],
    { description: 'Paper, Paper, Paper, Paper, Paper, …' },
  ],
  ['a void one asks for nothing', [[{ kind: 'void' }]], { ...closed, status: 'failed' }],
  ['a purchase asks for nothing', [[], { isPurchase: true }], { ...closed, status: 'draft' }],
])('%s', async (_, asked, expected) => {
  expect(await shown(...asked)).toMatchObject(expected)
})

test('the hint says how to pay so that the payment is recognised, and never to pay twice', async () => {
  const byAmount = await shown([], {}, held)
  const hints: [Payable, string][] = [
    [await shown(part, {}, taken), 'The remaining payment is recognised only by the reference'],
    [await shown(part, { chain: 'solana' }, taken), 'The QR code and the link'],
    [await shown(part), 'Send exactly this amount'],
    [await shown([], {}, { ...held, ...taken }), 'only by the reference'],
    [byAmount, 'do not pay again'],
  ]
  for (const [payable, words] of hints) expect(hintOf(payable, english)).toContain(words)
  expect(hintOf(byAmount, english)).not.toContain('reference')
  expect(statusTextOf(await shown([], {}, held), english)).toBe('A payment is held')
  const page = plainPayment(await shown([], {}, { extraBase: 7n }), english)
  expect(page).toContain('<h1 class="long">12.500007 USDC</h1>')
})

test('nobody is asked to pay where nobody looks: no address, no code, and it says why', async () => {
  const away = { accepts: false }
  const payables = [
    await shown([], {}, away),
    await shown(part, {}, away),
    await shown([], ownAddress, away),
    await shown([{ kind: 'expire' }], passed, away),
  ]
  for (const payable of payables) {
    expect(hintOf(payable, english)).toStartWith('Payments on Base cannot be seen at the moment')
    expect(remarksOf(payable, english)).toEqual([])
    const page = plainPayment(payable, english)
    expect(page).toContain('please do not pay yet')
    for (const part of ['<svg', 'Address', 'Reference', 'Payment link'])
      expect(page).not.toContain(part)
  }
})

const term = (label: string, text: string): Term => ({ label, lines: [{ text }] })

test('the terms are in the currency of the invoice, with tax, rate and due date', async () => {
  const euros = {
    currency: 'EUR',
    scale: 2,
    totalUnits: 148_148_147n,
    tax: { countryCode: 'FR', rateBasisPoints: 2_000, taxUnits: 24_691_358n },
    dueUsdcBase: 1_599_999_987_600n,
    fx: { rate: '1.08', source: 'bank', asOf: '2026-05-01T00:00:00.000Z' },
    dueAt: '2026-05-31T10:00:00.000Z',
    description: 'Line one\nLine two\u202e',
  }
  expect(termsOf(await shown([], euros), english)).toEqual([
    term('Seller', 'Seller'),
    term('For', 'Line one\nLine two'),
    term('Total', '1,481,481.47 EUR'),
    term('Includes VAT', '246,913.58 EUR'),
    term('Exchange rate', '1 EUR = 1.08 USDC, bank, 1 May 2026'),
    term('Rate fixed', '1 May 2026, 12:00 UTC'),
    term('Due date', '31 May 2026, 10:00 UTC'),
    { label: 'Token contract', lines: code(terms().usdcAddress) },
  ])
})

const millionths = [asked(12_500_007n), confirm(12_500_007n)]
test.each<[string, Parameters<typeof shown>, string | undefined]>([
  ['not where the heading shows the same', [[]], undefined],
  ['in another currency', [[], { currency: 'USD' }], '12.50 USD'],
  ['beside an amount of its own', [[], {}, { extraBase: 7n }], '12.50 USDC'],
  ['beside what is left of it', [part], '12.50 USDC'],
  ['on a receipt of the same amount', [[whole, confirm(12_500_000n)]], undefined],
  ['on a receipt with millionths', [millionths], '12.50 USDC'],
])('the total is shown %s', async (_, args, total) => {
  const payable = await shown(...args)
  const heading = payable.status === 'settled' ? payable.amountReceived : undefined
  const found = termsOf(payable, english, heading).find(({ label }) => label === 'Total')
  expect(found?.lines[0]?.text).toBe(total)
})

test('rates of the operator’s own are called fixed, not by the name of a setting', async () => {
  const fx = { rate: '1.08', source: 'FX_RATES', asOf: '2026-05-01T00:00:00.000Z' }
  const terms = termsOf(await shown([], { currency: 'EUR', fx }), english)
  expect(terms).toContainEqual(term('Exchange rate', '1 EUR = 1.08 USDC, fixed rate, 1 May 2026'))
})

test('a payer reads the same words with the script and without, and never those of the API', async () => {
  const standings = [
    [await shown([]), 'Open'],
    [await shown(part), 'Partly paid'],
    [await shown([whole]), 'Being confirmed'],
    [await shown([whole, confirm(12_500_000n)]), 'Paid'],
    [await shown([{ kind: 'expire' }], passed), 'Overdue'],
    [await shown([{ kind: 'void' }]), 'Voided'],
    [await shown([], { isPurchase: true }), 'Paid through the x402 proxy, not here'],
  ] as const
  for (const [payable, words] of standings) {
    expect(statusTextOf(payable, english)).toBe(words)
    const page = plainPayment(payable, english)
    expect(page).toContain(`<dt>Status</dt><dd><span class="lines">${words}</span></dd>`)
    expect(page.includes('Reload this page')).toBe(!words.includes('Voided'))
    expect(page.includes('<dt>Address</dt>')).toBe(payable.takesPayment)
  }
})

test('the page without the script, too, says what is late, overpaid, still payable and proven', async () => {
  const overpaid = [{ kind: 'expire' } as const, credit(13_000_000n), confirm(13_000_000n)]
  const remarks = [
    [await shown([]), []],
    [
      await shown([{ kind: 'expire' }], passed),
      ['It can still be paid, and will be marked as late.'],
    ],
    [
      await shown(overpaid, passed),
      [
        '13.00 USDC received, 0.50 USDC more than due. Ask the seller to return it.',
        'Paid after the due date',
      ],
    ],
  ] as const
  for (const [payable, sentences] of remarks) {
    expect(remarksOf(payable, english)).toEqual([...sentences])
    const page = plainPayment(payable, english)
    for (const sentence of sentences) expect(page).toContain(sentence)
    const href = receiptLinkOf(payable, english)?.href
    expect(href).toBe(payable.receiptId ? `/pay/${payable.id}/receipt` : undefined)
    expect(page).toContain(`href="/pay/${payable.id}/invoice.pdf"`)
    if (href) expect(page).toContain(`href="${href}"`)
  }
})

test('an expired invoice whose payment is held is not called payable, and warns before it offers a code', async () => {
  const held = await shown([{ kind: 'expire' }], { ...passed, chain: 'solana' }, { isHeld: true })
  expect(remarksOf(held, english)).toEqual([])
  const page = plainPayment(held, english)
  expect(page).not.toContain('can still be paid')
  expect(page.indexOf('do not pay again')).toBeLessThan(page.indexOf('<svg'))
})

test('the tax of a purchase is called recorded only where the total includes it and the price does not', async () => {
  const taxed = {
    totalUnits: 14_875_000n,
    tax: { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 2_375_000n },
  }
  const note = term('Note', english.say('recordedOnly'))
  expect(termsOf(await shown([], { ...taxed, isPurchase: true }), english)).toContainEqual(note)
  expect(termsOf(await shown([], taxed), english)).not.toContainEqual(note)
  expect(termsOf(await shown([], { isPurchase: true }), english)).not.toContainEqual(note)
})

const profile: Profile = {
  ...{ name: 'Profile GmbH', address: '2 Example Road', country: 'DE', vat: 'DE123456788' },
  ...{ email: 'billing@example.com', website: 'https://example.com', logoHash: 'ab'.repeat(32) },
}
const nobody = { name: null, address: null, vat: null, email: null, wallet: null }
const own = { ...nobody, name: 'Profile GmbH' }
const always = { sellerWebsite: profile.website, sellerEmail: profile.email }

test.each<[string, Parameters<typeof terms>[0], object]>([
  [
    'the page names the profile where the invoice names nobody',
    { seller: nobody },
    {
      ...{ sellerName: 'Profile GmbH', sellerVat: 'DE123456788' },
      ...{ sellerAddress: '2 Example Road\nGermany', ...always },
    },
  ],
  [
    'an invoice keeps the seller it names; website, e-mail and logo are those of now',
    { seller: own },
    { sellerName: 'Profile GmbH', sellerAddress: null, sellerVat: null, ...always },
  ],
  [
    'a purchase has another seller, of whom the profile says nothing',
    { seller: own, isPurchase: true },
    { sellerName: 'Profile GmbH', sellerWebsite: null },
  ],
])('%s', async (_, over, expected) => {
  const kept = over?.isPurchase ? {} : { profile }
  expect(await shown([], over, kept)).toMatchObject(expected)
})

test('the page without the script shows logo, seller, token and the only thing to send', async () => {
  const odd = { ...profile, email: 'a?cc=b&c@example.com' }
  const payable = await shown([], { seller: nobody }, { profile: odd })
  const page = plainPayment(payable, english)
  expect(page).toContain(`<img class="logo" src="/pay/${payable.id}/logo?v=${'ab'.repeat(8)}"`)
  expect(page).toContain('Profile GmbH\n2 Example Road\nGermany\nVAT id DE123456788')
  expect(page).toContain('<a href="https://example.com" rel="noreferrer">')
  expect(page).toContain('<a href="mailto:a%3Fcc%3Db%26c@example.com" rel="noreferrer">')
  expect(page).toContain('Send USDC on Base only.')
  expect(page).toContain(payable.usdcAddress)
})
