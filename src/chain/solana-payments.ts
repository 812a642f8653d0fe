import type { ClaimedAuthorization, PaymentReader } from '../domain/x402-payment.ts'
import { ChainError, clockMarginMs } from './chain.ts'
import { unlessLagging } from './newest-head.ts'
import { deadlineMs, type Rpc } from './rpc.ts'
import type { Parts } from './rpc-parts.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
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
  async function settlementOf({
    payer,
    nonce,
    txHash,
    claimedAt,
    validBefore,
  }: ClaimedAuthorization) {
    const deadline = AbortSignal.timeout(deadlineMs)
    // Asked before the transactions are read: a payment that a later block could still take is not
    // called unpaid.
    // Of final blocks, so that no other chain of blocks can take it.
    const params = [blockhashOf(nonce), { commitment: 'finalized' }]
    const [answer] = await rpc.ask([{ method: 'isBlockhashValid', params }], deadline)
    const { context, value: isValid } = answer as Validity
    const signedBefore = new Date(validBefore.getTime() - lifetimeMs)
    const listed = async () =>
      takenBy(await madeBy(payer, claimedAt, context.slot, deadline), signedBefore)
    // A noted transaction that is in no block yet is searched for like any other.
    const noted = txHash && (await findIn([txHash], nonce, deadline).catch(() => null))
    const found = noted || (await findIn(await listed(), nonce, deadline))
    // A failed transaction has used its message up and moved nothing.
    if (found) return found.err === null ? { txHash: found.txHash } : ('unpaid' as const)
    const isOver = !isValid && (await isPast(validBefore, context.slot, deadline))
    return isOver ? ('unpaid' as const) : ('unknown' as const)
  }

  /**
   * Whether the chain's clock has passed `moment` at a slot. A blockhash that a node calls invalid
   * may be one it has not seen yet, so that alone proves nothing.
   */
  async function isPast(moment: Date, slot: number, deadline: AbortSignal): Promise<boolean> {
    const [seconds] = await rpc.ask([{ method: 'getBlockTime', params: [slot] }], deadline)
    return Number(seconds) * 1000 > moment.getTime()
  }

  /**
   * A payer's transactions since shortly before a payment was claimed, from a node that has reached
   * slot `minContextSlot`.
   */
  async function madeBy(
    payer: string,
    claimedAt: Date,
    minContextSlot: number,
    deadline: AbortSignal,
  ) {
    const sinceSeconds = (claimedAt.getTime() - clockMarginMs) / 1000
    const found: Listed[] = []
    let page: readonly Listed[]
    do {
      const before = found.at(-1)?.signature
      const params = [payer, { commitment, minContextSlot, limit: pageSize, before }]
      const [listed] = await rpc.ask([{ method: 'getSignaturesForAddress', params }], deadline)
      page = (listed as readonly Listed[]).filter(({ blockTime }) => blockTime >= sinceSeconds)
      found.push(...page)
    } while (page.length === pageSize)
    return found
  }

  async function findIn(signatures: readonly string[], nonce: string, deadline: AbortSignal) {
    for (let from = 0; from < signatures.length; from += batchSize) {
      const batch = signatures.slice(from, from + batchSize)
      const reading = { commitment, encoding: 'base64' } as const
      const how = { parts, deadline }
      const found = await readTransactions<EncodedTransaction>(rpc, batch, reading, how)
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

type Validity = { readonly context: { readonly slot: number }; readonly value: boolean }
type Timed = { readonly blockTime: number }
type Listed = Timed & { readonly signature: string; readonly slot: number }
type EncodedTransaction = {
  readonly transaction: readonly [string, string]
  readonly meta: { readonly err: unknown }
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
