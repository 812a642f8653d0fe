import { describe, expect, test } from 'bun:test'
import type { DomainError } from '../../../src/domain/error.ts'
import * as Balance from '../../../src/domain/invoices/balance.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import * as Figures from '../../../src/domain/invoices/figures.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Payment, Settlement } from '../../../src/domain/invoices/progress.ts'
import * as View from '../../../src/domain/invoices/view.ts'
import { after, payment, terms } from '../../support/invoice.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const later = new Date('2026-05-09T12:00:00.000Z')
const dueAt = '2026-05-08T00:00:00.000Z'
const key = payment().key

const credit: Command = { kind: 'credit', payment: payment() }
const confirm: Command = {
  kind: 'confirm',
  key,
  blockNumber: 7,
  from: payment().from,
  confirmations: 5,
  settlementId: 'stl',
  receiptId: 'drs',
}
function takeBack(usdcBase: bigint, refundUsdcBase: bigint): Command {
  const credit = {
    noteId: 'note',
    number: 'CN-2026-0001',
    totalUnits: usdcBase,
    usdcBase,
    refundUsdcBase,
  }
  return { kind: 'take_back', credit, head: 20, settlementId: 'stl_3', receiptId: 'drs_3' }
}

const commands = {
  send: { kind: 'send' },
  void: { kind: 'void' },
  expire: { kind: 'expire' },
  credit: { kind: 'credit', payment: payment({ key: 'base:0x02:0' }) },
  confirm,
  revert: { kind: 'revert', key },
  settleAnew: { kind: 'settle_anew', head: 20, settlementId: 'stl_2', receiptId: 'drs_2' },
  anchored: { kind: 'receipt_anchored', receiptId: 'drs' },
  takeBackPart: takeBack(2_500_000n, 0n),
  takeBackAll: takeBack(12_500_000n, 0n),
} as const satisfies Record<string, Command>

const states = {
  draft: [],
  sent: [{ kind: 'send' }],
  paid: [credit],
  settled: [credit, confirm],
  completed: [credit, confirm, commands.anchored],
  expired: [commands.expire],
  voided: [commands.void],
  credited: [commands.takeBackAll],
} as const satisfies Record<string, readonly Command[]>

const paid = 'payment.credited invoice.paid'
const settled = 'payment.confirmed invoice.settled settlement.confirmed'
const part = 'invoice.credited'
const ended = 'invoice.credited invoice.failed'
const undone = 'payment.reverted settlement.failed'

// The events of each command in each state; `no`: it is refused; '': nothing happens. Written by
// hand from contract §4.
const table: Record<keyof typeof states, readonly string[]> = {
  // send, void, expire, credit, confirm, revert, settleAnew, anchored, takeBackPart, takeBackAll
  draft: ['invoice.sent', 'invoice.failed', 'invoice.failed', paid, '', '', '', '', part, ended],
  sent: ['', 'invoice.failed', 'invoice.failed', paid, '', '', '', '', part, ended],
  paid: ['no', 'no', '', 'no', settled, 'payment.reverted', '', '', 'no', 'no'],
  settled: ['no', 'no', '', 'no', '', undone, '', 'invoice.completed', part, part],
  completed: ['no', 'no', '', 'no', '', undone, '', '', part, part],
  expired: ['no', 'invoice.failed', '', paid, '', '', '', '', part, ended],
  voided: ['no', '', '', 'no', '', '', '', '', 'no', 'no'],
  credited: ['no', 'no', '', 'no', '', '', '', '', part, part],
}

function outcome(invoice: Invoice.Invoice, command: Command): string {
  try {
    return decide(invoice, command, later)
      .map((event) => event.type)
      .join(' ')
  } catch (error) {
    return (error as DomainError).reason === 'invalid_state' ? 'no' : String(error)
  }
}

describe('every state answers every command as the contract says', () => {
  for (const [state, before] of Object.entries(states)) {
    for (const [at, [name, command]] of Object.entries(commands).entries()) {
      const expected = table[state as keyof typeof states][at]
      test(`${state} × ${name} → ${expected || 'nothing'}`, () => {
        const invoice = after(before, { dueAt }, state === 'expired' ? later : now)
        expect<string | undefined>(outcome(invoice, command)).toBe(expected)
      })
    }
  }

  test('no state × anything but create → not_found; any state × create → no', () => {
    for (const command of Object.values(commands))
      expect(() => decide(undefined, command, now)).toThrow('No such invoice')
    const create = { kind: 'create', id: 'inv', accountId: 'acc', terms: terms() } as const
    for (const before of Object.values(states))
      expect(outcome(after(before, { dueAt }, later), create)).toBe('no')
  })
})

