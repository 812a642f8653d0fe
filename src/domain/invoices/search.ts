import { isUuid } from '../id.ts'
import { isTxHash } from '../network.ts'

/** What somebody searching for an invoice may know of it. */
export type Search =
  /** The number on the invoice; without a year, in any year. */
  | { readonly kind: 'number'; readonly year: number | null; readonly number: number }
  | { readonly kind: 'id'; readonly id: string }
  /** A transaction's hash or a payment reference: 32 bytes of hex, or a Solana signature. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** Part of the buyer's name or e-mail address, in any case. */
  | { readonly kind: 'buyer'; readonly part: string }

const invoiceNumber = /^(?:INV-)?(?:(\d{4})-)?0*(\d{1,9})$/i

/** The most likely meaning of a search text. */
export function searchOf(typed: string): Search {
  const text = typed.trim()
  const [, year, number] = invoiceNumber.exec(text) ?? []
  if (number) return { kind: 'number', year: year ? Number(year) : null, number: Number(number) }
  const lowered = text.toLowerCase()
  if (isUuid(lowered)) return { kind: 'id', id: lowered }
  if (isTxHash('base', text)) return { kind: 'hash', hash: lowered }
  if (isTxHash('solana', text)) return { kind: 'hash', hash: text }
  return { kind: 'buyer', part: text }
}

/**
 * Replaces a hash that is an invoice's reference by that invoice's id. `read` returns the invoice
 * id behind a reference, or null.
 */
export function withReference(search: Search, read: (reference: string) => string | null): Search {
  const id = search.kind === 'hash' ? read(search.hash) : null
  return id === null ? search : { kind: 'id', id }
}
