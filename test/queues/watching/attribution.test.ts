import { describe, expect, test } from 'bun:test'
import type { Transfer } from '../../../src/chain/chain.ts'
import type { Command } from '../../../src/domain/invoices/decide.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { type Credit, candidateOf } from '../../../src/domain/settlement/candidate.ts'
import { candidatesOf, formerlyIn, incomingOf } from '../../../src/queues/watching/attribution.ts'
import { candidateQueryOf } from '../../../src/storage/settlement/candidates.ts'
import type { StoredTransfer } from '../../../src/storage/settlement/transfers.ts'
import { after, payment } from '../../support/invoice.ts'
import { invoiceReferences } from '../../support/watcher.ts'

const [a, b] = ['0190a000-0000-7000-8000-00000000000a', '0190a000-0000-7000-8000-00000000000b']

function incoming(over: Partial<Transfer> = {}) {
  return incomingOf(transferOf(over), invoiceReferences)
}

function transferOf(over: Partial<Transfer>): Transfer {
  return {
    chain: 'base',
    txHash: '0x01',
    position: 3,
    blockNumber: 7,
    blockHash: '0x07',
    blockTimeMs: 1_000,
    from: '0xbb',
    to: '0xaa',
    usdcBase: 5n,
    references: [],
    ...over,
  }
}

describe('a transfer as the rules see it', () => {
  const foreign = `0x${'12'.repeat(32)}`
  const namedBy = (over: Partial<Transfer>) => incoming(over).namedInvoiceIds

  test('names the invoices of its references, and nothing else', () => {
    const { key, namedInvoiceIds } = incoming({ references: [invoiceReferences.of(a), foreign] })
    expect({ key, namedInvoiceIds }).toEqual({ key: 'base:0x01:3', namedInvoiceIds: [a] })
  })

  test('names the invoices of its memos, unless a reference of its own names one', () => {
    const memos = [b, invoiceReferences.of(a), foreign]
    expect(namedBy({ memos })).toEqual([b, a])
    expect(namedBy({ memos, references: [foreign] })).toEqual([b, a])
    expect(namedBy({ memos, references: [invoiceReferences.of(a)] })).toEqual([a])
  })

  test('names all of memos that may be meant for another payment, if they name two invoices', () => {
    const spellings = [a, invoiceReferences.of(a)]
    expect(namedBy({ memos: [], unsureMemos: spellings })).toEqual([])
    expect(namedBy({ memos: spellings, unsureMemos: spellings })).toEqual([a, a])
    expect(namedBy({ memos: [], unsureMemos: [a, b] })).toEqual([a, b])
  })

  test('names all of memos that may be meant for another payment, if one is nobody’s we know', () => {
    expect(namedBy({ memos: [], unsureMemos: [foreign, a] })).toEqual([a])
    expect(namedBy({ memos: [foreign, a], unsureMemos: [foreign, a] })).toEqual([a])
  })
})