describe('payments', () => {
  test('add up: under the due amount the invoice stays open, at it it is paid', () => {
    const half = payment({ usdcBase: 6_250_000n })
    const partly = after([{ kind: 'credit', payment: half }])
    expect([partly.state, Balance.receivedUsdcBase(partly)]).toEqual(['draft', 6_250_000n])
    expect(Balance.owedUsdcBase(partly)).toBe(6_250_000n)
    const rest: Command = { kind: 'credit', payment: { ...half, key: 'base:0x02:0' } }
    expect(after([{ kind: 'credit', payment: half }, rest]).state).toBe('paid')
  })

  test('even of a part keep an invoice from being voided, and the refusal says that it is they', () => {
    const part = payment({ usdcBase: 1n })
    const partly = after([{ kind: 'credit', payment: part }])
    const refused = { reason: 'invalid_state', message: expect.stringContaining('Money has come') }
    expect(() => decide(partly, commands.void, now)).toThrow(expect.objectContaining(refused))
    const given = after([{ kind: 'credit', payment: part }, commands.revert])
    expect(outcome(given, commands.void)).toBe('invoice.failed')
  })

  test('settle only once enough of them is confirmed', () => {
    const first = payment({ usdcBase: 6_250_000n })
    const second = payment({ usdcBase: 6_250_000n, key: 'base:0x02:0' })
    const confirmFirst = after([
      { kind: 'credit', payment: first },
      { kind: 'credit', payment: second },
      confirm,
    ])
    expect(confirmFirst.state).toBe('paid')
    const both = decide(confirmFirst, { ...confirm, key: second.key }, now).map(
      (event) => event.type,
    )
    expect(both).toContain('invoice.settled')
  })

  test('the same transfer twice is credited once', () => {
    const invoice = after([{ kind: 'credit', payment: payment({ usdcBase: 1n }) }])
    expect(decide(invoice, { kind: 'credit', payment: payment({ usdcBase: 1n }) }, now)).toEqual([])
  })

  test('an excess is recorded', () => {
    const invoice = after([
      { kind: 'credit', payment: payment({ usdcBase: 13_000_000n }) },
      confirm,
    ])
    expect(JSON.parse(View.toJson(invoice, 'v1')).paymentDetails.overpaidAmount).toBe('0.50')
  })
})

describe('a reorganisation', () => {
  test('before settlement returns the invoice to the state it had, payable again', () => {
    const invoice = after([{ kind: 'send' }, credit, commands.revert])
    expect([invoice.state, Balance.owedUsdcBase(invoice)]).toEqual(['sent', 12_500_000n])
  })

  test('after settlement reopens the invoice and forgets the receipt; the same transaction credits it once more', () => {
    const reopened = after([credit, confirm, commands.anchored, commands.revert])
    expect([reopened.state, reopened.progress.settlement]).toEqual(['draft', null])
    expect(after([credit, confirm, commands.revert, credit, confirm]).state).toBe('settled')
  })

  test('of one of two sufficient payments changes nothing else', () => {
    const second = payment({ key: 'base:0x02:0', usdcBase: 13_000_000n })
    const invoice = after([
      { kind: 'credit', payment: payment({ usdcBase: 1n }) },
      { kind: 'credit', payment: second },
    ])
    const still = evolve(invoice, decide(invoice, commands.revert, now), now)
    expect(still?.state).toBe('paid')
  })
})

describe('a settlement that loses a confirmed payment while others cover what is due', () => {
  const part = (n: number, usdcBase: bigint) =>
    payment({ key: `base:${n}`, txHash: `0x0${n}`, blockNumber: n, usdcBase })
  const creditOf = (payment: Payment) => ({ kind: 'credit', payment }) as const
  const confirmOf = (n: number) => ({ ...confirm, key: `base:${n}`, blockNumber: n })
  const credits = [part(1, 2_500_000n), part(2, 1_250_000n), part(3, 11_875_000n)].map(creditOf)
  const lost = { kind: 'revert', key: 'base:2' } as const

  test('fails, and is made anew by the last one of those that are confirmed', () => {
    const settled = after([...credits, confirmOf(1), confirmOf(2), confirmOf(3)])
    expect(outcome(settled, lost)).toBe('payment.reverted settlement.failed')
    const left = evolve(settled, decide(settled, lost, now), now) as Invoice.Invoice
    expect(left.state).toBe('paid')
    const events = decide(left, commands.settleAnew, later)
    const settlement: Settlement = {
      id: 'stl_2',
      receiptId: 'drs_2',
      txHash: '0x03',
      blockNumber: 3,
      from: payment().from,
      confirmations: 18,
      matchedBy: 'reference',
      settledAt: later.toISOString(),
    }
    expect(events).toEqual([
      { type: 'invoice.settled', settlement },
      { type: 'settlement.confirmed', settlement },
    ])
  })

  test('waits until enough of them is confirmed', () => {
    const left = after([...credits, confirmOf(2), confirmOf(3), lost, commands.settleAnew])
    expect([left.state, left.progress.settlement]).toEqual(['paid', null])
    expect(outcome(left, confirmOf(1))).toBe(
      'payment.confirmed invoice.settled settlement.confirmed',
    )
  })

  test('stands where what is lost was not confirmed', () => {
    const settled = after([...credits, confirmOf(1), confirmOf(3)])
    expect(outcome(settled, lost)).toBe('payment.reverted')
  })
})

