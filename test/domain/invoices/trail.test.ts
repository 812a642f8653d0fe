import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromText } from '../../../src/domain/codec.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { type Command, decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { newProgress } from '../../../src/domain/invoices/progress.ts'
import { terms as termsCodec } from '../../../src/domain/invoices/terms.ts'
import { type Entry, entryOf, replay } from '../../../src/domain/invoices/trail.ts'
import { eventData } from '../../../src/domain/invoices/view.ts'
import { after, payment } from '../../support/invoice.ts'
import vectors from '../../vectors/invoice-events.json' with { type: 'json' }

const hash = (digit: number) => `0x${`${digit}`.repeat(64)}`
const keys = [`base:${hash(1)}:0`, `base:${hash(2)}:7`, `x402:base:${hash(3)}`]

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
      fc.constantFrom(...keys),
      fc.constantFrom(1n, 6_250_000n, 12_500_000n),
      fc.constantFrom('2026-05-01T11:59:48.000Z', undefined),
    )
    .map(([key, usdcBase, blockTime]): Command => {
      const txHash = hash(keys.indexOf(key) + 1)
      const at = blockTime === undefined ? {} : { blockTime }
      return { kind: 'credit', payment: payment({ key, usdcBase, txHash, ...at }) }
    }),
  fc.tuple(fc.constantFrom(...keys), fc.constantFrom(7, 9)).map(
    ([key, blockNumber]): Command => ({
      ...{ kind: 'confirm', key, blockNumber, blockTime: '2026-05-01T11:59:50.000Z' },
      ...{ from: payment().from, confirmations: 5, settlementId: 'stl_1', receiptId: 'drs_1' },
    }),
  ),
  fc.constantFrom(...keys).map((key): Command => ({ kind: 'revert', key })),
)

test('an event is told from the stored trail as when it happened, and so is the invoice', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
      let invoice = after([])
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
        const at = { createdAt: now }
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

test('what was stored by an earlier release is told as it was then', () => {
  for (const { invoice, terms, trail, told } of vectors) {
    const stored = { ...invoice, version: 1, state: 'draft', updatedAt: '', progress: newProgress }
    const whole = { ...stored, terms: fromText(termsCodec, terms) } as Invoice
    const texts = replay(
      whole,
      trail.map((entry) => ({ ...entry, createdAt: new Date(entry.createdAt) })),
    ).map(({ event, invoice }) => eventData(event, invoice))
    expect(texts).toEqual(told)
  }
})
