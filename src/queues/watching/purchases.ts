import { confirm, decidePayments, paymentsOf } from '../../actors/payments.ts'
import { purchaseKey } from '../../actors/purchase-credits.ts'
import { isTransfer, messageOf, type Purchases } from '../../actors/purchases.ts'
import { type Block, ChainError, clockMarginMs } from '../../chain/chain.ts'
import { isExpired } from '../../chain/evm/authorizations.ts'
import type {
  ForwardedMessage,
  PurchaseReader,
  PurchaseTransfer,
} from '../../chain/purchase-reader.ts'
import type { Command } from '../../domain/invoices/decide.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import { type InvoiceChain, isTxHash } from '../../domain/network.ts'
import type { Confirmations } from '../../domain/registry.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Settled } from '../../storage/purchases/followed.ts'
import type { Purchase } from '../../storage/purchases/purchases.ts'
import { type Cursor, loadCursor } from '../../storage/settlement/cursors.ts'
import {
  type ConcludedPurchase,
  commitStep,
  type Step,
} from '../../storage/settlement/settlements.ts'
import { lastConfirmed } from '../blocks.ts'

type Options = {
  readonly chain: InvoiceChain
  readonly reader: PurchaseReader
  readonly purchases: Pick<Purchases, 'accept' | 'discredit' | 'forgetTransaction' | 'lapse'>
  readonly sql: Sql
  readonly store: {
    /** At most `limit` open purchases that are due, none of them among those named as `looked`. */
    next(limit: number, looked: readonly string[]): Promise<readonly Purchase[]>
    /**
     * Takes over the decision on the purchase and returns its current state; null when another
     * attempt has it.
     */
    takeOver(purchase: Purchase): Promise<Purchase | null>
    /** Assigns the transfer to the purchase; false when it pays another one. */
    take(purchase: Purchase, transfer: PurchaseTransfer): Promise<boolean>
    /** Whether one of the transfers is assigned to another purchase that is not settled yet. */
    isHeldOpen(purchase: Purchase, transfers: readonly PurchaseTransfer[]): Promise<boolean>
    /** The purchases settled by a block from this one on, also if that was reversed already. */
    settledSince(block: number): Promise<readonly Settled[]>
  }
  readonly confirmations: Confirmations
  readonly feeBasisPoints: number
  readonly now: () => Date
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number
  readonly newId: () => string
  readonly log: { warn(line: object, message: string): void }
  readonly onSettled: (invoiceIds: readonly string[]) => void
}

/**
 * How long after forwarding a payment without an expiry may take to appear on the chain, or the
 * upstream to name its transaction when asked again.
 */
const patienceMs = 86_400_000
const lookedAtOnce = 20
/** How long looks may go on before the chain's blocks are read again, which settles invoices. */
const followMs = 2_000

export type PurchaseWatch = {
  /** Looks at payments that are not settled, at most once at each, while there is time. */
  follow(): Promise<void>
  /**
   * Reverses the settlement of payments in this block or a later one that are no longer in their
   * block, and follows them again: the receipt names the block, and so does the next look for what
   * a reorganisation took.
   */
  reverse(fromBlock: number): Promise<void>
}

/**
 * Follows the payments of purchases on one chain. Sellers' addresses are not watched, so each
 * payment is looked up by its transaction or by the authorization it used. An upstream's word on a
 * payment counts only until the chain has answered.
 */
