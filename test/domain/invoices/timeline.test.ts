import { expect, test } from 'bun:test'
import { changeOf } from '../../../src/actors/invoices.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { timelineOf } from '../../../src/domain/invoices/timeline.ts'
import type { Entry } from '../../../src/domain/invoices/trail.ts'
import { after, payment } from '../../support/invoice.ts'

const at = new Date('2026-05-01T12:00:00.000Z')
const credit = {
  kind: 'credit',
  payment: payment({ blockTime: '2026-05-01T11:59:48.000Z' }),
} as const
const confirm = {
  kind: 'confirm',
  key: payment().key,
  blockNumber: 8,
  from: payment().from,
  confirmations: 5,
  settlementId: '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21',
  receiptId: 'drs_1',
} as const

/** The timeline of an invoice after these commands. */
function life(...commands: readonly Command[]) {
  let invoice = after([])
  const trail: Entry[] = []
  for (const command of commands) {
    const events = decide(invoice, command, at)
    const next = evolve(invoice, events, at) as Invoice.Invoice
    const { entry } = changeOf(invoice, next, events)
    trail.push({ ...entry, schema: 1, createdAt: at })
    invoice = next
  }
  return timelineOf(invoice, trail)
}

const told = ({ data }: ReturnType<typeof life>) =>
  data.map(({ type, txHash, reason }) => [type, txHash, reason])

test('a timeline begins with the creation, and names the transaction that each step is about', () => {
  const timeline = life({ kind: 'send' }, credit, confirm)
  expect(told(timeline)).toEqual([
    ['invoice.created', null, null],
    ['invoice.sent', null, null],
    ['payment.credited', '0x01', null],
    ['invoice.paid', null, null],
    ['payment.confirmed', '0x01', null],
    ['invoice.settled', '0x01', null],
    ['settlement.confirmed', '0x01', null],
  ])
  expect(timeline.data.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(timeline.transfers).toEqual([
    {
      amount: '12.50',
      txHash: '0x01',
      blockNumber: 8,
      blockTime: '2026-05-01T11:59:48.000Z',
      from: '0x00000000000000000000000000000000000000bb',
      matchedBy: 'reference',
      confirmed: true,
    },
  ])
})

test('what a reorganisation took back stays in the timeline, and is no transfer any more', () => {
  const timeline = life(credit, confirm, { kind: 'revert', key: payment().key })
  expect(told(timeline).slice(-2)).toEqual([
    ['payment.reverted', '0x01', null],
    ['settlement.failed', '0x01', 'reorged'],
  ])
  expect(timeline.transfers).toEqual([])
})

test('why it failed is said', () => {
  expect(told(life({ kind: 'void' })).at(-1)).toEqual(['invoice.failed', null, 'voided'])
})
