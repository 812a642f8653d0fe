import { type Decoded, number, object, oneOf, optional, text } from '../codec.ts'
import { type Event, evolve } from './evolve.ts'
import { asCreated, type Invoice } from './invoice.ts'
import { credit, failures, type Payment, payment, settlement } from './progress.ts'

/**
 * One row of an invoice's trail: the events of one commit. `types` has a space between them. `data`
 * is a JSON array of what each adds to the invoice before it; null: nothing but its type and time.
 */
export type Entry = {
  /** Of the first event. */
  readonly sequence: number
  readonly types: string
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
export function entryOf(
  before: Invoice,
  events: readonly Event[],
  now: Date,
): Pick<Entry, 'types' | 'data'> {
  let invoice = before
  const data = events.map((event) => {
    const added = dataOf(event, invoice)
    invoice = evolve(invoice, [event], now) as Invoice
    return added
  })
  const types = events.map(({ type }) => type).join(' ')
  return { types, data: data.some(Boolean) ? JSON.stringify(data) : null }
}

function dataOf(event: Event, { progress }: Invoice): unknown {
  switch (event.type) {
    case 'payment.credited':
      return payment.encode?.(event.payment)
    case 'payment.confirmed':
      return confirmed.encode?.(changesOf(event, progress.payments))
    case 'payment.reverted':
      return reverted.encode?.({ key: event.key })
    case 'invoice.settled':
      return settlement(progress.payments).encode?.(event.settlement)
    case 'invoice.failed':
      return failed.encode?.({ reason: event.reason })
    case 'invoice.credited':
      return credit.encode?.(event.credit)
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
  for (const { sequence, types, data, createdAt } of trail) {
    const added: readonly unknown[] = data === null ? [] : JSON.parse(data)
    for (const [at, type] of types.split(' ').entries()) {
      const event = eventIn(type, added[at] ?? {}, after)
      after = evolve(after, [event], new Date(createdAt)) as Invoice
      happened.push({ sequence: sequence + at, event, invoice: after, createdAt })
    }
  }
  return happened
}

function eventIn(type: string, added: unknown, { progress }: Invoice): Event {
  switch (type) {
    case 'invoice.sent':
    case 'invoice.paid':
      return { type }
    case 'payment.credited':
      return { type, payment: payment.decode(added) }
    case 'payment.confirmed':
      return confirmedIn(confirmed.decode(added), progress.payments)
    case 'payment.reverted':
      return { type, ...reverted.decode(added) }
    case 'invoice.settled':
      return { type, settlement: settlement(progress.payments).decode(added) }
    case 'invoice.failed':
      return { type, ...failed.decode(added) }
    case 'invoice.credited':
      return { type, credit: credit.decode(added) }
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