describe('what a transfer paid in its former block', () => {
  const references = [invoiceReferences.of(a)]
  const stored = (
    position: number,
    credit: Credit | null,
    over: Partial<StoredTransfer> = {},
  ): StoredTransfer => ({
    ...transferOf({ position }),
    state: 'confirmed',
    credit,
    heldAs: credit ? null : 'ambiguous',
    ...over,
  })
  const byReference = { invoiceId: a, matchedBy: 'reference' } as const
  const byAmount = { invoiceId: b, matchedBy: 'amount' } as const
  const byOperator = { invoiceId: b, matchedBy: 'operator' } as const
  const held = { heldAs: 'ambiguous' } as const
  const unknown = { heldAs: 'unmatched' } as const
  const named = { references }
  const later = { blockNumber: 8, blockHash: '0x08' }

  test.each<
    [
      string,
      readonly StoredTransfer[],
      readonly StoredTransfer[],
      readonly Partial<Transfer>[],
      readonly object[],
    ]
  >([
    [
      'is paid again, at any position',
      [stored(3, byAmount)],
      [],
      [{ position: 9 }],
      [{ paidBefore: byAmount }],
    ],
    ['is held again', [stored(3, null)], [], [{}], [held]],
    ['is nothing of another transaction', [stored(3, byAmount)], [], [{ txHash: '0x02' }], [{}]],
    ['is held where it cannot be told', [stored(3, byAmount)], [], [{ usdcBase: 6n }], [unknown]],
    [
      'counts once for twins',
      [stored(3, byOperator), stored(4, null)],
      [],
      [{}, {}, {}],
      [{ paidBefore: byOperator }, held, unknown],
    ],
    [
      'by a reference is paid by the twin that has it',
      [stored(3, byReference), stored(4, null)],
      [],
      [{}, named],
      [held, { paidBefore: byReference }],
    ],
    [
      'by its amount is not paid by a twin that names an invoice',
      [stored(3, null), stored(4, byAmount)],
      [],
      [named, {}],
      [held, { paidBefore: byAmount }],
    ],
    [
      'is read from the rows that are gone now, whatever an earlier block has left',
      [stored(3, byAmount, later)],
      [stored(5, byOperator)],
      [{}, {}],
      [{ paidBefore: byAmount }, unknown],
    ],
    [
      'is read from the rows of its highest block',
      [],
      [stored(3, byAmount, later), stored(5, byOperator)],
      [{}, {}],
      [{ paidBefore: byAmount }, unknown],
    ],
    [
      'is read of each transaction for itself',
      [stored(3, byAmount, later)],
      [stored(5, byOperator, { txHash: '0x02' })],
      [{}, { txHash: '0x02' }],
      [{ paidBefore: byAmount }, { paidBefore: byOperator }],
    ],
  ])('%s', (_, missing, reverted, sent, expected) => {
    const formerly = formerlyIn(missing, reverted)
    expect(sent.map((over) => formerly(incoming(over)))).toEqual([...expected])
  })
})

describe('what is asked to find invoices', () => {
  test('addresses and transactions once each, and how often an amount came to an address', () => {
    const transfers = [
      incoming({ blockTimeMs: 2_000 }),
      incoming({ position: 4, from: '0xcc' }),
      incoming({ txHash: '0x02', usdcBase: 6n }),
      incoming({ txHash: '0x03', to: '0xad' }),
    ]
    const once = { senders: ['0xbb'], times: 1, firstAtMs: 1_000 }
    expect(candidateQueryOf(transfers)).toEqual({
      named: [],
      addresses: ['0xaa', '0xad'],
      txHashes: ['0x01', '0x02', '0x03'],
      places: [
        { payTo: '0xaa', usdcBase: 5n },
        { payTo: '0xaa', usdcBase: 6n },
        { payTo: '0xad', usdcBase: 5n },
      ],
      amounts: [
        { payTo: '0xaa', usdcBase: 5n, senders: ['0xbb', '0xcc'], times: 2, firstAtMs: 1_000 },
        { payTo: '0xaa', usdcBase: 6n, ...once },
        { payTo: '0xad', usdcBase: 5n, ...once },
      ],
    })
  })

  test('a transfer that names an invoice asks for it, and for no other of its amount', () => {
    const { named, amounts } = candidateQueryOf([incoming({ memos: [a] })])
    expect({ named, amounts }).toEqual({ named: [a], amounts: [] })
  })
})

describe('the invoices that transfers may pay', () => {
  const claim = { txHash: '0x01', payer: '0xbb', madeAtMs: 1 }

  test('one that loses a payment is taken as it is then, with the claims made for it', () => {
    const paid = invoice(a, [{ kind: 'credit', payment: payment() }])
    const found = { invoice: paid, claims: [claim], asked: [], countsForOthers: true }
    expect(candidatesOf([found], [invoice(a)])).toEqual([
      { ...candidateOf(invoice(a)), claims: [claim] },
    ])
  })

  test('one that loses a payment is among them although nothing new asked for it', () => {
    const found = { invoice: invoice(a), claims: [], asked: [], countsForOthers: true }
    expect(candidatesOf([found], [invoice(b)]).map((one) => one.invoiceId)).toEqual([a, b])
  })
})

function invoice(id: string, commands: readonly Command[] = []): Invoice.Invoice {
  return { ...after(commands), id }
}
