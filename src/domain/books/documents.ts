import type { Json } from '../canonical.ts'
import {
  bigint,
  type Codec,
  type Decoded,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../codec.ts'
import {
  type Progress as NoteProgress,
  type Terms as NoteTerms,
  numberOf as noteNumberOf,
  terms as noteTerms,
} from '../credit-notes/credit-note.ts'
import { numberOf as invoiceNumberOf } from '../invoices/figures.ts'
import type { Progress } from '../invoices/progress.ts'
import { terms as invoiceTerms, type Terms } from '../invoices/terms.ts'
import { claimHash } from '../receipts/claims.ts'
import type { Digest } from '../receipts/merkle.ts'
import {
  documentEntries,
  type Entry,
  noteEntries,
  type Row,
  refundEntries,
  transferEntries,
} from './journal.ts'
import type { Period } from './period.ts'

const common = { id: text, year: number, createdAt: text }
const invoice = object({ ...common, kind: oneOf(['invoice']), number, terms: invoiceTerms })
const note = object({
  ...common,
  kind: oneOf(['credit_note']),
  invoiceId: text,
  /** Null: a seller has sent it. */
  number: nullable(number),
  terms: noteTerms,
})

/** What never changes of a document. */
export type Document = Decoded<typeof invoice> | Decoded<typeof note>

/** The same as JSON, of which the root of its month is made. */
export type StoredDocument = Omit<Document, 'terms'> & {
  readonly invoiceId?: string
  readonly terms: { readonly [name: string]: Json }
}

/** Reads a document in place. Throws a `TypeError` if it is none. */
export const document: Codec<Document> = {
  decode(json) {
    const { kind } = (json ?? {}) as Partial<Document>
    return kind === 'credit_note' ? note.decode(json) : invoice.decode(json)
  },
}

const transfer = object({
  /** Chain, transaction and position. */
  key: text,
  /** Null for a purchase, which is booked when it is settled. */
  blockTime: nullable(text),
  usdcBase: bigint,
  feeBase: optional(bigint),
})

/** What the journal knows of a document besides. */
export const booking = object({
  /** When it was settled or, of a credit note, from when it counts. */
  bookedAt: nullable(text),
  /** Its confirmed payments or refunds. */
  transfers: list(transfer),
})

export type Booking = Decoded<typeof booking>

/** `INV-2026-0001`, `PUR-2026-0001`, `CN-2026-0001`, or the number that a seller gave it. */
export function numberOf({ kind, year, number, terms }: Document | StoredDocument): string {
  return kind === 'invoice'
    ? invoiceNumberOf({ year, number: number ?? 0, terms: terms as Terms }, 'api')
    : noteNumberOf({ year, number, terms: terms as NoteTerms })
}

/** What is numbered without gaps: `INV-2026`, `PUR-2026`, `CN-2026`; `received` is from sellers. */
export function seriesOf({ kind, year, number, terms }: Document | StoredDocument): string {
  if (number === null) return 'received'
  return `${kind === 'invoice' ? (terms.isPurchase ? 'PUR' : 'INV') : 'CN'}-${year}`
}

/** The documents of a series in a month, or in a period. */
export type Series = {
  readonly name: string
  /** Null where a series has no numbers. */
  readonly first: number | null
  readonly last: number | null
  readonly count: number
}

/** The series of several months as one. */
export function joined(series: readonly Series[]): readonly Series[] {
  return [...Map.groupBy(series, ({ name }) => name)].map(([name, of]) => {
    const numbers = of.flatMap(({ first, last }) => [first, last]).filter((one) => one !== null)
    const isNumbered = numbers.length > 0
    return {
      name,
      first: isNumbered ? Math.min(...numbers) : null,
      last: isNumbered ? Math.max(...numbers) : null,
      count: of.reduce((sum, { count }) => sum + count, 0),
    }
  })
}

/** The month of an instant, such as `2026-10`. */
export function monthOf(instant: string): string {
  return instant.slice(0, 7)
}

/**
 * Where a document stands: by month, sales before purchases, credit notes and received ones, then
 * by number. Texts that are compared by code unit.
 */
export function placeOf(document: Document): string {
  const { number, createdAt, id } = document
  const rank = ['INV', 'PUR', 'CN', 'received'].indexOf(seriesOf(document).split('-')[0] ?? '')
  return `${monthOf(createdAt)} ${rank} ${`${number ?? 0}`.padStart(10, '0')} ${number === null ? id : ''}`
}

/** The salt of each document's number: 16 bytes, by the seed of the receipt of its month. */
export function saltsOf(seed: Uint8Array): (number: string) => Uint8Array {
  const keyed = new Bun.CryptoHasher('sha256', seed)
  return (number) => keyed.copy().update(number).digest().subarray(0, 16)
}

/** Its leaf in the tree of its month: the hash of a claim named by its number. */
export function leafOf(salt: Uint8Array, stored: StoredDocument): Digest {
  return claimHash(salt, [numberOf(stored), stored as unknown as Json])
}

/** `feeBase`: by the receipt; it is booked with the transfer that completed the amount due. */
export function bookingOfInvoice(
  { payments, settlement }: Progress,
  isPurchase: boolean,
  feeBase: bigint,
): Booking {
  const confirmed = payments.filter((payment) => payment.confirmed)
  const completing = confirmed.find(({ txHash }) => txHash === settlement?.txHash)
  return {
    bookedAt: settlement?.settledAt ?? null,
    transfers: confirmed.map((payment) => ({
      key: payment.key,
      blockTime: isPurchase ? null : (payment.blockTime ?? null),
      usdcBase: payment.usdcBase,
      ...(payment === completing && feeBase > 0n && { feeBase }),
    })),
  }
}

/** `countedAt`: null while its invoice is not settled. */
export function bookingOfNote(
  { refunds }: NoteProgress,
  chain: string,
  countedAt: string | null,
): Booking {
  return {
    bookedAt: countedAt,
    transfers: refunds.flatMap(({ usdcBase, proof }) => {
      if (proof === null) return []
      const { txHash, position, blockTime } = proof
      return [{ key: `${chain}:${txHash}:${position}`, blockTime, usdcBase }]
    }),
  }
}

/** The rows of a document in the journal of a period. */
export function rowsOf(of: Document, booked: Booking, { from, to }: Period): readonly Row[] {
  return entriesOf(of, booked)
    .flatMap(({ rows }) => rows)
    .filter(({ date }) => date >= from && date < to)
}

function entriesOf(of: Document, { bookedAt, transfers }: Booking): readonly Entry[] {
  const at = bookedAt === null ? null : new Date(bookedAt)
  const timed = transfers.flatMap(({ blockTime, feeBase = 0n, ...rest }) =>
    blockTime === null ? [] : [{ ...rest, feeBase, blockTime: new Date(blockTime) }],
  )
  if (of.kind === 'credit_note') {
    const common = { document: numberOf(of), isPurchase: of.terms.isPurchase === true }
    return [
      ...(at === null ? [] : noteEntries({ ...of, countedAt: at })),
      ...timed.flatMap((one) => refundEntries({ ...one, ...common })),
    ]
  }
  const { year, number, terms } = of
  const payments = terms.isPurchase ? transfers.map((one) => ({ ...one, confirmed: true })) : null
  return [
    ...(at === null
      ? []
      : documentEntries({ year, number, settledAt: at, taxed: terms, payments })),
    ...(terms.isPurchase ? [] : timed).flatMap((one) => transferEntries({ ...one, year, number })),
  ]
}
