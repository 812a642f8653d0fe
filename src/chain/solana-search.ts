import { base58 } from '@scure/base'
import { keepNewest } from '../bounded.ts'
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
/** What is kept for later searches: messages, and stretches of the list of each. */
const keptMessages = 1_000
const keptStretches = 100

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
 * is time to read before the deadline, so what one search for a message has got through, later ones
 * need not. What nodes do not list is not noticed: to prove that a message is nowhere, searches at
 * nodes that have all blocks need a `messageSearch` of their own.
 */
export function messageSearch() {
  const progresses = new Map<string, Progress>()

  /** Searches the payer's transactions, newest first. Rejects with `ChainError`. */
  async function of(node: OneNode, sent: Sent, deadline: AbortSignal): Promise<Found | undefined> {
    const { nonce, signedBefore, finalSlot } = sent
    const key = `${nonce} ${signedBefore.getTime()}`
    const progress = progresses.get(key) ?? { lastSlot: Infinity, stretches: [] }
    keepNewest(progresses, key, progress, keptMessages)
    let earlier = progress.stretches
    let own: Stretch | undefined
    // What is listed since `before` was jumped to, and how much of it was got through.
    let listed: Listed[] = []
    let done = 0
    // From here down, everything was got through.
    let top = finalSlot
    let before: string | undefined

    function note(bottom: Listed): void {
      const others = progress.stretches.filter((one) => one !== own)
      own = { top, bottom }
      progress.stretches = [...others, own].slice(-keptStretches)
    }

    /** Notes the slots that were got through whole: nodes may order what is in one differently. */
    function noteDone(): void {
      const bottom = listed.findLast(
        ({ slot }, at) => at < done && slot <= top && slot > (listed[at + 1]?.slot ?? slot),
      )
      if (bottom) note(bottom)
    }

    for (;;) {
      const page = await pageOf(node, sent, before, deadline).catch((error) => {
        // Where no node knows it any more, the next search reads on from further up.
        if (error instanceof UnknownPlace)
          progress.stretches = progress.stretches.filter(
            ({ bottom }) => bottom.signature !== error.signature,
          )
        throw error
      })
      const end = page.findIndex((one) => isBefore(one, sent) || earlier.some(covers(one)))
      const met = page[end] && earlier.find(covers(page[end]))
      listed.push(...(end < 0 ? page : page.slice(0, end)))
      const isOver = !met && (end >= 0 || page.length < pageSize)
      progress.lastSlot = Math.min(progress.lastSlot, lastSlot(listed, sent))
      const first = listed.findIndex(({ slot }) => slot <= progress.lastSlot)
      done = Math.max(done, first < 0 ? listed.length : first)
      noteDone()
      // Where the list goes on with what was made later, more of it may turn out to be too late.
      const oldest = listed.at(-1)
      const isRead = met || isOver || !oldest || !isLater(oldest, sent)
      while (isRead && done < listed.length) {
        const batch = listed.slice(done, done + batchSize)
        const signatures = batch.map(({ signature }) => signature)
        const read = await readAll(node, signatures, deadline)
        const found = foundIn(read, signatures, nonce)
        if (found) return found
        done += batch.length
        // Another node, or this one later, may know the version of one that is too new.
        const hidden = batch.findLast((_, at) => read[at] === null)
        if (hidden) {
          own = undefined
          top = Math.min(top, hidden.slot - 1)
        }
        noteDone()
      }
      if (isOver) return undefined
      before = page.at(-1)?.signature
      if (!met) continue
      earlier = earlier.filter((one) => one !== met)
      progress.stretches = progress.stretches.filter((one) => one !== met)
      note(met.bottom)
      before = met.bottom.signature
      listed = []
      done = 0
    }
  }

  return { of }
}

/** The transaction with this signature, where it holds the message. Rejects with `ChainError`. */
export async function holderOf(
  node: OneNode,
  { nonce, txHash }: { readonly nonce: string; readonly txHash: string },
  deadline: AbortSignal,
): Promise<Found | undefined> {
  return foundIn(await readAll(node, [txHash], deadline), [txHash], nonce)
}

/** Transactions that a node has listed; null for one whose version is too new. */
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
function lastSlot(listed: readonly Listed[], sent: Sent): number {
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

/** Tells of a stretch whether it covers the slot of a transaction. */
function covers({ slot }: Listed) {
  return ({ top, bottom }: Stretch) => slot <= top && slot >= bottom.slot
}

/** `blockTime` is null where the node does not know it. */
type Listed = {
  readonly signature: string
  readonly slot: number
  readonly blockTime: number | null
}
type Statuses = { readonly value: readonly unknown[] }

/**
 * A stretch of a payer's list that holds a message nowhere: what is in the final slots from that of
 * `bottom`, the last one listed of its slot, to `top`.
 */
type Stretch = { readonly top: number; readonly bottom: Listed }
/** What was got through for a message, and the last slot that can hold it, as far as is known. */
type Progress = { lastSlot: number; stretches: readonly Stretch[] }
