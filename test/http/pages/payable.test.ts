import { expect, test } from 'bun:test'
import {
  hintOf,
  receiptLinkOf,
  remarksOf,
  statusTextOf,
  termsOf,
} from '../../../src/documents/payer-texts.ts'
import { recordedOnly } from '../../../src/documents/texts.ts'
import type { Command } from '../../../src/domain/invoices/decide.ts'
import { payableOf } from '../../../src/http/pages/payable.ts'
import { plainPayment } from '../../../src/http/pages/plain-payment.ts'
import { after, payment, type terms } from '../../support/invoice.ts'

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
  held: { isHeld?: boolean; isRecognisedByAmount?: boolean } = {},
) {
  const { isHeld = false, isRecognisedByAmount = false } = held
  const invoices = {
    find: async () => undefined,
    isAmbiguouslyPaid: async () => isHeld,
    isRecognisedByAmount: async () => isRecognisedByAmount,
    paymentUri: (_: unknown, usdcBase: bigint) => `pay:${usdcBase}`,
  }
  return payableOf(after(commands, over), invoices)
}

test('an open invoice is asked for whole', async () => {
  expect(await shown([])).toMatchObject({
    status: 'draft',
    amountDue: '12.50',
    amountReceived: '0.00',
    amountRemaining: '12.50',
    overpaidAmount: null,
    paymentUri: 'pay:12500000',
    qr: { side: expect.any(Number) },
    isExpired: false,
    hasOwnAddress: false,
    takesPayment: true,
    needsReference: false,
    isHeld: false,
  })
})

test('of one that is partly paid, only the rest is asked for', async () => {
  const rest = { amountReceived: '4.50', amountRemaining: '8.00', takesPayment: true }
  const part = [credit(4_500_000n), confirm(4_500_000n)]
  expect(await shown(part, { depositIndex: 7 })).toMatchObject({
    ...rest,
    status: 'draft',
    statusDetail: 'partly_paid',
    paymentUri: 'pay:8000000',
    needsReference: false,
  })
})

test('the rest at a shared address is asked for by no link that has no reference: it would be held', async () => {
  const part = [credit(4_500_000n), confirm(4_500_000n)]
  const ofEvm = await shown(part)
  expect(ofEvm).toMatchObject({ takesPayment: true, needsReference: true })
  expect(ofEvm).toMatchObject({ paymentUri: null, qr: null })
  expect(hintOf(ofEvm)).toStartWith('The remaining payment is recognised only by the reference')
  const ofSolana = await shown(part, { chain: 'solana' })
  expect(ofSolana).toMatchObject({ paymentUri: 'pay:8000000', needsReference: true })
  expect(hintOf(ofSolana)).toContain('The QR code and the link')
})

test('of one at a shared address that a stranger has sent dust, the whole is asked for, as that is recognised by its amount', async () => {
  const dust = [credit(1n), confirm(1n)]
  const dusty = await shown(dust)
  expect(dusty).toMatchObject({
    amountReceived: '0.000001',
    amountRemaining: '12.499999',
    amountAsked: '12.50',
    needsReference: false,
    paymentUri: 'pay:12500000',
  })
  expect(hintOf(dusty)).toStartWith('Send exactly this amount')
  expect(plainPayment(dusty)).toContain('<h1 class="long">12.50 USDC</h1>')
  expect(await shown(dust, {}, { isHeld: true })).toMatchObject({ isHeld: true, paymentUri: null })
  expect(await shown(dust, { depositIndex: 7 })).toMatchObject({
    amountAsked: '12.499999',
    paymentUri: 'pay:12499999',
  })
  expect(await shown([credit(125_000n)])).toMatchObject({
    amountAsked: '12.375',
    needsReference: true,
    paymentUri: null,
  })
})

test('whose exact amount is held is told so, and not to pay again; at an own address nothing is', async () => {
  const held = await shown([], {}, { isHeld: true })
  expect(held).toMatchObject({ isHeld: true, takesPayment: true, paymentUri: null })
  expect([statusTextOf(held), hintOf(held)]).toEqual([
    'A payment is held',
    expect.stringContaining('do not pay again'),
  ])
  expect(await shown([], { chain: 'solana' }, { isHeld: true })).toMatchObject({
    paymentUri: 'pay:12500000',
  })
  for (const other of [
    await shown([], { depositIndex: 7 }, { isHeld: true }),
    await shown([credit(12_500_000n)], {}, { isHeld: true }),
    await shown([{ kind: 'void' }], {}, { isHeld: true }),
  ])
    expect(other.isHeld).toBe(false)
})

test('whose amount is held, but due to nobody else any more, has a link again: the next payment is recognised by its amount', async () => {
  const held = await shown([], {}, { isHeld: true, isRecognisedByAmount: true })
  expect(held).toMatchObject({ isHeld: true, needsReference: false, paymentUri: 'pay:12500000' })
  expect(hintOf(held)).toContain('do not pay again')
  expect(hintOf(held)).not.toContain('reference')
  expect(hintOf(await shown([], {}, { isHeld: true }))).toContain('only by the reference')
})

