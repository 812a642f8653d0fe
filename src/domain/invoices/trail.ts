import { type Codec, number, object, oneOf, optional, text } from '../codec.ts'
import { DomainError } from '../error.ts'
import { type Event, evolve } from './evolve.ts'
import { asCreated, type Invoice } from './invoice.ts'
import { credit, failures, payment, settlement } from './progress.ts'

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

/** What differs from the payment; without `key` it is the last one. */
const confirmed = object({
  key: optional(text),
  blockNumber: optional(number),
  blockTime: optional(text),
  from: optional(text),
})

// biome-ignore lint/suspicious/noExplicitAny: each has members of its own
type Form = Codec<any>

/** How the members of each type of event are stored, if it happens to this invoice. */
function formsOf({ progress }: Invoice): Readonly<Record<string, Form>> {
  const { payments, settlement: inForce } = progress
  const last = payments.at(-1)?.key
  return {
    'invoice.sent': known({}),
    'invoice.paid': known({}),
    'payment.credited': only('payment', payment),
    'payment.confirmed': {
      decode(json) {
        const { key = last, ...anew } = confirmed.decode(json)
        const { blockNumber, blockTime, from } = { ...payments.find(keyed(key)), ...anew }
        return { key, blockNumber, ...(blockTime !== undefined && { blockTime }), from }
      },
      encode: ({ key, ...seen }: Extract<Event, { type: 'payment.confirmed' }>) => ({
        ...(key !== last && { key }),
        ...differing(seen, payments.find(keyed(key)) ?? {}),
      }),
    },
    'payment.reverted': object({ key: text }),
    'invoice.settled': only('settlement', settlement(payments)),
    'invoice.failed': object({ reason: oneOf(failures) }),
    'invoice.credited': only('credit', credit),
    ...(inForce && {
      'settlement.confirmed': known({ settlement: inForce }),
      'settlement.failed': known({ settlement: inForce, reason: 'reorged' }),
      'invoice.completed': known({ receiptId: inForce.receiptId }),
    }),
  }
}

/** What the trail stores of events that happen to `before` at `now`. */
export function entryOf(before: Invoice, events: readonly Event[], now: Date) {
  let invoice = before
  const data = events.map(({ type, ...members }) => {
    const added = formsOf(invoice)[type]?.encode?.(members)
    invoice = evolve(invoice, [{ type, ...members } as Event], now) as Invoice
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
  let invoice = asCreated(whole)
  const { id, accountId, terms } = invoice
  if (Math.max(terms.schema ?? 1, ...trail.map((entry) => entry.schema)) > schema)
    throw new DomainError('unavailable', 'A newer version of the service has written this', {
      operatorText: `the trail of invoice ${id} has a newer schema`,
    })
  const happened: Happened[] = [
    { event: { type: 'invoice.created', id, accountId, terms }, invoice },
  ]
  for (const { types, data, createdAt } of trail) {
    const added: readonly unknown[] = data === null ? [] : JSON.parse(data)
    for (const [at, type] of types.split(' ').entries()) {
      const form = formsOf(invoice)[type]
      if (!form) throw new TypeError(`${type} cannot happen to the invoice`)
      const event = { type, ...form.decode(added[at] ?? {}) } as Event
      invoice = evolve(invoice, [event], createdAt) as Invoice
      happened.push({ event, invoice })
    }
  }
  return happened
}

function known(members: object): Codec<object> {
  return { decode: () => members, encode: () => null }
}

function only<T>(name: string, { decode, encode }: Codec<T>): Form {
  return { decode: (json) => ({ [name]: decode(json) }), encode: (event) => encode?.(event[name]) }
}

function differing(members: object, from: object): object {
  const others = new Map<string, unknown>(Object.entries(from))
  return Object.fromEntries(Object.entries(members).filter(([name, is]) => others.get(name) !== is))
}

const keyed = (key: string | undefined) => (one: { readonly key: string }) => one.key === key
