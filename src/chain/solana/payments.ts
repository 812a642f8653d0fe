import type { ClaimedAuthorization, Paid, PaymentReader } from '../../domain/x402/settlement.ts'
import { ChainError, clockMarginMs } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { unlessLagging } from '../rpc/newest-head.ts'
import { type NamedNode, type OneNode, provenConversation } from '../rpc/proven.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { associatedTokenAccount } from './accounts.ts'
import { nodeWithAllSince } from './history.ts'
import { blockhashOf, lifetimeMs } from './message.ts'
import {
  commitment,
  createMessageSearch,
  type EncodedTransaction,
  type Found,
  holderOf,
  messageOf,
  type Sent,
} from './search.ts'
import type { RawTransaction } from './token-calls.ts'
import { transactionCall } from './transactions.ts'
import { readTransfers } from './transfers.ts'

/** Rejects with `ChainError`. */
export function solanaPaymentReader(rpc: Rpc) {
  const search = createMessageSearch()
  const searchWhole = createMessageSearch()

  async function settlementOf({ nonce, txHash, ...claim }: Claim) {
    const signedBefore = new Date(
      // The end was noted by another process's clock, which may be slow.
      Math.max(claim.validBefore.getTime() - lifetimeMs, claim.claimedAt.getTime()),
    )
    const deadline = deadlineIn(deadlineMs, claim.deadline)
    // Before the transactions are read: a payment that a later block could take is not unpaid.
    const { finalSlot, isValid } = await validityOf(blockhashOf(nonce), deadline)
    const sent = { ...claim, nonce, finalSlot, isOver: !isValid }
    // A noted transaction that is in no block yet is searched for like any other.
    const noted = txHash && (await holderOf(rpc, { nonce, txHash }, deadline).catch(() => null))
    if (noted) return outcomeOf(noted)
    const all = isValid
      ? null
      : await searchAll(sent, signedBefore, deadline).catch((error: unknown) => ({ error }))
    if (all && 'found' in all) return all.found ? outcomeOf(all.found) : ('unpaid' as const)
    // A node that lacks blocks may still have the one that took the payment.
    const found = deadline.aborted ? undefined : await searchAny(sent, deadline)
    if (found) return outcomeOf(found)
    if (all) throw all.error
    return 'unknown' as const
  }

  /** The newest final slot, and whether a blockhash is valid there or in the newest block. */
  async function validityOf(blockhash: string, deadline: Deadline) {
    // A new blockhash is not in final blocks yet, as an expired one is not.
    const calls = ['finalized', 'processed'].map((of) => ({
      method: 'isBlockhashValid',
      params: [blockhash, { commitment: of }],
    }))
    const read = (answers: readonly unknown[]) => {
      const [final, newest] = answers as [Validity, Validity]
      return { finalSlot: final.context.slot, isValid: final.value || newest.value }
    }
    return rpc.readProven(calls, read, deadline)
  }

  /** Null while a later block could take it; `lagging` where no node has all blocks. */
  async function searchAll(sent: Sent, signedBefore: Date, deadline: Deadline) {
    const { claimedAt, finalSlot } = sent
    const head = { slot: finalSlot, timestampMs: await timeOf(rpc, finalSlot, deadline) }
    // A node may not have seen the blockhash yet, so its time must also be over by the chain's
    // clock.
    if (head.timestampMs <= signedBefore.getTime() + lifetimeMs) return null
    const sinceMs = claimedAt.getTime() - clockMarginMs
    return rpc.atOneNode((node, share) => {
      const converse = async (one: OneNode) => {
        const all = await nodeWithAllSince(one, sinceMs, head, share)
        return { found: await searchWhole({ ...all, host: node.host }, sent, share) }
      }
      return provenConversation(node, converse, share)
    }, deadline)
  }

  async function searchAny(sent: Sent, deadline: Deadline): Promise<Found | undefined> {
    let isSearched = false
    const converse = async (node: NamedNode, share: Deadline) => {
      const found = await search(node, sent, share)
      if (found) return found
      isSearched = true
      throw new ChainError('lagging', 'the node does not list it')
    }
    // The first node varies, as there may be no time for those after it.
    return rpc.atOneNode(converse, deadline, { turn: sent.finalSlot }).catch((error) => {
      if (isSearched) return undefined
      throw error
    })
  }

  async function transfersTo({ payTo, asset }: Paid, txHash: string) {
    const found = await unlessLagging(transactionOf(rpc, txHash), () => null)
    if (found === null) return null
    const { readable, encoded } = found
    const account = associatedTokenAccount(payTo, asset)
    const message = messageOf(encoded)
    return readTransfers(readable, new Set([account])).map(({ from, position, usdcBase }) => ({
      from,
      position,
      usdcBase,
      blockTimeMs: readable.blockTime * 1000,
      settles: message === null ? [] : [message],
    }))
  }

  return { settlementOf, transfersTo } satisfies PaymentReader
}

type Asked = { readonly deadline?: AbortSignal | undefined }
type Claim = ClaimedAuthorization & Asked
type Validity = { readonly context: { readonly slot: number }; readonly value: boolean }
type Timed = { readonly blockTime: number }

function outcomeOf({ txHash, err }: Found) {
  return err === null ? { txHash } : ('unpaid' as const)
}

async function timeOf(rpc: Rpc, slot: number, deadline: Deadline): Promise<number> {
  const read = ([seconds]: readonly unknown[]) => {
    if (typeof seconds === 'number') return seconds * 1000
    throw new ChainError('lagging', `the node does not know the time of slot ${slot}`)
  }
  return rpc.readProven([{ method: 'getBlockTime', params: [slot] }], read, deadline)
}

function transactionOf(rpc: Rpc, txHash: string) {
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
