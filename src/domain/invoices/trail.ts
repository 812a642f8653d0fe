import { type Codec, number, object, oneOf, optional, text } from '../codec.ts'
import { DomainError } from '../error.ts'
import { type Event, evolve } from './evolve.ts'
import { asCreated, type Invoice } from './invoice.ts'
import {
  credit,
  failures,
  type Progress,
  payment,
  type Settlement,
  settlement,
} from './progress.ts'
import { terms } from './terms.ts'

/**
 * One row of an invoice's trail: the events of one commit. `types` has a space between them. `data`
 * is a JSON array of what each adds to the invoice before it; null: nothing but its type and time.
 */
export type Entry = {
  readonly types: string
  readonly data: string | null
  /** The form of `data`, and of what is told of these events. */
  readonly schema: number
  readonly createdAt: Date
}

/** An event with the invoice right after it, whose version is the event's sequence. */
export type Happened = { readonly event: Event; readonly invoice: Invoice }

/**
 * The form in which this program stores events. A change of it, of what events tell, the creation
 * included, or of what a sale's receipt claims gets the next number, and what was stored under
 * former numbers keeps its form: otherwise a retry would send another text under the same id, and
 * the claims would no longer have their hash. `terms.schema` is that of the creation.
 */
export const schema = 1

const confirmed = object({
  key: optional(text),
  blockNumber: optional(number),
  blockTime: optional(text),
  from: optional(text),
})

// biome-ignore lint/suspicious/noExplicitAny: each has members of its own
type Form = Codec<any>

const credited = only('payment', payment)
const reverted = object({ key: text })
const failed = object({ reason: oneOf(failures) })
const takenBack = only('credit', credit)
// Those after it are those before the next one, or the invoice's own.
const amended = only('was', terms)
const nothing = known({})

/** How the members of each type of event are stored, by the progress of its invoice. */
const forms: Readonly<Record<string, (before: Progress) => Form>> = {
  'invoice.sent': () => nothing,
  'invoice.amended': () => amended,
  'invoice.paid': () => nothing,
  'payment.credited': () => credited,
  'payment.confirmed': confirmedAmong,
  'payment.reverted': () => reverted,
  'invoice.settled': ({ payments }) => only('settlement', settlement(payments)),
  'invoice.failed': () => failed,
  'invoice.credited': () => takenBack,
  'settlement.confirmed': (before) => known({ settlement: inForce(before) }),
  'settlement.failed': (before) => known({ settlement: inForce(before), reason: 'reorged' }),
  'invoice.completed': (before) => known({ receiptId: inForce(before).receiptId }),
}

function formOf(type: string, { progress }: Invoice): Form {
  const form = forms[type]
  if (!form) throw new TypeError(`${type} is no event of an invoice`)
  return form(progress)
}

/** What the trail stores of events that happen to `before` at `now`. */
export function entryOf(before: Invoice, events: readonly Event[], now: Date) {
  let invoice = before
  const data = events.map((event) => {
    const { type, ...members } = event
    const added = formOf(type, invoice).encode?.(members)
    invoice = evolve(invoice, [event], now) as Invoice
    return added
  })
  const types = events.map(({ type }) => type).join(' ')
  return { types, data: data.some(Boolean) ? JSON.stringify(data) : null }
}

/**
 * All that has happened to an invoice, its creation first, from what its trail has stored. Errors:
 * `unavailable` if a newer version of this program has written it; a `TypeError` for a trail that
 * is not one of this invoice.
 */
export function replay(whole: Invoice, trail: readonly Entry[]): readonly Happened[] {
  const { id, accountId } = whole
  if (Math.max(whole.terms.schema ?? 1, ...trail.map((entry) => entry.schema)) > schema)
    throw new DomainError('unavailable', 'A newer version of the service has written this', {
      operatorText: `the trail of invoice ${id} has a newer schema`,
    })
  const stored = trail.flatMap(({ types, data, createdAt }) => {
    const added: readonly unknown[] = data === null ? [] : JSON.parse(data)
    return types.split(' ').map((type, at) => ({ type, added: added[at] ?? {}, createdAt }))
  })
  const former = stored.filter(({ type }) => type === 'invoice.amended')
  const [first, ...later] = [...former.map(({ added }) => amended.decode(added).was), whole.terms]
  let invoice: Invoice = { ...asCreated(whole), terms: first }
  const happened: Happened[] = [
    { event: { type: 'invoice.created', id, accountId, terms: first }, invoice },
  ]
  for (const { type, added, createdAt } of stored) {
    const members =
      type === 'invoice.amended'
        ? { was: invoice.terms, terms: later.shift() }
        : formOf(type, invoice).decode(added)
    const event = { type, ...members } as Event
    invoice = evolve(invoice, [event], createdAt) as Invoice
    happened.push({ event, invoice })
  }
  return happened
}

/** An event whose members follow from its invoice stores none. */
function known(members: object): Codec<object> {
  return { decode: () => members, encode: () => null }
}

function only<T>(name: string, { decode, encode }: Codec<T>): Form {
  return { decode: (json) => ({ [name]: decode(json) }), encode: (event) => encode?.(event[name]) }
}

function inForce({ settlement }: Progress): Settlement {
  if (!settlement) throw new TypeError('there is no settlement')
  return settlement
}

/** What differs from the payment that it confirms, which without `key` is the last one. */
function confirmedAmong({ payments }: Progress): Form {
  const last = payments.at(-1)?.key
  const paymentBy = (key: string | undefined) => payments.find((one) => one.key === key)
  return {
    decode(json) {
      const { key = last, ...anew } = confirmed.decode(json)
      const { blockNumber, blockTime, from } = { ...paymentBy(key), ...anew }
      return { key, blockNumber, ...(blockTime !== undefined && { blockTime }), from }
    },
    encode({ key, blockNumber, blockTime, from }: Extract<Event, { type: 'payment.confirmed' }>) {
      const before = paymentBy(key)
      return {
        ...(key !== last && { key }),
        ...(blockNumber !== before?.blockNumber && { blockNumber }),
        ...(blockTime !== undefined && blockTime !== before?.blockTime && { blockTime }),
        ...(from !== before?.from && { from }),
      }
    },
  }
}