export function createPurchaseWatch(options: Options): PurchaseWatch {
  const { chain, reader, purchases, sql, store, now, steadyMs, log } = options

  /**
   * Looks at one purchase and accepts or lapses its payment as the chain decides. Returns the
   * purchase and the transfer that paid it once that is confirmed, otherwise null.
   */
  async function followOne(
    open: Purchase,
    head: Block,
    confirmedTo: number,
  ): Promise<Confirmed | null> {
    const found = await find(open, head, confirmedTo)
    if (found === 'waiting') return null
    // Only one process may spend or release the held budget.
    const purchase = open.state === 'paid' ? open : await store.takeOver(open)
    if (!purchase) return null
    if (found === null) {
      await purchases.lapse(purchase)
      if (isUntraceable(purchase)) {
        const { invoiceId, mandateId } = purchase
        const told = 'a payment whose upstream failed without naming a transaction counts no longer'
        log.warn({ invoiceId, mandateId }, told)
      }
      return null
    }
    await purchases.accept(purchase, found.txHash)
    return found.blockNumber <= confirmedTo ? { purchase, transfer: found } : null
  }

  /**
   * The transfer that paid, reserved for this purchase from now on; null: there is none and there
   * will be none.
   */
  async function find(
    purchase: Purchase,
    head: Block,
    confirmedTo: number,
  ): Promise<PurchaseTransfer | null | 'waiting'> {
    const { nonce, forwardedAt, state, requirements } = purchase
    const message = messageOf(purchase)
    if (message) return paidBy(message, purchase, confirmedTo)
    const isOverdue = head.timestampMs - Number(forwardedAt) > patienceMs
    const txHash = txHashOf(purchase)
    const seen = nonce === null && isOverdue ? head.number : null
    const named = txHash === null ? null : await lookInto(txHash, purchase, seen)
    if (named?.paid) return named.paid
    const isUnpaid = named !== null && neverPays(named, confirmedTo)
    if (isUnpaid && isTransfer(purchase)) return null
    // The attempt under way may yet name another one.
    const isDisproved = isUnpaid && state !== 'forwarding'
    // What another one holds may yet be left to this one, which so is not over.
    const isOver = isOverdue && !named?.isHeldOpen
    const found = await findUnnamed(purchase, { head, confirmedTo, isOver })
    if (found !== 'waiting') return found
    // What was signed may yet be taken by another transaction: the next one named is that, or the
    // one found by its nonce. On Solana the name stays, as the payment must lapse after a day: one
    // that was accepted and has none counts for good.
    if (isDisproved && requirements.network !== 'solana')
      await purchases.forgetTransaction(purchase)
    // Whoever named a transaction that was forgotten may have credited it since.
    else if (state === 'paid' && (isDisproved || txHash === null))
      await purchases.discredit(purchase)
    return 'waiting'
  }

  /** What `find` tells of a payment for which no transaction is named that took it. */
  async function findUnnamed(
    purchase: Purchase,
    { head, confirmedTo, isOver }: { head: Block; confirmedTo: number; isOver: boolean },
  ): Promise<PurchaseTransfer | null | 'waiting'> {
    const { payer, nonce, validBeforeMs } = purchase
    if (countsForGood(purchase)) return 'waiting'
    if (payer === null || nonce === null || validBeforeMs === null) return isOver ? null : 'waiting'
    const unpaid = isExpired(validBeforeMs, head) ? null : 'waiting'
    if (!(await reader.isUsed(payer, nonce, head.number))) return unpaid
    const usedBy = await findUse(reader, purchase, { payer, nonce })
    const using = usedBy && (await lookInto(usedBy.txHash, purchase, usedBy.blockNumber))
    if (using?.paid) return using.paid
    // A transaction used the authorization, but the node does not show it yet, or not for sure.
    return using && neverPays(using, confirmedTo) ? unpaid : 'waiting'
  }

  /** The transfer by which a signed message has paid, as `find` answers it. */
  async function paidBy(message: ForwardedMessage, purchase: Purchase, confirmedTo: number) {
    const txHash = await reader.transactionOf(message)
    if (txHash === null || txHash === 'waiting') return txHash
    const made = await lookInto(txHash, purchase, null)
    if (made?.paid) return made.paid
    // It is another purchase's payment, or the node that was asked does not show it yet.
    return made && neverPays(made, confirmedTo) ? null : 'waiting'
  }

  /**
   * The block of a transaction, and the transfer in it that pays this purchase and no other, if one
   * does. `isHeldOpen` where another one has taken it that is not settled, and may yet leave it.
   * Null while the chain does not show the transaction.
   */
  async function lookInto(txHash: string, purchase: Purchase, seen: number | null) {
    const shown = await transactionOf(txHash, purchase, seen)
    if (shown === null) return null
    const { blockNumber, transfers } = shown
    const fitting = mostLikelyFirst(transfers, purchase)
    for (const transfer of fitting)
      if (await store.take(purchase, transfer))
        return { blockNumber, paid: transfer, isHeldOpen: false }
    const isHeldOpen = fitting.length > 0 && (await store.isHeldOpen(purchase, fitting))
    return { blockNumber, paid: null, isHeldOpen }
  }

  /**
   * A transaction with its transfers to the seller. A node that has the block `seen` proves that
   * there is no transaction, but not that one pays nothing, as it may not have all logs yet: every
   * node is asked about that.
   */
  async function transactionOf(txHash: string, { requirements }: Purchase, seen: number | null) {
    const shown = await reader.transaction(txHash, requirements.payTo, seen)
    if (seen === null || shown === null || shown.transfers.length > 0) return shown
    return (await reader.transaction(txHash, requirements.payTo, null)) ?? shown
  }

  async function settle(
    confirmed: readonly Confirmed[],
    cursor: Cursor,
    head: Block,
  ): Promise<void> {
    const commands = new Map(
      confirmed.map(({ purchase, transfer }) => {
        const key = purchaseKey(purchase, transfer.txHash)
        return [purchase.invoiceId, confirm(key, transfer, head.number, options.newId)]
      }),
    )
    await commit(cursor, commands, (invoices) => {
      const done = new Set(invoices.filter(isClosed).map(({ id }) => id))
      const closed = confirmed.filter(({ purchase }) => done.has(purchase.invoiceId))
      return { concluded: closed.map(concludedBy) }
    })
  }

  /**
   * Applies one command per invoice id and commits; with it, what the invoices afterwards mean for
   * their purchases. False when the commit was refused.
   */
  async function commit(
    cursor: Cursor,
    commands: ReadonlyMap<string, Command>,
    purchasesOf: (after: readonly Invoice.Invoice[]) => Pick<Step, 'concluded' | 'followedAgain'>,
  ): Promise<boolean> {
    const { feeBasisPoints, newId } = options
    const at = now()
    const invoices = await loadMany(sql, [...commands.keys()])
    const decided = invoices.flatMap((before) => {
      const command = commands.get(before.id)
      return (command && decidePayments(before, [command], { at, feeBasisPoints, newId })) ?? []
    })
    const changed = new Map(decided.map(({ change: { after } }) => [after.id, after]))
    const { nextBlock, checkpoints } = cursor
    const committed = await commitStep(sql, {
      chain,
      // The watcher's own cursor, unmoved: if two processes settle an invoice at once, one is
      // refused and looks again.
      cursor,
      next: { nextBlock, checkpoints },
      inserted: [],
      updated: [],
      ...purchasesOf(invoices.map((invoice) => changed.get(invoice.id) ?? invoice)),
      ...paymentsOf(decided, at),
    })
    if (committed) options.onSettled([...changed.keys()])
    return committed
  }

  async function follow(): Promise<void> {
    const startedMs = steadyMs()
    const looked: string[] = []
    let open = await store.next(lookedAtOnce, looked)
    if (open.length === 0) return
    const head = await reader.head()
    const deepest = await lastConfirmed(reader, options.confirmations, head)
    while (open.length > 0) {
      const cursor = await loadCursor(sql, chain)
      if (!cursor) return
      // Beyond the watcher's cursor a reorganisation would go unnoticed.
      const confirmedTo = Math.min(deepest, cursor.nextBlock - 1)
      const found = open.map((purchase) =>
        followOne(purchase, head, confirmedTo).catch((error) => {
          log.warn({ err: error, invoiceId: purchase.invoiceId }, 'a purchase was not followed')
          return null
        }),
      )
      const confirmed = (await Promise.all(found)).filter((one) => one !== null)
      if (confirmed.length > 0) await settle(confirmed, cursor, head)
      if (steadyMs() - startedMs > followMs) return
      looked.push(...open.map(({ invoiceId }) => invoiceId))
      open = await store.next(lookedAtOnce, looked)
    }
  }

  async function reverse(fromBlock: number): Promise<void> {
    const settled = await store.settledSince(fromBlock)
    const gone: Purchase[] = []
    for (let at = 0; at < settled.length; at += lookedAtOnce) {
      const looked = settled.slice(at, at + lookedAtOnce)
      const found = await Promise.all(
        looked.map(({ purchase, blockNumber }) =>
          transactionOf(purchase.txHash ?? '', purchase, blockNumber),
        ),
      )
      gone.push(
        ...looked.flatMap(({ purchase, blockNumber, isOpen }, at) => {
          const isThere = found[at]?.transfers.some(
            (transfer) => transfer.blockNumber === blockNumber && pays(transfer, purchase),
          )
          return isThere && !isOpen ? [] : purchase
        }),
      )
    }
    const cursor = gone.length > 0 ? await loadCursor(sql, chain) : null
    if (!cursor) return
    const commands = new Map(
      gone.map((purchase) => {
        const key = purchaseKey(purchase, purchase.txHash ?? '')
        return [purchase.invoiceId, { kind: 'revert' as const, key }]
      }),
    )
    if (!(await commit(cursor, commands, () => ({ followedAgain: [...commands.keys()] }))))
      throw new ChainError('lagging', 'somebody else has moved the cursor meanwhile')
  }

  return { follow, reverse }
}

