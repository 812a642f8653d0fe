import type { ClaimedAuthorization } from '../domain/x402-payment.ts'
import { ChainError, clockMarginMs } from './chain.ts'
import type { OneNode } from './rpc.ts'
import { type PaymentMessage, readPaymentMessage } from './solana-message.ts'
import { readTransactions } from './solana-transactions.ts'

export const commitment = 'confirmed'
/** More slots than 150 blocks ever take, however many slots are skipped. */
export const lifetimeSlots = 1_000

const pageSize = 1_000
/** Providers refuse long batches. */
const batchSize = 40
const parts = { size: batchSize, atOnce: 1 }
/** What is kept for later searches, in some megabytes: transactions read, and lists begun. */
const keptTransactions = 20_000
const keptPlaces = 1_000

/** A message that was sent, claimed at `claimedAt` and signed before `signedBefore`. */
export type Sent = Pick<ClaimedAuthorization, 'payer' | 'nonce' | 'claimedAt'> & {
  readonly signedBefore: Date
  /** A final slot, which the node that is asked must have reached. */
  readonly finalSlot: number
}

/** The transaction that holds a message, and why it failed; `err` null: it did not. */
export type Found = { readonly txHash: string; readonly err: unknown }

export type EncodedTransaction = {
  readonly transaction: readonly [string, string]
  readonly meta: { readonly err: unknown }
}

export function messageOf({ transaction: [encoded] }: EncodedTransaction): PaymentMessage | null {
  return readPaymentMessage(encoded)
}

/**
 * Looks for the transactions that hold messages. A payer may have made more transactions than there
 * is time to read before the deadline, so what one search has got through, later ones need not.
 */
export function messageSearch() {
  /** The nonce of the message in a transaction, by its signature; empty for one without any. */
  const nonces = new Map<string, string>()
  /** A transaction of the payer too late to hold a message, after which its list goes on. */
  const places = new Map<string, string>()

  /** Searches the payer's transactions. Rejects with `ChainError`. */
  async function of(node: OneNode, sent: Sent, deadline: AbortSignal): Promise<Found | undefined> {
    const { nonce } = sent
    const signatures = takenBy(await madeBy(node, sent, deadline), sent)
    const unread = signatures.filter((signature) => (nonces.get(signature) ?? nonce) === nonce)
    return among(node, unread, nonce, deadline)
  }

  /** Searches the transactions with these signatures. Rejects with `ChainError`. */
  async function among(
    node: OneNode,
    signatures: readonly string[],
    nonce: string,
    deadline: AbortSignal,
  ): Promise<Found | undefined> {
    for (let from = 0; from < signatures.length; from += batchSize) {
      const batch = signatures.slice(from, from + batchSize)
      const reading = { commitment, encoding: 'base64' } as const
      const how = { parts, deadline }
      const found = await readTransactions<EncodedTransaction>(node, batch, reading, how)
      for (const [at, one] of found.entries()) {
        // A transaction of an unknown version is not accepted as a payment.
        const held = (one && messageOf(one)?.nonce) ?? ''
        if (one && held === nonce) return { txHash: `${batch[at]}`, err: one.meta.err }
        keep(nonces, `${batch[at]}`, held, keptTransactions)
      }
    }
    return undefined
  }

  /**
   * A payer's transactions since shortly before a payment was claimed, newest first. Left out are
   * some that are too late to hold its message.
   */
  async function madeBy(node: OneNode, sent: Sent, deadline: AbortSignal) {
    const { nonce, signedBefore } = sent
    const key = `${nonce} ${signedBefore.getTime()}`
    const sinceSeconds = (sent.claimedAt.getTime() - clockMarginMs) / 1000
    const found: Listed[] = []
    let before = places.get(key)
    for (;;) {
      const listed = await pageOf(node, sent, before, deadline).catch((error) => {
        // Where no node knows it any more, the next search starts from the newest.
        if (error instanceof ChainError && error.fault === 'lagging') places.delete(key)
        throw error
      })
      const page = listed.filter(({ blockTime }) => blockTime >= sinceSeconds)
      found.push(...page)
      if (page.length < pageSize) return found
      before = found.at(-1)?.signature
      const place = lastTooLate(found, sent)
      if (place) keep(places, key, place, keptPlaces)
    }
  }

  return { of, among }
}

/**
 * One page of a payer's transactions, from a node that has reached `finalSlot` and knows the
 * transaction `before` which they were made. Asked for those before one that it does not know, a
 * node answers that there are none. Rejects with `lagging` where no node knows it.
 */
function pageOf(
  node: OneNode,
  { payer, finalSlot }: Sent,
  before: string | undefined,
  deadline: AbortSignal,
): Promise<readonly Listed[]> {
  const how = { commitment, minContextSlot: finalSlot, limit: pageSize, before }
  const listing = { method: 'getSignaturesForAddress', params: [payer, how] }
  const knowing = {
    method: 'getSignatureStatuses',
    params: [[before], { searchTransactionHistory: true }],
  }
  return node.read(
    before ? [listing, knowing] : [listing],
    ([page, statuses]) => {
      if (before && !(statuses as Statuses).value[0])
        throw new ChainError('lagging', `the node does not know ${before}, which was listed`)
      return page as readonly Listed[]
    },
    deadline,
  )
}

/**
 * The signatures of those transactions that can hold a message signed before a moment: whatever the
 * payer did later need not be read. A message names a block made before it was signed and is
 * accepted within 150 blocks of that. Counted in slots, as the chain may stand still meanwhile.
 */
function takenBy(listed: readonly Listed[], sent: Sent): readonly string[] {
  const last = lastSlot(listed, sent)
  return listed.filter(({ slot }) => slot <= last).map(({ signature }) => signature)
}

/** The oldest of these transactions, newest first, that is final and too late to hold a message. */
function lastTooLate(listed: readonly Listed[], sent: Sent): string | undefined {
  const last = lastSlot(listed, sent)
  return listed.findLast(({ slot }) => slot > last && slot <= sent.finalSlot)?.signature
}

/** The last slot that can hold a message, as far as the payer's transactions tell. */
function lastSlot(listed: readonly Listed[], { signedBefore }: Sent): number {
  const signedSeconds = (signedBefore.getTime() + clockMarginMs) / 1000
  const later = listed.filter(({ blockTime }) => blockTime > signedSeconds)
  return later.reduce((least, { slot }) => Math.min(least, slot), Infinity) + lifetimeSlots
}

/** Sets an entry of a map, which keeps the `most` newest. */
function keep(map: Map<string, string>, key: string, value: string, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest = key] = map.keys()
  if (map.size > most) map.delete(oldest)
}

type Listed = { readonly signature: string; readonly slot: number; readonly blockTime: number }
type Statuses = { readonly value: readonly unknown[] }
