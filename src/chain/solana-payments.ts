import type { ClaimedAuthorization, PaymentReader } from '../domain/x402-payment.ts'
import { ChainError, clockMarginMs } from './chain.ts'
import { unlessLagging } from './newest-head.ts'
import { deadlineMs, type OneNode, type Rpc } from './rpc.ts'
import type { Parts } from './rpc-parts.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
import { nodeWithAll } from './solana-history.ts'
import {
  blockhashOf,
  lifetimeMs,
  type PaymentMessage,
  readPaymentMessage,
} from './solana-message.ts'
import type { RawTransaction } from './solana-token-calls.ts'
import { readTransactions, transactionCall } from './solana-transactions.ts'
import { readTransfers } from './solana-transfers.ts'

const pageSize = 1_000
/** Providers refuse long batches. */
const batchSize = 40
const parts: Parts = { size: batchSize, atOnce: 1 }
const commitment = 'confirmed'
/** More slots than 150 blocks ever take, however many slots are skipped. */
const lifetimeSlots = 1_000

/** Reads payments of USDC from Solana. Rejects with `ChainError`. */
export function solanaPaymentReader(rpc: Rpc, { usdc }: { usdc: string }) {
  async function settlementOf({ nonce, txHash, ...claim }: Claim) {
    // A process that has noted it tells it by its own clock, which may be slow.
    const validBefore = new Date(
      Math.max(claim.validBefore.getTime(), claim.claimedAt.getTime() + lifetimeMs),
    )
    const deadline = AbortSignal.timeout(deadlineMs)
    // Asked before the transactions are read: a payment that a later block could still take is not
    // called unpaid.
    // Of final blocks, so that no other chain of blocks can take it.
    const params = [blockhashOf(nonce), { commitment: 'finalized' }]
    const [answer] = await rpc.ask([{ method: 'isBlockhashValid', params }], deadline)
    const { context, value: isValid } = answer as Validity
    const known = { minContextSlot: context.slot, others: new Set<string>() }
    const sent = { ...claim, validBefore, nonce, ...known }
    // A noted transaction that is in no block yet is searched for like any other.
    const noted = txHash && (await findIn(rpc, [txHash], nonce, deadline).catch(() => null))
    const found = noted || (await search(rpc, sent, deadline))
    if (found) return outcomeOf(found)
    if (isValid) return 'unknown' as const
    const head = { slot: context.slot, timestampMs: await timeOf(context.slot, deadline) }
    // A blockhash that a node calls invalid may be one it has not seen yet, so that alone proves
    // nothing: its time must be over by the chain's clock.
    if (head.timestampMs <= validBefore.getTime()) return 'unknown' as const
    const missed = await searchAll(sent, head)
    return missed ? outcomeOf(missed) : ('unpaid' as const)
  }

  /**
   * Searches once more, at a node that has all blocks that could have taken the payment. Rejects
   * with `lagging` where there is none.
   */
  function searchAll(sent: Sent, head: { slot: number; timestampMs: number }) {
    const { claimedAt, validBefore } = sent
    const signedBefore = signedBy(validBefore)
    const { presentedAt = claimedAt } = sent
    const span = {
      fromMs: Math.min(presentedAt.getTime(), signedBefore.getTime()) - clockMarginMs,
      toMs: signedBefore.getTime() + clockMarginMs,
    }
    const deadline = AbortSignal.timeout(deadlineMs)
    return rpc.atOneNode(async (node) => {
      const all = await nodeWithAll(node, span, { moreSlots: lifetimeSlots, head }, deadline)
      return search(all, sent, deadline)
    }, deadline)
  }

  async function search(node: OneNode, sent: Sent, deadline: AbortSignal) {
    const listed = takenBy(await madeBy(node, sent, deadline), signedBy(sent.validBefore))
    const unread = listed.filter((signature) => !sent.others.has(signature))
    const found = await findIn(node, unread, sent.nonce, deadline)
    for (const signature of unread) sent.others.add(signature)
    return found
  }

  async function timeOf(slot: number, deadline: AbortSignal): Promise<number> {
    const [seconds] = await rpc.ask([{ method: 'getBlockTime', params: [slot] }], deadline)
    return Number(seconds) * 1000
  }

  /**
   * A payer's transactions since shortly before a payment was claimed, from a node that has reached
   * slot `minContextSlot`.
   */
  async function madeBy(
    node: OneNode,
    { payer, claimedAt, minContextSlot }: Sent,
    deadline: AbortSignal,
  ) {
    const sinceSeconds = (claimedAt.getTime() - clockMarginMs) / 1000
    const found: Listed[] = []
    let page: readonly Listed[]
    do {
      const before = found.at(-1)?.signature
      const params = [payer, { commitment, minContextSlot, limit: pageSize, before }]
      const call = { method: 'getSignaturesForAddress', params }
      const listed = await node.read([call], ([answer]) => answer as readonly Listed[], deadline)
      page = listed.filter(({ blockTime }) => blockTime >= sinceSeconds)
      found.push(...page)
    } while (page.length === pageSize)
    return found
  }

  async function findIn(
    node: OneNode,
    signatures: readonly string[],
    nonce: string,
    deadline: AbortSignal,
  ) {
    for (let from = 0; from < signatures.length; from += batchSize) {
      const batch = signatures.slice(from, from + batchSize)
      const reading = { commitment, encoding: 'base64' } as const
      const how = { parts, deadline }
      const found = await readTransactions<EncodedTransaction>(node, batch, reading, how)
      for (const [at, one] of found.entries()) {
        // A transaction of an unknown version is not accepted as a payment.
        if (one && messageOf(one)?.nonce === nonce)
          return { txHash: `${batch[at]}`, err: one.meta.err }
      }
    }
    return undefined
  }

  async function transfersTo(recipient: string, txHash: string) {
    const found = await unlessLagging(transactionOf(txHash), () => null)
    if (found === null) return null
    const { readable, encoded } = found
    const account = associatedTokenAccount(recipient, usdc)
    const message = messageOf(encoded)
    return readTransfers(readable, new Set([account])).map(({ from, usdcBase }) => ({
      from,
      usdcBase,
      blockTimeMs: readable.blockTime * 1000,
      settles: message === null ? [] : [message],
    }))
  }

  /** Rejects with `lagging` where no node has the transaction. */
  function transactionOf(txHash: string) {
    const calls = (['json', 'base64'] as const).map((encoding) =>
      transactionCall(txHash, { commitment, encoding }),
    )
    return rpc.read(calls, ([readable, encoded]) => {
      if (readable && encoded)
        return {
          readable: readable as RawTransaction & Timed,
          encoded: encoded as EncodedTransaction,
        }
      throw new ChainError('lagging', `the node does not have ${txHash}`)
    })
  }

  return { settlementOf, transfersTo } satisfies PaymentReader
}

