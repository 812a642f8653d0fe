import { base58 } from '@scure/base'
import type { ClaimedAuthorization } from '../../domain/x402/settlement.ts'
import { keepNewest } from '../../scheduling/bounded.ts'
import { ChainError, clockMarginMs } from '../chain.ts'
import type { NamedNode, OneNode } from '../rpc/proven.ts'
import { type PaymentMessage, readPaymentMessage } from './message.ts'
import { endOfSlot, isLast } from './signatures.ts'
import { readTransactions } from './transactions.ts'

export const commitment = 'confirmed'
/** More slots than 150 blocks ever take, however many slots are skipped. */
const lifetimeSlots = 1_000

const pageSize = 1_000
/** Providers refuse long batches. */
const batchSize = 40
const parts = { size: batchSize, atOnce: 1 }
/**
 * How many transactions are read at first, and after one that is too new to be shown, for which
 * each is asked for by itself: few, as a batch for which there is no time is read in vain.
 */
const fewest = 5
/** Where more are listed, they are read though they may turn out to be too late. */
const mostWaiting = 1_500
/** Of how many transactions, in a slot not got through whole yet, it is kept that they were. */
const keptOfSlot = 1_000
/** Of how many messages the place is kept where the search for them gave up. */
const keptMessages = 1_000

