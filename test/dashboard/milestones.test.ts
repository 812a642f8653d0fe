import { describe, expect, test } from 'bun:test'
import { milestonesOf } from '../../src/dashboard/milestones.ts'

const paid = [
  'payment.credited',
  'invoice.paid',
  'payment.confirmed',
  'invoice.settled',
  'settlement.confirmed',
]

describe('a payment has few entries in the timeline', () => {
  test.each([
    [
      ['invoice.created', 'invoice.sent', ...paid, 'invoice.completed'],
      ['Created', 'Sent', 'Payment seen', 'Payment confirmed', 'Receipt on chain'],
    ],
    [
      ['invoice.created', 'payment.credited', 'payment.confirmed', ...paid],
      ['Created', 'Payment seen', 'Payment confirmed', 'Payment seen', 'Payment confirmed'],
    ],
    [
      ['payment.reverted', 'settlement.failed', 'invoice.settled', 'settlement.confirmed'],
      ['Payment taken back by the chain', 'Open again', 'Settled'],
    ],
    [['invoice.failed voided'], ['Voided']],
    [
      ['invoice.failed expired', 'order.delayed'],
      ['Overdue', 'Order delayed'],
    ],
  ])('%p reads %p', (steps, texts) => {
    const told = steps.map((step, at) => {
      const [type = '', reason = null] = step.split(' ')
      return { sequence: at + 1, type, reason, createdAt: '', txHash: null }
    })
    expect(milestonesOf(told).map(({ text }) => text)).toEqual(texts)
  })

  test('a credit note is one, by its number', () => {
    const step = { sequence: 2, createdAt: '', txHash: null }
    const credited = { ...step, type: 'invoice.credited', reason: null, creditNote: 'CN-2026-0001' }
    const ended = { ...step, type: 'invoice.failed', reason: 'credited' }
    const texts = milestonesOf([credited, ended]).map(({ text }) => text)
    expect(texts).toEqual(['Credited, CN-2026-0001', 'Credited whole'])
  })
})
