import { describe, expect, test } from 'bun:test'
import type { CreditNote } from '../../../src/domain/credit-notes/credit-note.ts'
import { draftOf, type Request } from '../../../src/domain/credit-notes/draft.ts'
import { evolve } from '../../../src/domain/credit-notes/evolve.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { dueUsdcBase, overpaidUsdcBase } from '../../../src/domain/invoices/balance.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve as evolveInvoice } from '../../../src/domain/invoices/evolve.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import type { Line, TaxShare } from '../../../src/domain/invoices/lines.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import {
  divideHalfUp,
  share,
  sumOf,
  toDecimal,
  toDueUsdcBase,
} from '../../../src/domain/money/money.ts'
import { seeded } from '../../faults/random.ts'
import { noteAfter } from '../../support/credit-note.ts'
import { after, payment } from '../../support/invoice.ts'

const now = new Date('2026-05-01T12:00:00.000Z')

type Below = (below: number) => number

function randomFrom(seed: number): Below {
  const random = seeded(`credit notes ${seed}`)
  return (below) => random.between(0, below - 1)
}

const taxed = [
  ['standard', 1900],
  ['reduced', 700],
  ['reduced', 550],
  ['zero', 0],
  ['exempt', 0],
] as const

function linedTerms(random: Below, scale: number): Partial<Terms> {
  const lines = Array.from({ length: 1 + random(6) }, (_, at): Line => {
    const [category, rateBasisPoints] = taxed[random(taxed.length)] ?? taxed[0]
    const quantity = BigInt(1 + random(30_000_000))
    const price = BigInt(1 + random(20_000_000)) * 10n ** 5n
    const netUnits = divideHalfUp(quantity * price, 10n ** BigInt(18 - scale))
    const unitPrice = toDecimal(price, 12)
    const text = { description: `Line ${at}`, unit: 'C62', unitPrice }
    return { ...text, quantity: toDecimal(quantity, 6), netUnits, category, rateBasisPoints }
  })
  const kinds = Map.groupBy(lines, (one) => `${one.category} ${one.rateBasisPoints}`)
  const breakdown = [...kinds.values()].map((alike): TaxShare => {
    const { category, rateBasisPoints } = alike[0] as Line
    const baseUnits = sumOf(alike, ({ netUnits }) => netUnits)
    const taxUnits = share(baseUnits, rateBasisPoints)
    return { category, rateBasisPoints, baseUnits, taxUnits, reason: null }
  })
  const subtotalUnits = sumOf(breakdown, ({ baseUnits }) => baseUnits)
  const taxUnits = sumOf(breakdown, (one) => one.taxUnits)
  const tax = { countryCode: 'DE', rateBasisPoints: null, taxUnits, breakdown }
  return { lines, subtotalUnits, tax, totalUnits: subtotalUnits + taxUnits }
}

function flatTerms(random: Below): Partial<Terms> {
  const subtotalUnits = BigInt(1 + random(5_000_000))
  const [, rateBasisPoints] = taxed[random(taxed.length)] ?? taxed[0]
  const taxUnits = share(subtotalUnits, rateBasisPoints)
  const tax = { countryCode: 'DE', rateBasisPoints, taxUnits }
  return { subtotalUnits, tax, totalUnits: subtotalUnits + taxUnits }
}

/** An invoice of random terms, open, partly paid or settled by two payers. */
function invoiceFrom(random: Below): Invoice {
  const scale = [0, 2, 3, 6][random(4)] ?? 2
  const priced = random(2) === 0 ? flatTerms(random) : linedTerms(random, scale)
  if (!priced.totalUnits) return invoiceFrom(random)
  const fx = random(2) === 0 ? null : { rate: '1.0837', source: 'test', asOf: '2026-05-01' }
  const due = toDueUsdcBase(priced.totalUnits, scale, fx?.rate ?? null)
  const over = { currency: 'EUR', scale, fx, ...priced, dueUsdcBase: due > 0n ? due : 1n }
  const paid = [0n, over.dueUsdcBase / 3n, over.dueUsdcBase][random(3)] ?? 0n
  const parts = paid < 2n ? [] : [paid / 2n, paid - paid / 2n]
  const payers = ['0xaa', '0xbb']
  return after(
    parts.flatMap((usdcBase, at): Command[] => {
      const key = `base:0x0${at}:0`
      const from = payers[at] ?? ''
      const ids = { settlementId: 'stl', receiptId: 'drs', confirmations: 5, blockNumber: 7 }
      return [
        { kind: 'credit', payment: payment({ key, usdcBase, from }) },
        { kind: 'confirm', key, from, ...ids },
      ]
    }),
    over,
  )
}

type Credited = { readonly invoice: Invoice; readonly notes: readonly CreditNote[] }