test('what the invoice is over is told in its own currency, with tax, rate and due date', async () => {
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
  expect(termsOf(await shown([], euros))).toEqual([
    { label: 'Total', value: '1,481,481.47 EUR' },
    { label: 'Includes VAT', value: '246,913.58 EUR' },
    { label: 'Exchange rate', value: '1 EUR = 1.08 USDC, bank, 1 May 2026' },
    { label: 'Due date', value: '31 May 2026, 10:00 UTC' },
    { label: 'For', value: 'Line one\nLine two' },
  ])
  expect(termsOf(await shown([]))).toEqual([])
  expect(termsOf(await shown([], { currency: 'USD' }))).toMatchObject([{ value: '12.50 USD' }])
})

test('a payer reads the same words with the script and without, and never those of the API', async () => {
  const part = credit(4_500_000n)
  const standings = [
    [await shown([]), 'Waiting for payment'],
    [await shown([part]), 'Partly paid'],
    [await shown([credit(12_500_000n)]), 'Payment seen, being confirmed'],
    [await shown([credit(12_500_000n), confirm(12_500_000n)]), 'Paid'],
    [await shown([{ kind: 'expire' }], passed), 'The due date has passed'],
    [await shown([{ kind: 'void' }]), 'Void: no longer payable'],
    [await shown([], { isPurchase: true }), 'Paid through the x402 proxy, not here'],
  ] as const
  for (const [payable, words] of standings) {
    expect(statusTextOf(payable)).toBe(words)
    const page = plainPayment(payable)
    expect(page).toContain(`<dt>Status</dt><dd class="long lines">${words}</dd>`)
    expect(page.includes('Reload this page')).toBe(!words.includes('Void'))
    expect(page.includes('<dt>Address</dt>')).toBe(payable.takesPayment)
  }
})

test('what is left to say is said without the script too: late, overpaid, still to be paid, proven', async () => {
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
    expect(remarksOf(payable)).toEqual([...sentences])
    const page = plainPayment(payable)
    for (const sentence of sentences) expect(page).toContain(sentence)
    const href = receiptLinkOf(payable)?.href
    expect(href).toBe(payable.receiptId ? '/v1/public/receipts/drs_1/bundle' : undefined)
    expect(page.includes('Proof of payment')).toBe(payable.receiptId !== null)
    if (href) expect(page).toContain(`href="${href}"`)
  }
})

test('an expired one whose payment is held is not said to be still to be paid, and warns before it offers a code', async () => {
  const held = await shown([{ kind: 'expire' }], { ...passed, chain: 'solana' }, { isHeld: true })
  expect(remarksOf(held)).toEqual([])
  const page = plainPayment(held)
  expect(page).not.toContain('can still be paid')
  expect(page.indexOf('do not pay again')).toBeLessThan(page.indexOf('<svg'))
})

test('the tax of a purchase is said to be recorded only, where the total has it and the price does not', async () => {
  const taxed = {
    totalUnits: 14_875_000n,
    tax: { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 2_375_000n },
  }
  const note = { label: 'Note', value: recordedOnly }
  expect(termsOf(await shown([], { ...taxed, isPurchase: true }))).toContainEqual(note)
  expect(termsOf(await shown([], taxed))).not.toContainEqual(note)
  expect(termsOf(await shown([], { isPurchase: true }))).not.toContainEqual(note)
})

test('one that is covered asks for nothing, and says how much more has come', async () => {
  const nothing = { amountRemaining: null, paymentUri: null, qr: null }
  expect(await shown([credit(12_500_000n)])).toMatchObject({
    ...nothing,
    status: 'paid',
    overpaidAmount: null,
    receiptId: null,
  })
  expect(await shown([credit(13_000_000n), confirm(13_000_000n)])).toMatchObject({
    ...nothing,
    status: 'settled',
    overpaidAmount: '0.50',
    txHash: '0x01',
    receiptId: 'drs_1',
    isLate: false,
  })
})

test('one past its due date can still be paid, and was then paid late', async () => {
  const expired = await shown([{ kind: 'expire' }], passed)
  expect(expired).toMatchObject({ status: 'failed', isExpired: true, paymentUri: 'pay:12500000' })
  const late = [{ kind: 'expire' } as const, credit(12_500_000n), confirm(12_500_000n)]
  expect(await shown(late, passed)).toMatchObject({
    status: 'settled',
    isExpired: false,
    isLate: true,
  })
})

test('a void one, and one that is paid elsewhere, ask for nothing', async () => {
  const isAsked = { paymentUri: null, qr: null }
  expect(await shown([{ kind: 'void' }])).toMatchObject({
    ...isAsked,
    status: 'failed',
    isExpired: false,
  })
  expect(await shown([], { isPurchase: true })).toMatchObject({ ...isAsked, status: 'draft' })
})
