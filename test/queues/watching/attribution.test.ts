import { describe, expect, test } from 'bun:test'
import type { Transfer } from '../../../src/chain/chain.ts'
import type { Command } from '../../../src/domain/invoices/decide.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { type Credit, candidateOf } from '../../../src/domain/settlement/candidate.ts'
import {
  candidatesOf,
  formerRows,
  incomingOf,
  paymentsBefore,
} from '../../../src/queues/watching/attribution.ts'
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
    over: Partial<Transfer> = {},
  ): StoredTransfer => ({
    ...transferOf({ position, ...over }),
    state: 'confirmed',
    credit,
    heldAs: null,
  })

  test('by a reference it has not paid, where its twin has it', () => {
    const credit = { invoiceId: a, matchedBy: 'reference' } as const
    const before = paymentsBefore([stored(3, credit), stored(4, null)])
    expect(before(incoming({ position: 5, references }))).toEqual([credit])
    expect(before(incoming({ position: 6 }))).toEqual([])
  })

  test('by its amount it has not paid where it names an invoice and its twin does not', () => {
    const credit = { invoiceId: b, matchedBy: 'amount' } as const
    const before = paymentsBefore([stored(3, null), stored(4, credit)])
    expect(before(incoming({ position: 5, references }))).toEqual([])
    expect(before(incoming({ position: 6 }))).toEqual([credit])
  })

  describe('is read from the rows', () => {
    const credit = { invoiceId: a, matchedBy: 'operator' } as const
    const first = [stored(3, credit), stored(4, null)]
    const later = { blockNumber: 8, blockHash: '0x08' }
    const second = [stored(5, credit, later), stored(6, null, later)]

    test('that are gone now, whatever an earlier block has left', () => {
      expect(formerRows(second, first)).toEqual(second)
      expect(formerRows(first, second)).toEqual(first)
    })

    test('of the highest of the blocks that have left all of theirs', () => {
      expect(formerRows([], [...second, ...first])).toEqual(second)
      const lower = { blockNumber: 6, blockHash: '0x06' }
      const third = [stored(4, credit, lower), stored(5, null, lower)]
      expect(formerRows([], [...first.slice(0, 1), ...third])).toEqual(third)
    })

    test('of each transaction for itself', () => {
      const other = stored(9, null, { txHash: '0x02' })
      expect(formerRows(second, [...first, other])).toEqual([...second, other])
    })
  })

  test('by its amount or payer it has paid at any place in its transaction', () => {
    const credit = { invoiceId: a, matchedBy: 'amount' } as const
    expect(paymentsBefore([stored(3, credit)])(incoming({ position: 9 }))).toEqual([credit])
    expect(paymentsBefore([stored(3, credit)])(incoming({ txHash: '0x02' }))).toEqual([])
  })
})

describe('what is asked to find invoices', () => {
  test('addresses and transactions once each, and every transfer of an amount to an address', () => {
    const transfers = [
      incoming({ blockTimeMs: 2_000 }),
      incoming({ position: 4, from: '0xcc' }),
      incoming({ txHash: '0x02', usdcBase: 6n }),
      incoming({ txHash: '0x03', to: '0xad' }),
    ]
    const first = { from: '0xbb', blockTimeMs: 1_000 }
    expect(candidateQueryOf(transfers)).toEqual({
      named: [],
      addresses: ['0xaa', '0xad'],
      txHashes: ['0x01', '0x02', '0x03'],
      amounts: [
        {
          to: '0xaa',
          usdcBase: 5n,
          transfers: [
            { from: '0xbb', blockTimeMs: 2_000 },
            { from: '0xcc', blockTimeMs: 1_000 },
          ],
        },
        { to: '0xaa', usdcBase: 6n, transfers: [first] },
        { to: '0xad', usdcBase: 5n, transfers: [first] },
      ],
    })
  })

  test('a transfer that names an invoice asks for it, and for no other of its amount', () => {
    const { named, amounts } = candidateQueryOf([incoming({ memos: [a] })])
    expect({ named, amounts }).toEqual({ named: [a], amounts: [] })
  })
})

describe('the invoices that transfers may pay', () => {
  const claim = {
    txHash: '0x01',
    payer: '0xbb',
    madeBy: 'claim',
    madeAtMs: 1,
    usdcBase: null,
  } as const

  test('one that loses a payment is taken as it is then, with the claims made for it', () => {
    const paid = invoice(a, [{ kind: 'credit', payment: payment() }])
    const reopened = candidateOf(invoice(a))
    expect(
      candidatesOf([{ invoice: paid, claims: [claim], asked: [] }], [reopened], [], []),
    ).toEqual([{ ...reopened, claims: [{ ...claim, isUsed: false, isSince: false }] }])
  })

  test('are claimed since a transaction was gone if it paid nothing by that claim before', () => {
    const isSince = (credit: Credit, state: StoredTransfer['state'] = 'reverted') => {
      const former = { ...transferOf({}), state, credit, heldAs: null }
      const found = { invoice: invoice(a), claims: [claim], asked: [] }
      return candidatesOf([found], [], [], [former])[0]?.claims[0]?.isSince
    }
    expect(isSince({ invoiceId: b, matchedBy: 'claim' })).toBe(true)
    expect(isSince({ invoiceId: a, matchedBy: 'amount' })).toBe(true)
    expect(isSince({ invoiceId: a, matchedBy: 'claim' })).toBe(false)
    expect(isSince({ invoiceId: b, matchedBy: 'claim' }, 'seen')).toBe(false)
  })

  test('one that loses a payment is among them although nothing new asked for it', () => {
    const found = { invoice: invoice(a), claims: [], asked: [] }
    expect(
      candidatesOf([found], [candidateOf(invoice(b))], [], []).map((one) => one.invoiceId),
    ).toEqual([a, b])
  })
})

function invoice(id: string, commands: readonly Command[] = []): Invoice.Invoice {
  return { ...after(commands), id }
}
