import { base58 } from '@scure/base'
import type { ClaimedAuthorization } from '../../domain/x402/settlement.ts'
import { keepNewest } from '../../scheduling/cache.ts'
import { ChainError, clockMarginMs } from '../chain.ts'
import type { NamedNode, OneNode } from '../rpc/proven.ts'
import { type PaymentMessage, readPaymentMessage } from './message.ts'
import { endOfSlot, isLast } from './signatures.ts'
import { readTransactions } from './transactions.ts'

export const commitment = 'confirmed'
/** More slots than 150 blocks ever take, however many slots are skipped. */
const lifetimeSlots = 1_000

const pageSize = 1_000
const batchSize = 40
const parts = { size: batchSize, atOnce: 1 }
/** How many transactions are read at first: a batch for which there is no time is read in vain. */
const fewest = 5
const mostWaiting = 1_500
const keptOfSlot = 1_000
const keptMessages = 1_000

/** A message that was sent, claimed at `claimedAt` and signed before `signedBefore`. */
export type Sent = Pick<ClaimedAuthorization, 'payer' | 'nonce' | 'claimedAt'> & {
  readonly signedBefore: Date
  /** A final slot, which the node must have reached. */
  readonly finalSlot: number
  /** Whether no later block can take the message. */
  readonly isOver: boolean
}

/** The transaction that holds a message; `err` is null where it succeeded. */
export type Found = { readonly txHash: string; readonly err: unknown }

export type EncodedTransaction = {
  readonly transaction: readonly [string, string]
  readonly meta: { readonly err: unknown }
}

export function messageOf({ transaction: [encoded] }: EncodedTransaction): PaymentMessage | null {
  return readPaymentMessage(encoded)
}

/**
 * Searches one node for the transactions that hold messages. A payer may have more transactions
 * than can be read in time, so once a message is over, each search continues where the last one
 * stopped. A node may list later what it left out, so a completed search begins at the top again,
 * unless it `isComplete`, at a node that has every block.
 */
export function messageSearch({ isComplete = false } = {}) {
  const positions = new Map<string, Position>()

  /** Searches the payer's transactions, newest first. Rejects with `ChainError`. */
  async function of(
    node: SearchedNode,
    sent: Sent,
    deadline: AbortSignal,
  ): Promise<Found | undefined> {
    const key = `${sent.nonce} ${sent.signedBefore.getTime()}`
    const position = positions.get(key)
    const from = (sent.isOver && position) || top
    const keep = (reached: Position) => {
      if (sent.isOver) keepNewest(positions, key, reached, keptMessages)
    }
    try {
      const found = await search(node, sent, { from, keep }, deadline)
      if (found || !isComplete) positions.delete(key)
      return found
    } catch (error) {
      if (error instanceof UnknownPosition && error.signature === position?.before)
        positions.delete(key)
      throw error
    }
  }

  return { of }
}

/** Searches downwards from a position; `keep` is called with each position reached. */
async function search(
  node: SearchedNode,
  sent: Sent,
  { from, keep }: { readonly from: Position; readonly keep: (reached: Position) => void },
  deadline: AbortSignal,
): Promise<Found | undefined> {
  let { before, lastSlot } = from
  let previous: readonly Listed[] = []
  const listed: Listed[] = []
  const signatures = new Set<string>()
  let done = 0
  let atOnce = fewest

  /** Keeps the end of the last slot read whole: nodes order a slot differently. */
  function keepUpTo(count: number): void {
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
    keepUpTo(first < 0 ? listed.length : first)
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
      keepUpTo(done + next.length)
      if (batch.length === 0) continue
      const most = Math.max(fewest, Math.min(batchSize, node.mostCalls()))
      atOnce = read.includes(null) ? fewest : Math.min(2 * atOnce, most)
    }
    if (isOver) return undefined
    before = endOfSlot(page).signature
    previous = page
  }
}

function isNew(seen: Set<string>, signature: string): boolean {
  return seen.size < seen.add(signature).size
}

/** The transaction with this signature, where it holds the message. */
export async function holderOf(
  node: OneNode,
  { nonce, txHash }: { readonly nonce: string; readonly txHash: string },
  deadline: AbortSignal,
): Promise<Found | undefined> {
  return foundIn(await readAll(node, [txHash], deadline), [txHash], nonce)
}

function readAll(node: OneNode, signatures: readonly string[], deadline: AbortSignal) {
  const reading = { commitment, encoding: 'base64' } as const
  const how = { parts, deadline }
  return readTransactions<EncodedTransaction>(answeringWhatIsAsked(node), signatures, reading, how)
}

/** Refuses a transaction that does not have the signature asked for. */
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

/** The first signature is the id. From version 1 on (SIMD-0385) signatures come last. */
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
 * One page, from a node that has reached `finalSlot` and knows the transaction `before`; of an
 * unknown one a node lists nothing. `UnknownPosition` where no node knows it.
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
      if (before && !(statuses as Statuses).value[0]) throw new UnknownPosition(before)
      return page as readonly Listed[]
    },
    deadline,
  )
}

class UnknownPosition extends ChainError {
  constructor(readonly signature: string) {
    super('lagging', `the node does not know ${signature}, which was listed`)
  }
}

/**
 * The last slot that can hold a message signed before a moment, judged by these transactions: a
 * message is accepted within 150 blocks of its blockhash. In slots, as the chain may stand still.
 */
function lastSlotOf(listed: readonly Listed[], sent: Sent): number {
  const later = listed.filter((one) => isLater(one, sent))
  return later.reduce((least, { slot }) => Math.min(least, slot), Infinity) + lifetimeSlots
}

function isLater({ blockTime }: Listed, { signedBefore }: Sent): boolean {
  return blockTime !== null && blockTime * 1000 > signedBefore.getTime() + clockMarginMs
}

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

/** A position in a payer's list, newest first: everything down to `before` was read. */
type Position = {
  readonly before: string | undefined
  readonly lastSlot: number
  /** What was read after it, where that is no whole slot. */
  readonly read: ReadonlySet<string>
}
const top: Position = { before: undefined, lastSlot: Infinity, read: new Set() }

type SearchedNode = OneNode & Pick<NamedNode, 'mostCalls'>
