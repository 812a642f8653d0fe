import { describe, expect, test } from 'bun:test'
import { complaints, type Facts } from './oracles.ts'

/**
 * Facts without a flaw: an invoice paid by one transfer, a signed mandate, a delivery, a budget.
 */
const fine: Facts = {
  invoices: [
    {
      id: 'inv',
      accountId: 'acc',
      year: 2026,
      number: 1,
      state: 'completed',
      dueUsdcBase: 5n,
      askedAs: 'key',
      credits: [{ key: 'base:0x1:0', usdcBase: 5n }],
    },
  ],
  transfers: [{ key: 'base:0x1:0', usdcBase: 5n, invoiceId: 'inv' }],
  onChain: [{ key: 'base:0x1:0', usdcBase: 5n }],
  receiptsInForce: ['inv'],
  mandates: [
    {
      id: 'mnd',
      state: 'signed_by_proposer',
      trail: [
        { sequence: 1, from: null, to: 'proposed' },
        { sequence: 2, from: 'proposed', to: 'signed_by_proposer' },
      ],
    },
  ],
  anchored: [{ event: 'batch 0x2 1', place: '0x3 7 0' }],
  emitted: [{ event: 'batch 0x2 1', place: '0x3 7 0' }],
  misplaced: [],
  waiting: 0,
  owed: ['evt'],
  givenUp: [],
  received: ['evt', 'evt'],
  budgets: [
    {
      agentId: 'agent',
      limitMinor: 10n,
      spentMinor: 6n,
      reservedMinor: 4n,
      committedMinor: 6n,
      heldMinor: 4n,
    },
  ],
  staleHolds: 0,
  acknowledged: {
    invoices: [{ id: 'inv', number: 1 }],
    paidInvoiceIds: ['inv'],
    mandates: [{ id: 'mnd', state: 'signed_by_proposer' }],
  },
  texts: [{ where: 'a log', text: 'all is well' }],
  secrets: ['hush'],
}

const [invoice] = fine.invoices as [Facts['invoices'][number]]
const [mandate] = fine.mandates as [Facts['mandates'][number]]
const [budget] = fine.budgets as [Facts['budgets'][number]]
const [transfer] = fine.transfers as [Facts['transfers'][number]]

const wrong: readonly (readonly [oracle: string, what: string, over: Partial<Facts>])[] = [
  [
    'O1',
    'a transfer credited to two invoices',
    {
      invoices: [invoice, { ...invoice, id: 'other', number: 2, askedAs: 'another' }],
      receiptsInForce: ['inv', 'other'],
    },
  ],
  ['O2', 'a settled invoice whose payment is not on chain', { onChain: [] }],
  [
    'O3',
    'a credit of another amount than the transfer’s',
    { transfers: [{ ...transfer, usdcBase: 4n }] },
  ],
  [
    'O3',
    'a payment on chain that is on no record',
    { onChain: [...fine.onChain, { key: 'base:0x9:0', usdcBase: 1n }] },
  ],
  ['O4', 'a gap in a trail', { mandates: [{ ...mandate, trail: mandate.trail.slice(1) }] }],
  [
    'O4',
    'a step that no rule allows',
    {
      mandates: [
        {
          id: 'mnd',
          state: 'completed',
          trail: [
            { sequence: 1, from: null, to: 'proposed' },
            { sequence: 2, from: 'proposed', to: 'completed' },
          ],
        },
      ],
    },
  ],
  ['O5', 'an anchor that is not on the anchor chain', { emitted: [] }],
  ['O5', 'an event emitted twice', { emitted: [...fine.emitted, ...fine.emitted] }],
  ['O5', 'a receipt without a place in a batch', { misplaced: ['drs has no place in a batch'] }],
  ['O6', 'an event that never arrived', { received: [] }],
  ['O6', 'an event that nobody knows', { received: ['evt', 'stranger'] }],
  ['O6', 'work that still waits', { waiting: 1 }],
  ['O7', 'a budget over its limit', { budgets: [{ ...budget, reservedMinor: 5n, heldMinor: 5n }] }],
  ['O7', 'a budget that lost count', { budgets: [{ ...budget, committedMinor: 5n }] }],
  ['O8', 'a number left out', { invoices: [{ ...invoice, number: 2 }] }],
  ['O9', 'a settled invoice without a receipt', { receiptsInForce: [] }],
  ['O9', 'two receipts of one invoice', { receiptsInForce: ['inv', 'inv'] }],
  ['O10', 'a reservation that outlives its end', { staleHolds: 1 }],
  ['O11', 'a secret in a log', { texts: [{ where: 'a log', text: 'say hush' }] }],
  [
    'ack',
    'an acknowledged invoice that is lost',
    { acknowledged: { ...fine.acknowledged, invoices: [{ id: 'gone', number: 9 }] } },
  ],
  [
    'ack',
    'a mandate that is not where its caller was told',
    { acknowledged: { ...fine.acknowledged, mandates: [{ id: 'mnd', state: 'completed' }] } },
  ],
  [
    'paid',
    'a paid invoice that did not complete',
    { invoices: [{ ...invoice, state: 'settled' }] },
  ],
]

describe('the oracles', () => {
  test('are content when all is well, also with an event delivered twice', () => {
    expect(complaints(fine)).toEqual([])
  })

  test.each(wrong)('%s complains of %s', (oracle, _, over) => {
    expect(complaints({ ...fine, ...over }).join('\n')).toContain(`${oracle}: `)
  })
})