/** A message that was sent, claimed at `claimedAt` and signed before `signedBefore`. */
export type Sent = Pick<ClaimedAuthorization, 'payer' | 'nonce' | 'claimedAt'> & {
  readonly signedBefore: Date
  /** A final slot, which the node that is asked must have reached. */
  readonly finalSlot: number
  /** Whether nodes say that no later block can take it. */
  readonly isOver: boolean
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
 * Looks for the transactions that hold messages, at one node. A payer may have made more
 * transactions than there is time to read before the deadline, and goes on making them. What can
 * hold a message that no later block can take is a closed part of his list, though: each search for
 * it goes on downwards where the one before it gave up, until one comes to the end. What the node
 * does not list is not noticed, and may be listed later: the next search begins at the top, unless
 * it `isProof` of a node that has all. Such a one goes on where the one before it came to the end:
 * the node may have failed to show after it which chain it serves.
 */
export function messageSearch({ isProof = false } = {}) {
  const places = new Map<string, Place>()

  /** Searches the payer's transactions, newest first. Rejects with `ChainError`. */
  async function of(
    node: SearchedNode,
    sent: Sent,
    deadline: AbortSignal,
  ): Promise<Found | undefined> {
    const key = `${sent.nonce} ${sent.signedBefore.getTime()}`
    const place = places.get(key)
    const from = (sent.isOver && place) || top
    const keep = (reached: Place) => {
      if (sent.isOver) keepNewest(places, key, reached, keptMessages)
    }
    try {
      const found = await search(node, sent, { from, keep }, deadline)
      if (found || !isProof) places.delete(key)
      return found
    } catch (error) {
      // The next search begins at the top again.
      if (error instanceof UnknownPlace && error.signature === place?.before) places.delete(key)
      throw error
    }
  }

  return { of }
}

/** Searches from a place downwards. `keep` is told of each place that was reached. */
async function search(
  node: SearchedNode,
  sent: Sent,
  { from, keep }: { readonly from: Place; readonly keep: (reached: Place) => void },
  deadline: AbortSignal,
): Promise<Found | undefined> {
  let { before, lastSlot } = from
  let previous: readonly Listed[] = []
  const listed: Listed[] = []
  const signatures = new Set<string>()
  /** So many of them were got through: found to be too late, or read. */
  let done = 0
  let atOnce = fewest

  /**
   * Keeps the end of the last slot got through whole, and what was got through after it: in a slot,
   * nodes may order differently.
   */
  function getTo(count: number): void {
    done = count
    const end = listed.findLastIndex(
      ({ slot }, at) =>
        at < done && slot <= sent.finalSlot && slot > (listed[at + 1]?.slot ?? slot),
    )
    // Another node may end the slot above with another one: what was read after it stays read.
    const after = listed
      .slice(end + 1)
      .map(({ signature }) => signature)
      .filter((signature, at) => end + 1 + at < done || from.read.has(signature))
    const start = end < 0 ? from : { before: listed[end]?.signature, lastSlot, read: [] }
    const read = [...new Set([...start.read, ...after])].slice(0, keptOfSlot)
    keep({ ...start, read: new Set(read) })
  }

  for (;;) {
    const page = await pageOf(node, sent, before, deadline)
    const end = page.findIndex((one) => isBefore(one, sent))
    const isOver = end >= 0 || isLast(page, previous)
    const fresh = end < 0 ? page : page.slice(0, end)
    listed.push(...fresh.filter(({ signature }) => isNew(signatures, signature)))
    lastSlot = Math.min(lastSlot, lastSlotOf(page, sent))
    const first = listed.findIndex(({ slot }, at) => at >= done && slot <= lastSlot)
    getTo(first < 0 ? listed.length : first)
    // Where the list goes on with what was made later, more of it may turn out to be too late.
    const oldest = listed.at(-1)
    const areMany = listed.length - done > mostWaiting
    const isRead = isOver || !oldest || !isLater(oldest, sent) || areMany
    while (isRead && done < listed.length) {
      const next = listed.slice(done, done + atOnce)
      const batch = next.map(({ signature }) => signature).filter((one) => !from.read.has(one))
      const read = await readAll(node, batch, deadline)
      const found = foundIn(read, batch, sent.nonce)
      if (found) return found
      getTo(done + next.length)
      if (batch.length === 0) continue
      const most = Math.max(fewest, Math.min(batchSize, node.mostCalls()))
      atOnce = read.includes(null) ? fewest : Math.min(2 * atOnce, most)
    }
    if (isOver) return undefined
    before = endOfSlot(page).signature
    previous = page
  }
}

/** Adds a signature to those seen; whether it was not among them. */
function isNew(seen: Set<string>, signature: string): boolean {
  return seen.size < seen.add(signature).size
}

/** The transaction with this signature, where it holds the message. Rejects with `ChainError`. */
export async function holderOf(
  node: OneNode,
  { nonce, txHash }: { readonly nonce: string; readonly txHash: string },
  deadline: AbortSignal,
): Promise<Found | undefined> {
  return foundIn(await readAll(node, [txHash], deadline), [txHash], nonce)
}

/** Transactions that the node has listed; null for one whose version is too new. */
function readAll(node: OneNode, signatures: readonly string[], deadline: AbortSignal) {
  const reading = { commitment, encoding: 'base64' } as const
  const how = { parts, deadline }
  return readTransactions<EncodedTransaction>(answeringWhatIsAsked(node), signatures, reading, how)
}

/** Wraps `node` to believe a transaction only where it has the signature that was asked for. */
function answeringWhatIsAsked(node: OneNode): OneNode {
  return {
    read: (calls, understand, deadline) =>
      node.read(
        calls,
        (answers) => {
          for (const [at, answer] of answers.entries()) {
            const signature = calls[at]?.params[0]
            if (answer && signatureOf(answer as EncodedTransaction) !== signature)
              throw new ChainError('invalid_answer', `the node shows another than ${signature}`)
          }
          return understand(answers)
        },
        deadline,
      ),
  }
}

/**
 * The first signature of a transaction, which is its id. The signatures and their number come
 * first; since version 1 (SIMD-0385) the version does, then the number, and the signatures at the
 * end.
 */
function signatureOf({ transaction: [encoded] }: EncodedTransaction): string {
  const wire = Buffer.from(encoded, 'base64')
  const [first = 0, second = 0] = wire
  const start = first & versionBit ? wire.length - second * signatureBytes : 1
  return base58.encode(wire.subarray(start, start + signatureBytes))
}

const versionBit = 0x80
const signatureBytes = 64

function foundIn(
  read: readonly (EncodedTransaction | null)[],
  signatures: readonly string[],
  nonce: string,
): Found | undefined {
  // A transaction of an unknown version is not accepted as a payment.
  const at = read.findIndex((one) => one && messageOf(one)?.nonce === nonce)
  return at < 0 ? undefined : { txHash: `${signatures[at]}`, err: read[at]?.meta.err }
}

/**
 * One page of a payer's transactions, from a node that has reached `finalSlot` and knows the
 * transaction `before` which they were made. Asked for those before one that it does not know, a
 * node answers that there are none. Rejects with `UnknownPlace` where no node knows it.
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
      if (before && !(statuses as Statuses).value[0]) throw new UnknownPlace(before)
      return page as readonly Listed[]
    },
    deadline,
  )
}

class UnknownPlace extends ChainError {
  constructor(readonly signature: string) {
    super('lagging', `the node does not know ${signature}, which was listed`)
  }
}

/**
 * The last slot that can hold a message signed before a moment, as far as these transactions of the
 * payer tell: whatever the payer did later need not be read. A message names a block made before it
 * was signed and is accepted within 150 blocks of that. Counted in slots, as the chain may stand
 * still meanwhile.
 */
function lastSlotOf(listed: readonly Listed[], sent: Sent): number {
  const later = listed.filter((one) => isLater(one, sent))
  return later.reduce((least, { slot }) => Math.min(least, slot), Infinity) + lifetimeSlots
}

/** Whether a transaction was made after its payer signed a message, whatever the clocks. */
function isLater({ blockTime }: Listed, { signedBefore }: Sent): boolean {
  return blockTime !== null && blockTime * 1000 > signedBefore.getTime() + clockMarginMs
}

/** Whether a transaction was made before a message was claimed, whatever the clocks. */
function isBefore({ blockTime }: Listed, { claimedAt }: Sent): boolean {
  return blockTime !== null && blockTime * 1000 < claimedAt.getTime() - clockMarginMs
}

/** `blockTime` is null where the node does not know it. */
type Listed = {
  readonly signature: string
  readonly slot: number
  readonly blockTime: number | null
}
type Statuses = { readonly value: readonly unknown[] }

/**
 * A place in a payer's list: all before it, newest first, was got through. `before` is the last
 * transaction of that, undefined at the top. `lastSlot` is the last slot that can hold the message,
 * as far as is known.
 */
type Place = {
  readonly before: string | undefined
  readonly lastSlot: number
  /** What was got through after it, where that is no whole slot. */
  readonly read: ReadonlySet<string>
}
const top: Place = { before: undefined, lastSlot: Infinity, read: new Set() }

type SearchedNode = OneNode & Pick<NamedNode, 'mostCalls'>