/** Settled, or voided before its payment came. */
function isClosed({ state }: Invoice.Invoice): boolean {
  return state === 'settled' || state === 'completed' || state === 'failed'
}

/**
 * The transaction that the upstream named. Old records may hold hashes that upstreams named before
 * these were checked; nodes refuse requests for them.
 */
function txHashOf({ requirements, txHash }: Purchase): string | null {
  return txHash && isTxHash(requirements.network, txHash) ? txHash : null
}

/**
 * Whether a payment that is not found counts all the same, for ever: an upstream has accepted it
 * and the chain cannot be asked, or the chain never tells that it was not taken.
 */
function countsForGood(purchase: Purchase): boolean {
  return isTimeless(purchase) || (purchase.state === 'paid' && isUntraceable(purchase))
}

/**
 * Whether the payment was signed for an EVM chain other than by EIP-3009: the chain never tells
 * that it was not taken.
 */
function isTimeless(purchase: Purchase): boolean {
  const { requirements, nonce } = purchase
  return requirements.network !== 'solana' && nonce === null && !isTransfer(purchase)
}

/**
 * Whether the chain cannot be asked about the payment: it is none by EIP-3009, no message is known
 * of it, and the upstream has not named its transaction.
 */
function isUntraceable(purchase: Purchase): boolean {
  return txHashOf(purchase) === null && purchase.nonce === null && purchase.message === null
}