/**
 * A claim, and since when the payment can have been sent, where that is not when it was claimed.
 */
type Claim = ClaimedAuthorization & { readonly presentedAt?: Date }
type Sent = Omit<Claim, 'txHash'> & {
  readonly minContextSlot: number
  /** Signatures of transactions that have been read and hold another message. */
  readonly others: Set<string>
}
type Validity = { readonly context: { readonly slot: number }; readonly value: boolean }
type Timed = { readonly blockTime: number }
type Listed = Timed & { readonly signature: string; readonly slot: number }
type EncodedTransaction = {
  readonly transaction: readonly [string, string]
  readonly meta: { readonly err: unknown }
}

/** A failed transaction has used its message up and moved nothing. */
function outcomeOf({ txHash, err }: { readonly txHash: string; readonly err: unknown }) {
  return err === null ? { txHash } : ('unpaid' as const)
}

/** When the message was signed at the latest whose payment is valid until `validBefore`. */
function signedBy(validBefore: Date): Date {
  return new Date(validBefore.getTime() - lifetimeMs)
}

/**
 * The signatures of those transactions that can hold a message signed before a moment: whatever the
 * payer did later need not be read. A message names a block made before it was signed and is
 * accepted within 150 blocks of that. Counted in slots, as the chain may stand still meanwhile.
 */
function takenBy(listed: readonly Listed[], signedBefore: Date): readonly string[] {
  const signedSeconds = (signedBefore.getTime() + clockMarginMs) / 1000
  const later = listed.filter(({ blockTime }) => blockTime > signedSeconds)
  const firstLater = later.reduce((least, { slot }) => Math.min(least, slot), Infinity)
  return listed
    .filter(({ slot }) => slot <= firstLater + lifetimeSlots)
    .map(({ signature }) => signature)
}

function messageOf({ transaction: [encoded] }: EncodedTransaction): PaymentMessage | null {
  return readPaymentMessage(encoded)
}
