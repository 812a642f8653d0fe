import { type Decoded, fromText, number, object, oneOf, optional, text, toText } from '../codec.ts'
import { type Event, evolve } from './evolve.ts'
import { asCreated, type Invoice } from './invoice.ts'
import { credit, failures, type Payment, payment, settlement } from './progress.ts'

/**
 * One row of an invoice's trail. `data` is JSON text of what the event adds to the invoice before
 * it; null: nothing but its type and time.
 */
export type Entry = {
  readonly sequence: number
  readonly type: string
  readonly data: string | null
  readonly createdAt: string
}

/** An event with the invoice right after it. */
export type Happened = {
  readonly sequence: number
  readonly event: Event
  readonly invoice: Invoice
  readonly createdAt: string
}

/** The form of `data`. A change of it, or of what is told of events, gets the next number. */
export const schema = 1

const confirmed = object({
  /** Absent: of the last payment. */
  key: optional(text),
  blockNumber: optional(number),
  blockTime: optional(text),
  from: optional(text),
})
const reverted = object({ key: text })
const failed = object({ reason: oneOf(failures) })

/** What the trail stores of events that happen to `before` at `now`. */
export function entriesOf(before: Invoice, events: readonly Event[], now: Date) {
  let invoice = before
  return events.map((event) => {
    const entry = { type: event.type, data: dataOf(event, invoice) }
    invoice = evolve(invoice, [event], now) as Invoice
    return entry
  })
}

function dataOf(event: Event, { progress }: Invoice): string | null {
  switch (event.type) {
    case 'payment.credited':
      return toText(payment, event.payment)
    case 'payment.confirmed':
      return toText(confirmed, changesOf(event, progress.payments))
    case 'payment.reverted':
      return toText(reverted, { key: event.key })
    case 'invoice.settled':
      return toText(settlement(progress.payments), event.settlement)
    case 'invoice.failed':
      return toText(failed, { reason: event.reason })
    case 'invoice.credited':
      return toText(credit, event.credit)
    default:
      return null
  }
}

/**
 * All that has happened to an invoice, its creation first, from what its trail has stored. Throws a
 * `TypeError` for a trail that is not one of this invoice.
 */
export function replay(invoice: Invoice, trail: readonly Entry[]): readonly Happened[] {
  let after = asCreated(invoice)
  const { id, accountId, terms, createdAt } = invoice
  const event = { type: 'invoice.created', id, accountId, terms } as const
  const happened: Happened[] = [{ sequence: 1, event, invoice: after, createdAt }]
  for (const entry of trail) {
    const event = eventIn(entry, after)
    after = evolve(after, [event], new Date(entry.createdAt)) as Invoice
    happened.push({ sequence: entry.sequence, event, invoice: after, createdAt: entry.createdAt })
  }
  return happened
}

function eventIn({ type, data }: Entry, { progress }: Invoice): Event {
  const said = data ?? '{}'
  switch (type) {
    case 'invoice.sent':
    case 'invoice.paid':
      return { type }
    case 'payment.credited':
      return { type, payment: fromText(payment, said) }
    case 'payment.confirmed':
      return confirmedIn(fromText(confirmed, said), progress.payments)
    case 'payment.reverted':
      return { type, ...fromText(reverted, said) }
    case 'invoice.settled':
      return { type, settlement: fromText(settlement(progress.payments), said) }
    case 'invoice.failed':
      return { type, ...fromText(failed, said) }
    case 'invoice.credited':
      return { type, credit: fromText(credit, said) }
  }
  const { settlement: inForce } = progress
  if (!inForce) throw new TypeError(`${type} without a settlement`)
  switch (type) {
    case 'settlement.confirmed':
      return { type, settlement: inForce }
    case 'settlement.failed':
      return { type, settlement: inForce, reason: 'reorged' }
    case 'invoice.completed':
      return { type, receiptId: inForce.receiptId }
  }
  throw new TypeError(`${type} is no event of an invoice`)
}

type Confirmed = Extract<Event, { type: 'payment.confirmed' }>

/** What a confirmation says anew of its payment. */
function changesOf(event: Confirmed, payments: readonly Payment[]): Decoded<typeof confirmed> {
  const { key, blockNumber, blockTime, from } = event
  const known = payments.find((one) => one.key === key)
  return {
    ...(key !== payments.at(-1)?.key && { key }),
    ...(blockNumber !== known?.blockNumber && { blockNumber }),
    ...(blockTime !== undefined && blockTime !== known?.blockTime && { blockTime }),
    ...(from !== known?.from && { from }),
  }
}

function confirmedIn(
  { key, ...anew }: Decoded<typeof confirmed>,
  payments: readonly Payment[],
): Confirmed {
  const known = key === undefined ? payments.at(-1) : payments.find((one) => one.key === key)
  if (!known) throw new TypeError('a payment is confirmed that was never credited')
  const { blockNumber, blockTime, from } = { ...known, ...anew }
  const at = blockTime === undefined ? { blockNumber } : { blockNumber, blockTime }
  return { type: 'payment.confirmed', key: known.key, ...at, from }
}