/**
 * Whether a transaction that does not pay a purchase never will: no reorganisation replaces it, and
 * no other purchase may yet leave a transfer in it.
 */
function neverPays(
  { blockNumber, isHeldOpen }: { readonly blockNumber: number; readonly isHeldOpen: boolean },
  confirmedTo: number,
): boolean {
  return blockNumber <= confirmedTo && !isHeldOpen
}

/**
 * The transfers that would pay the purchase, with those first that no other purchase in their
 * transaction would lack: those of the very price and, where the payment is none by EIP-3009, by
 * none.
 */
function mostLikelyFirst(transfers: readonly PurchaseTransfer[], purchase: Purchase) {
  const { requirements, nonce } = purchase
  const isOverpaid = ({ usdcBase }: PurchaseTransfer) => Number(usdcBase !== requirements.usdcBase)
  const isForeign = (transfer: PurchaseTransfer) => Number(transfer.nonce !== nonce)
  return transfers
    .filter((transfer) => pays(transfer, purchase))
    .toSorted((a, b) => isOverpaid(a) - isOverpaid(b) || isForeign(a) - isForeign(b))
}

type Confirmed = { readonly purchase: Purchase; readonly transfer: PurchaseTransfer }

function concludedBy({ purchase, transfer }: Confirmed): ConcludedPurchase {
  const { invoiceId, forwardedAt } = purchase
  const { txHash, blockNumber } = transfer
  return { invoiceId, forwardedAt, txHash, blockNumber }
}

/** The authorization that a purchase is paid by, as its payer signed it. */
type Authorization = { readonly payer: string; readonly nonce: string }

/** The transaction that used a purchase's authorization up since it was asked to be paid. */
function findUse(reader: PurchaseReader, { createdAt }: Purchase, { payer, nonce }: Authorization) {
  return reader.transactionUsing(payer, nonce, createdAt.getTime() - clockMarginMs)
}

/**
 * Whether what used an authorization up has paid for the purchase. Its payer may have signed the
 * nonce for something else as well, or have cancelled it.
 */
export async function hasPaid(
  reader: PurchaseReader,
  purchase: Purchase,
  authorization: Authorization,
): Promise<boolean> {
  const usedBy = await findUse(reader, purchase, authorization)
  const using =
    usedBy && (await reader.transaction(usedBy.txHash, purchase.requirements.payTo, null))
  return !using || using.transfers.some((transfer) => pays(transfer, purchase))
}

/** Whether a transfer to the seller would pay the purchase, if no other one has it. */
function pays(transfer: PurchaseTransfer, purchase: Purchase): boolean {
  const { requirements, payer, nonce } = purchase
  const isOpaque = nonce === null && !isByPermit(purchase)
  return (
    transfer.usdcBase >= requirements.usdcBase &&
    (payer === null || transfer.from === payer) &&
    (isOpaque || transfer.nonce === nonce)
  )
}

/** Whether the payment was signed by Permit2, so that no authorization makes its transfer. */
function isByPermit(purchase: Purchase): boolean {
  // Of what else is timeless the payer cannot be read.
  return isTimeless(purchase) && purchase.payer !== null
}