function credit({ invoice, notes }: Credited, request: Partial<Request>): Credited {
  const nothing = { sellerNumber: null, amountSource: null, lines: null, reason: 'Returned' }
  const { terms, refunds, ...draft } = draftOf(invoice, notes, {
    form: 'v1',
    ...nothing,
    ...request,
  })
  const ids = { id: `note ${notes.length}`, accountId: 'acc', invoiceId: 'inv' }
  const note = evolve(
    undefined,
    [{ type: 'credit_note.issued', ...ids, terms, refunds }],
    now,
  ) as CreditNote
  const credited = { noteId: note.id, number: `${notes.length}`, ...draft.credit }
  const settling = { head: 9, settlementId: 'stl', receiptId: 'drs' }
  const events = decide(invoice, { kind: 'take_back', credit: credited, ...settling }, now)
  return { invoice: evolveInvoice(invoice, events, now) as Invoice, notes: [...notes, note] }
}

/** Undefined where it is more than is left, or comes to nothing. */
function tried(credited: Credited, request: Partial<Request>): Credited | undefined {
  try {
    return credit(credited, request)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (!['credit_exceeded', 'invalid_amount', 'invalid_request'].includes(error.reason))
      throw error
    return undefined
  }
}

function requestFrom(random: Below, { terms }: Invoice): Partial<Request> {
  const kind = random(3)
  if (kind === 0) {
    const units = (terms.totalUnits * BigInt(1 + random(700))) / 1_000n
    return { amountSource: toDecimal(units, terms.scale) }
  }
  const count = terms.lines?.length ?? 1
  const lines = Array.from({ length: count }, (_, at) => at + 1).filter(() => random(2) === 0)
  return {
    lines: lines.map((line) => {
      const most = terms.lines?.[line - 1]?.quantity ?? '1'
      return { line, quantitySource: random(3) === 0 ? most : `${random(2_000_000) / 1_000_000}` }
    }),
  }
}

describe('the credit notes of an invoice', () => {
  test('are a hundred at most', () => {
    const notes = Array.from({ length: 100 }, () => noteAfter([], []))
    expect(() => credit({ invoice: after([]), notes }, { amountSource: '1' })).toThrow(
      'at most 100',
    )
  })

  test('add up to it to the last unit, with tax, in any order and form', () => {
    let count = 0
    for (let seed = 0; seed < 600; seed++) {
      const random = randomFrom(seed)
      const invoice = invoiceFrom(random)
      let credited: Credited = { invoice, notes: [] }
      for (let n = 0; n < 6; n++)
        credited = tried(credited, requestFrom(random, invoice)) ?? credited
      const done = tried(credited, {}) ?? credited
      const { terms } = invoice
      const notes = done.notes.map((note) => note.terms)
      const sums = [
        sumOf(notes, ({ subtotalUnits }) => subtotalUnits),
        sumOf(notes, ({ taxUnits }) => taxUnits),
        sumOf(notes, ({ totalUnits }) => totalUnits),
        sumOf(notes, ({ usdcBase }) => usdcBase),
      ]
      const wanted = [terms.subtotalUnits, terms.tax.taxUnits, terms.totalUnits, terms.dueUsdcBase]
      expect([seed, ...sums]).toEqual([seed, ...wanted])
      for (const { breakdown, lines = [], totalUnits, subtotalUnits } of notes) {
        const parts = breakdown.flatMap(({ baseUnits, taxUnits }) => [baseUnits, taxUnits])
        expect(sumOf(parts, (part) => part)).toBe(totalUnits)
        expect([...parts, totalUnits - 1n].every((part) => part >= 0n)).toBe(true)
        if (lines.length > 0) expect(sumOf(lines, ({ netUnits }) => netUnits)).toBe(subtotalUnits)
      }
      expect(tried(done, {})).toBeUndefined()
      count += notes.length
    }
    expect(count).toBeGreaterThan(1_500)
  })

  test('give back what was paid, to those who paid it, and leave nothing due', () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = randomFrom(seed)
      const invoice = invoiceFrom(random)
      let credited: Credited = { invoice, notes: [] }
      for (let n = 0; n < 3; n++)
        credited = tried(credited, requestFrom(random, invoice)) ?? credited
      const done = tried(credited, {}) ?? credited
      const refunds = done.notes.flatMap(({ progress }) => progress.refunds)
      for (const { from, usdcBase } of invoice.progress.payments) {
        const back = refunds.filter(({ payer }) => payer === from)
        expect(sumOf(back, (refund) => refund.usdcBase)).toBe(usdcBase)
      }
      const received = sumOf(invoice.progress.payments, ({ usdcBase }) => usdcBase)
      expect(dueUsdcBase(done.invoice)).toBe(received)
      expect(overpaidUsdcBase(done.invoice)).toBe(0n)
      expect(done.invoice.state).toBe(received > 0n ? 'settled' : 'failed')
    }
  })
})
