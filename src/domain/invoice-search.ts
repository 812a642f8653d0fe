import { isUuid } from './id.ts'
import { isTxHash } from './network.ts'

/** What somebody who looks for an invoice may have at hand. */
export type Search =
  /** The number on it; without a year, that of any year. */
  | { readonly kind: 'number'; readonly year: number | null; readonly number: number }
  | { readonly kind: 'id'; readonly id: string }
  /** 32 bytes of hex or a Solana signature: a transaction, or a payment's reference. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** Part of the buyer's name or e-mail address, whatever its case. */
  | { readonly kind: 'buyer'; readonly part: string }

const invoiceNumber = /^(?:INV-)?(?:(\d{4})-)?0*(\d{1,9})$/i

/** What `typed` most likely is. */
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

/** A hash that is the reference of an invoice is as good as its id; `read` tells which it is, or null. */
export function withReference(search: Search, read: (reference: string) => string | null): Search {
  const id = search.kind === 'hash' ? read(search.hash) : null
  return id === null ? search : { kind: 'id', id }
}
