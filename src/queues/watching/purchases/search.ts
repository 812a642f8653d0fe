import { execute } from '../../../actors/purchases/execute.ts'
import type { Purchases } from '../../../actors/purchases/purchases.ts'
import { type Block, ChainError } from '../../../chain/chain.ts'
import { isExpired } from '../../../chain/evm/authorizations.ts'
import {
  authorizationOf,
  type Evidence,
  isTimeless,
  judge,
  keysIn,
  messageOf,
  neverPays,
  type Transaction,
  type Transfer,
} from '../../../domain/purchases/evidence.ts'
import { isOverdue, isTransfer, type Purchase } from '../../../domain/purchases/purchase.ts'
import type { ForwardedMessage, PurchaseReader } from '../../../domain/purchases/reader.ts'
import type { Sql } from '../../../storage/postgres/db.ts'
import { findRivals } from '../../../storage/purchases/open.ts'

type Options = {
  readonly sql: Sql
  readonly reader: PurchaseReader
  readonly purchases: Pick<Purchases, 'discredit' | 'forgetTransaction'>
}

/** How far the chain is read. */
export type Progress = { readonly head: Block; readonly confirmedTo: number }

/** The transfer that pays a purchase, which holds it from now on. */
export type Paid = { readonly purchase: Purchase; readonly transfer: Transfer }

/** A transaction that may pay a purchase, and the transfer in it that does. */
type Shown = Evidence & { readonly found: Paid | null }

/** Each try has lost a transfer of the transaction to another purchase. */
const mostTries = 20

/**
 * Looks for the payment of a purchase on its chain. Sellers' addresses are not watched, so it is
 * looked up by its transaction, its message, or the authorization it used. An upstream's word on a
 * payment counts only until the chain has answered.
 */
export function createSearch({ sql, reader, purchases }: Options) {
  /** The transfer that paid; null: there is none and there will be none. */
  async function find(purchase: Purchase, progress: Progress): Promise<Paid | null | 'waiting'> {
    const message = messageOf(purchase)
    if (message) return findByMessage(purchase, message, progress)
    return isTransfer(purchase) ? findMade(purchase, progress) : findSigned(purchase, progress)
  }

  /** By the message that was signed on Solana. */
  async function findByMessage(
    purchase: Purchase,
    message: ForwardedMessage,
    { confirmedTo }: Progress,
  ) {
    const txHash = await reader.transactionOf(message)
    if (txHash === null || txHash === 'waiting') return txHash
    const made = await lookInto(txHash, purchase, null)
    if (made?.found) return made.found
    // It is another purchase's payment, or the node that was asked does not show it yet.
    return made && neverPays(made, confirmedTo) ? null : 'waiting'
  }

  /** A transfer that was made before it was presented: by its own transaction or never. */
  async function findMade(purchase: Purchase, { head, confirmedTo }: Progress) {
    const isLate = isOverdue(purchase, head.timestampMs)
    const made = await lookIntoNamed(purchase, isLate ? head.number : null)
    if (made?.found) return made.found
    if (made && neverPays(made, confirmedTo)) return null
    // What another purchase holds may yet be left to this one.
    return isLate && !made?.isHeldOpen ? null : 'waiting'
  }

  /** What was signed may be taken by any transaction: by the named one, or by what used it up. */
  async function findSigned(purchase: Purchase, progress: Progress) {
    const { head, confirmedTo } = progress
    const { state, txHash } = purchase
    const seen = isTimeless(purchase) && isOverdue(purchase, head.timestampMs) ? head.number : null
    const named = await lookIntoNamed(purchase, seen)
    if (named?.found) return named.found
    const used = isTimeless(purchase) ? 'waiting' : await findByUse(purchase, progress)
    if (used !== 'waiting') return used
    // The attempt under way may yet name another one.
    const isDisproved = named !== null && neverPays(named, confirmedTo) && state !== 'forwarding'
    if (isDisproved) await purchases.forgetTransaction(purchase)
    // Whoever named a transaction that was forgotten may have credited it since.
    else if (state === 'paid' && txHash === null) await purchases.discredit(purchase)
    return 'waiting'
  }

  /** By the transaction that used the EIP-3009 authorization up. */
  async function findByUse(purchase: Purchase, { head, confirmedTo }: Progress) {
    const authorization = authorizationOf(purchase)
    if (!authorization) return 'waiting'
    const { payer, nonce, validBefore } = authorization
    const unpaid = isExpired(validBefore.getTime(), head) ? null : 'waiting'
    if (!(await reader.isUsed(payer, nonce, head.number))) return unpaid
    const usedBy = await reader.transactionUsing(payer, nonce, purchase.createdAt)
    const using = usedBy && (await lookInto(usedBy.txHash, purchase, usedBy.blockNumber))
    if (using?.found) return using.found
    // A transaction used the authorization, but the node does not show it yet, or not for sure.
    return using && neverPays(using, confirmedTo) ? unpaid : 'waiting'
  }

  async function lookIntoNamed(purchase: Purchase, seen: number | null) {
    return purchase.txHash === null ? null : lookInto(purchase.txHash, purchase, seen)
  }

  /** Judges a transaction; null while the chain does not show it. */
  async function lookInto(txHash: string, purchase: Purchase, seen: number | null) {
    const shown = await transactionOf(reader, purchase, { txHash, seen })
    return shown && take(purchase, txHash, shown)
  }

  /** Takes the transfer that pays the purchase and no other, if there is one. */
  async function take(purchase: Purchase, txHash: string, shown: Transaction): Promise<Shown> {
    const keys = keysIn(shown, purchase)
    for (let tries = 1; tries <= mostTries; tries++) {
      const evidence = judge(purchase, shown, await findRivals(sql, purchase, { txHash, keys }))
      const transfer = evidence.paid
      if (!transfer) return { ...evidence, found: null }
      const { position } = transfer
      const isHeld = purchase.txHash === txHash && purchase.position === position
      const held = isHeld
        ? purchase
        : await execute(sql, purchase, { kind: 'see', txHash, position })
      if (held) return { ...evidence, found: { purchase: held, transfer } }
    }
    throw new ChainError('lagging', 'another process has changed the purchase meanwhile')
  }

  return { find }
}

/**
 * A transaction with its transfers to the seller. A node that has the block `seen` proves that
 * there is no transaction, but not that one pays nothing, as it may not have all logs yet: every
 * node is asked about that.
 */
export async function transactionOf(
  reader: PurchaseReader,
  { requirements: { payTo } }: Purchase,
  { txHash, seen }: { readonly txHash: string; readonly seen: number | null },
): Promise<Transaction | null> {
  const shown = await reader.transaction(txHash, payTo, seen)
  if (seen === null || shown === null || shown.transfers.length > 0) return shown
  return (await reader.transaction(txHash, payTo, null)) ?? shown
}
