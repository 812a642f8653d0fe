import { expect, test } from 'bun:test'
import { hex } from '@scure/base'
import fc from 'fast-check'
import { canonical } from '../../../src/domain/canonical.ts'
import { fromText } from '../../../src/domain/codec.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { newProgress } from '../../../src/domain/invoices/progress.ts'
import { terms as termsCodec } from '../../../src/domain/invoices/terms.ts'
import { type Entry, entryOf, replay, schema } from '../../../src/domain/invoices/trail.ts'
import { eventData } from '../../../src/domain/invoices/view.ts'
import { claimsOfSale } from '../../../src/domain/receipts/receipt.ts'
import { after, payment, terms } from '../../support/invoice.ts'
import vectors from '../../vectors/invoice-events.json' with { type: 'json' }

const hash = (digit: number) => `0x${`${digit}`.repeat(64)}`
const signature =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
const keys = {
  [`base:${hash(1)}:0`]: hash(1),
  [`base:${hash(2)}:7`]: hash(2),
  [`x402:base:${hash(3)}`]: hash(3),
  [`solana:${signature}:1`]: signature,
}
const key = fc.constantFrom(...Object.keys(keys))

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.constantFrom<Command>(
    { kind: 'send' },
    { kind: 'void' },
    { kind: 'expire' },
    { kind: 'receipt_anchored', receiptId: 'drs_1' },
    { kind: 'settle_anew', head: 20, settlementId: 'stl_2', receiptId: 'drs_1' },
  ),
  fc
    .tuple(
      key,
      fc.constantFrom(1n, 6_250_000n, 12_500_000n),
      fc.constantFrom('2026-05-01T11:59:48.000Z', undefined),
    )
    .map(([key, usdcBase, blockTime]): Command => {
      const txHash = keys[key] ?? ''
      const at = blockTime === undefined ? {} : { blockTime }
      return { kind: 'credit', payment: payment({ key, usdcBase, txHash, ...at }) }
    }),
  fc.tuple(key, fc.constantFrom(7, 9)).map(
    ([key, blockNumber]): Command => ({
      ...{ kind: 'confirm', key, blockNumber, blockTime: '2026-05-01T11:59:50.000Z' },
      ...{ from: payment().from, confirmations: 5, settlementId: 'stl_1', receiptId: 'drs_1' },
    }),
  ),
  key.map((key): Command => ({ kind: 'revert', key })),
  fc.constantFrom('base', 'polygon').map(
    (chain): Command => ({
      kind: 'amend',
      terms: terms({ chain, isPurchase: true, agentId: 'agent', subtotalUnits: 6_250_000n }),
    }),
  ),
  fc.constantFrom(0n, 1_000_000n).map((refundUsdcBase): Command => {
    const credit = { noteId: 'note', number: 'CN-1', totalUnits: 1_000_000n, refundUsdcBase }
    const ids = { settlementId: 'stl_3', receiptId: 'drs_3' }
    return { kind: 'take_back', credit: { ...credit, usdcBase: 1_000_000n }, head: 20, ...ids }
  }),
)

test('an event is told from the stored trail as when it happened, and so is the invoice', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(command, { maxLength: 20 }), (isPurchase, commands) => {
      const over = isPurchase ? { isPurchase } : {}
      let invoice = after([], { dueAt: '2026-05-01T18:00:00.000Z', ...over })
      const trail: Entry[] = []
      const told = [eventData({ type: 'invoice.created', ...invoice }, invoice)]
      for (const [n, command] of commands.entries()) {
        const now = new Date(Date.UTC(2026, 4, 2) + n)
        const before = invoice
        const events = decided(before, command, now)
        for (const event of events) {
          invoice = evolve(invoice, [event], now) as Invoice
          told.push(eventData(event, invoice))
        }
        const at = { createdAt: now, schema }
        if (events.length > 0) trail.push({ ...entryOf(before, events, now), ...at })
      }
      const happened = replay(invoice, trail)
      expect(happened.map(({ event, invoice }) => eventData(event, invoice))).toEqual(told)
      expect(happened.at(-1)?.invoice).toEqual(invoice)
    }),
  )
})

function decided(invoice: Invoice, command: Command, now: Date) {
  try {
    return decide(invoice, command, now)
  } catch (error) {
    if (error instanceof DomainError) return []
    throw error
  }
}

type Vector = (typeof vectors)[number]

/** What the trail of a vector tells, from the terms and entries as they were stored. */
function lifeOf({ invoice, terms, trail }: Vector, over: { readonly schema?: number } = {}) {
  const stored = { ...invoice, version: 1, state: 'draft', updatedAt: '', progress: newProgress }
  const whole = { ...stored, terms: fromText(termsCodec, terms) } as Invoice
  return replay(
    whole,
    trail.map((entry) => ({ ...entry, ...over, createdAt: new Date(entry.createdAt) })),
  )
}

test('what was stored by an earlier release is told as it was then', () => {
  for (const vector of vectors) {
    const texts = lifeOf(vector).map(({ event, invoice }) => eventData(event, invoice))
    expect(texts).toEqual(vector.told)
  }
})

test('a receipt issued by an earlier release states what it did then', () => {
  for (const vector of vectors)
    for (const { id, seed, hash, invoiceVersion, feeBase, claims } of vector.receipts) {
      const source = { invoiceVersion, feeBase: BigInt(feeBase) }
      const receipt = {
        id,
        seed: hex.decode(seed.slice(2)),
        hash: hex.decode(hash.slice(2)),
        source,
      }
      expect(canonical(claimsOfSale(lifeOf(vector), receipt))).toBe(claims)
      const otherFee = { ...source, feeBase: source.feeBase + 1n }
      expect(() => claimsOfSale(lifeOf(vector), { ...receipt, source: otherFee })).toThrow(
        expect.objectContaining({ reason: 'unavailable' }),
      )
    }
})

test('what a newer release has stored is refused, and not told in a form of this one', () => {
  const newer = expect.objectContaining({ reason: 'unavailable' })
  for (const vector of vectors) {
    expect(() => lifeOf(vector, { schema: schema + 1 })).toThrow(newer)
    const terms = vector.terms.replace('{', `{"schema":${schema + 1},`)
    expect(() => lifeOf({ ...vector, terms })).toThrow(newer)
  }
})