describe('time', () => {
  test('an invoice does not expire before its due date', () => {
    expect(decide(after([], { dueAt }), { kind: 'expire' }, now)).toEqual([])
  })

  const inTime = '2026-05-07T23:59:50.000Z'
  const tooLate = '2026-05-08T00:00:10.000Z'
  const paidIn = (blockTime: string, over: Partial<Payment> = {}): Command => ({
    kind: 'credit',
    payment: payment({ blockTime, ...over }),
  })
  const isLate = (...path: readonly Command[]) => Balance.isLate(after(path, { dueAt }, later))

  test('an invoice paid by its due date is not late, though it expired before that was seen', () => {
    expect(isLate(commands.expire, paidIn(inTime))).toBe(false)
    expect(isLate(commands.expire, paidIn(dueAt), confirm)).toBe(false)
  })

  test('an invoice paid after its due date is late, though nothing had expired it by then', () => {
    expect(isLate(paidIn(tooLate))).toBe(true)
    expect(isLate(paidIn(tooLate), confirm, commands.anchored)).toBe(true)
  })

  test('an invoice is late where a part of what was due came after its due date, whatever came first', () => {
    const [half, rest] = [{ usdcBase: 6_250_000n }, { usdcBase: 6_250_000n, key: 'base:0x02:0' }]
    expect(isLate(paidIn(inTime, half), paidIn(tooLate, rest))).toBe(true)
    expect(isLate(paidIn(tooLate, half), paidIn(inTime, rest))).toBe(true)
    expect(isLate(paidIn(tooLate, half), paidIn(inTime, { key: 'base:0x02:0' }))).toBe(false)
  })

  test('a payment that a reorganisation moved counts by the block in which it is confirmed', () => {
    expect(isLate(paidIn(inTime), { ...confirm, blockTime: tooLate })).toBe(true)
    expect(isLate(paidIn(tooLate), { ...confirm, blockTime: inTime })).toBe(false)
  })

  test('an invoice is late where it had expired before a payment whose block time is not on record', () => {
    expect(isLate(commands.expire, credit)).toBe(true)
    expect(isLate(credit)).toBe(false)
  })

  test('an invoice that is not paid is not late', () => {
    expect(isLate(commands.expire)).toBe(false)
    expect(isLate(commands.expire, paidIn(tooLate), commands.revert)).toBe(false)
  })
})

describe('an invoice as JSON', () => {
  test('is the v1 shape with decimals, the integer number and the two-word status', () => {
    const invoice = after([], {
      tax: { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 2_375_000n },
      totalUnits: 14_875_000n,
      dueUsdcBase: 14_875_000n,
    })
    expect(JSON.parse(View.toJson(invoice, 'v1'))).toMatchObject({
      invoiceNumber: 1,
      status: 'PENDING',
      amount: 12.5,
      subtotal: 12.5,
      taxRate: 19,
      taxAmount: 2.375,
      total: 14.875,
      paymentDetails: { amountDue: '14.875', amountReceived: '0.00', fx: null },
    })
  })

  test('is the api shape with integers of minor units and INV-<year>-<sequence>', () => {
    const invoice = after([], { currency: 'USD' })
    expect(JSON.parse(View.toJson(invoice, 'api'))).toMatchObject({
      invoiceNumber: 'INV-2026-0001',
      status: 'draft',
      amount: 1_250,
      total: 1_250,
    })
    expect(Figures.numberOf({ ...invoice, number: 12_345 }, 'api')).toBe('INV-2026-12345')
  })

  test('as it was created is told by the invoice whatever has become of it', () => {
    const settled = after([credit, confirm])
    expect(JSON.parse(View.createdData(settled))).toEqual(JSON.parse(View.toJson(after([]), 'v1')))
  })

  test('every public event is valid JSON that names the invoice', () => {
    const path = [commands.send, credit, confirm, commands.anchored]
    const invoice = after(path)
    for (const type of ['invoice.created', 'invoice.sent', 'invoice.paid'] as const) {
      const event =
        type === 'invoice.created'
          ? { type, id: 'inv', accountId: 'acc', terms: terms() }
          : { type }
      expect(JSON.parse(View.eventData(event, invoice) ?? '')).toMatchObject({
        id: 'inv',
        invoiceNumber: 1,
      })
    }
    const settlement = invoice.progress.settlement as Settlement
    expect(
      JSON.parse(View.eventData({ type: 'settlement.confirmed', settlement }, invoice) ?? ''),
    ).toEqual({
      settlementId: 'stl',
      invoiceId: 'inv',
      invoiceNumber: 1,
      txHash: '0x01',
      confirmations: 5,
    })
  })
})
