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

export type Progress = { readonly head: Block; readonly confirmedTo: number }

export type Paid = { readonly purchase: Purchase; readonly transfer: Transfer }

type Shown = Evidence & { readonly found: Paid | null }

const mostTries = 20

/**
 * Looks for the payment of a purchase by its transaction, its message, or the authorization it
 * used, as sellers' addresses are not watched. An upstream's word counts only until the chain has
 * answered.
 */
export function createSearch({ sql, reader, purchases }: Options) {
  /** Null: there is no payment and there will be none. */
  async function find(purchase: Purchase, progress: Progress): Promise<Paid | null | 'waiting'> {
    const message = messageOf(purchase)
    if (message) return findByMessage(purchase, message, progress)
    return isTransfer(purchase) ? findMade(purchase, progress) : findSigned(purchase, progress)
  }

  async function findByMessage(
    purchase: Purchase,
    message: ForwardedMessage,
    { confirmedTo }: Progress,
  ) {
    const txHash = await reader.transactionOf(message)
    if (txHash === null || txHash === 'waiting') return txHash
    const made = await lookInto(txHash, purchase, null)
    if (made?.found) return made.found
    // Another purchase's payment, or the node does not show it yet.
    return made && neverPays(made, confirmedTo) ? null : 'waiting'
  }

  /** A transfer made before it was presented: only its own transaction can pay. */
  async function findMade(purchase: Purchase, { head, confirmedTo }: Progress) {
    const isLate = isOverdue(purchase, head.timestampMs)
    const made = await lookIntoNamed(purchase, isLate ? head.number : null)
    if (made?.found) return made.found
    if (made && neverPays(made, confirmedTo)) return null
    return isLate && !made?.isHeldOpen ? null : 'waiting'
  }

  /** A signed payment: any transaction may take it. */
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
    // Its transaction was forgotten, and may have been credited since.
    else if (state === 'paid' && txHash === null) await purchases.discredit(purchase)
    return 'waiting'
  }

  async function findByUse(purchase: Purchase, { head, confirmedTo }: Progress) {
    const authorization = authorizationOf(purchase)
    if (!authorization) return 'waiting'
    const { payer, nonce, validBefore } = authorization
    const unpaid = isExpired(validBefore.getTime(), head) ? null : 'waiting'
    if (!(await reader.isUsed(payer, nonce, head.number))) return unpaid
    const usedBy = await reader.transactionUsing(payer, nonce, purchase.createdAt)
    const using = usedBy && (await lookInto(usedBy.txHash, purchase, usedBy.blockNumber))
    if (using?.found) return using.found
    // The node does not show the transaction yet, or not for sure.
    return using && neverPays(using, confirmedTo) ? unpaid : 'waiting'
  }

  async function lookIntoNamed(purchase: Purchase, seen: number | null) {
    return purchase.txHash === null ? null : lookInto(purchase.txHash, purchase, seen)
  }

  /** Null while the chain does not show it. */
  async function lookInto(txHash: string, purchase: Purchase, seen: number | null) {
    const { payTo } = purchase.requirements
    const shown = await transactionOf(reader, payTo, { txHash, seen })
    return shown && take(purchase, txHash, shown)
  }

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
 * A transaction with its transfers to an address. A node that has block `seen` proves that there is
 * none, but may lack logs: if it pays nothing, every node is asked.
 */
export async function transactionOf(
  reader: Pick<PurchaseReader, 'transaction'>,
  payTo: string,
  { txHash, seen }: { readonly txHash: string; readonly seen: number | null },
): Promise<Transaction | null> {
  const shown = await reader.transaction(txHash, payTo, seen)
  if (seen === null || shown === null || shown.transfers.length > 0) return shown
  return (await reader.transaction(txHash, payTo, null)) ?? shown
}
