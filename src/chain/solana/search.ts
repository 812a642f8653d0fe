import { base58 } from '@scure/base'
import type { ClaimedAuthorization } from '../../domain/x402/settlement.ts'
import { keepNewest } from '../../scheduling/cache.ts'
import { ChainError, clockMarginMs } from '../chain.ts'
import type { NamedNode, OneNode } from '../rpc/proven.ts'
import { type PaymentMessage, readPaymentMessage } from './message.ts'
import { endOfSlot, isLast, pageSize } from './signatures.ts'
import { readTransactions } from './transactions.ts'

export const commitment = 'confirmed'

/** Few enough that a slow node shows them in time: after them the search can stop and continue. */
const readAtOnce = 60
const parts = { size: 20, atOnce: 3 }
const keptPositions = 1_000

export type Sent = Pick<ClaimedAuthorization, 'payer' | 'nonce' | 'claimedAt'> & {
  /** A final slot, which the node must have reached. */
  readonly finalSlot: number
  /** Whether no later block can take the message. */
  readonly isOver: boolean
}

/** `err` is null where the transaction succeeded. */
export type Found = { readonly txHash: string; readonly err: unknown }

export type EncodedTransaction = {
  readonly transaction: readonly [string, string]
  readonly meta: { readonly err: unknown }
}

export function messageOf({ transaction: [encoded] }: EncodedTransaction): PaymentMessage | null {
  return readPaymentMessage(encoded)
}

/**
 * Searches a payer's transactions at one node, newest first. There may be more than can be read in
 * time, so once a message is over, each search continues where the last one at that node stopped.
 */
export function createMessageSearch() {
  /** The signature down to which everything was read, always the last one of its slot. */
  const positions = new Map<string, string>()

  return async (
    node: SearchedNode,
    sent: Sent,
    deadline: AbortSignal,
  ): Promise<Found | undefined> => {
    const key = `${node.host} ${sent.nonce}`
    let before = sent.isOver ? positions.get(key) : undefined
    let previous: readonly Listed[] = []
    for (;;) {
      const page = await pageOf(node, sent, before, deadline).catch((error) => {
        if (error instanceof UnknownPosition) positions.delete(key)
        throw error
      })
      const end = page.findIndex((one) => isBefore(one, sent))
      const listed = end < 0 ? page : page.slice(0, end)
      for (let at = 0; at < listed.length; at += readAtOnce) {
        const batch = listed.slice(at, at + readAtOnce).map(({ signature }) => signature)
        const found = foundIn(await readAll(node, batch, deadline), batch, sent.nonce)
        if (found) return found
        const reached = lastOfSlot(listed, at + readAtOnce, sent.finalSlot)
        if (sent.isOver && reached) keepNewest(positions, key, reached.signature, keptPositions)
      }
      if (end >= 0 || isLast(page, previous)) {
        // A node may list later what it left out, so the next search begins at the top.
        positions.delete(key)
        return undefined
      }
      before = endOfSlot(page).signature
      previous = page
    }
  }
}

/** The last entry before `count` that ends a final slot: nodes order a slot differently. */
function lastOfSlot(listed: readonly Listed[], count: number, finalSlot: number) {
  return listed.findLast(
    ({ slot }, at) => at < count && slot <= finalSlot && slot > (listed[at + 1]?.slot ?? slot),
  )
}

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
 * unknown one it lists nothing.
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
  constructor(signature: string) {
    super('lagging', `the node does not know ${signature}, which was listed`)
  }
}

function isBefore({ blockTime }: Listed, { claimedAt }: Sent): boolean {
  return blockTime !== null && blockTime * 1000 < claimedAt.getTime() - clockMarginMs
}

type Listed = {
  readonly signature: string
  readonly slot: number
  readonly blockTime: number | null
}
type Statuses = { readonly value: readonly unknown[] }

type SearchedNode = OneNode & Pick<NamedNode, 'host'>
