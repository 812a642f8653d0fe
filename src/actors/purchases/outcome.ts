import type { Network } from '../../domain/network.ts'
import { fitting, type Transaction, type Transfer } from '../../domain/purchases/evidence.ts'
import { isDeliveryUnderWay, isOverdue, type Purchase } from '../../domain/purchases/purchase.ts'
import type { Authorization, PurchaseReader } from '../../domain/purchases/reader.ts'
import { refundsAmong } from '../../storage/credit-notes/refunds.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Cursor } from '../../storage/settlement/cursors.ts'
import { type Place, placeKey, type Use, usesOf } from '../../storage/settlement/uses.ts'
import type { Changing, Wanted } from './changing.ts'

export type PurchaseReaders = ReadonlyMap<
  Network,
  PurchaseReader & {
    head(): Promise<Block>
    block(number: number): Promise<Block | null>
  }
>

type Block = { readonly number: number; readonly timestampMs: number }

/** How far the chain has been read. `final` is the newest block at depth; null: none. */
export type Progress = { readonly head: Block; readonly final: Block | null }

/** What the chain shows of a payment: `gone`: it can no longer come. */
export type Shown = { readonly transfer: Transfer } | 'gone' | 'waiting'

export type Outcomes = ReturnType<typeof createOutcomes>

type Parts = {
  readonly sql: Sql
  readonly readers: PurchaseReaders
  readonly changing: Changing
}

/**
 * What the chain shows of claimed payments:
 * 1. A payment is looked up by its transaction, its authorization or its message.
 * 2. A transfer that fits, and pays nothing else, makes the purchase `paid`.
 * 3. Once it is final and the answer is handed over, one statement settles purchase and invoice,
 *    and records the use of the transfer.
 * 4. Where a final block shows that the payment can no longer come, its hold ends.
 */
export function createOutcomes({ sql, readers, changing }: Parts) {
  function readerOf({ option }: Purchase) {
    return readers.get(option.network)
  }

  /** Whether the chain shows the payment now, final or not. */
  async function isShown(purchase: Purchase): Promise<boolean> {
    const head = await readerOf(purchase)?.head()
    if (!head) return false
    return typeof (await find(purchase, { head, final: null })) === 'object'
  }

  async function find(purchase: Purchase, progress: Progress): Promise<Shown> {
    const { payment, createdAt, txHash } = purchase
    const reader = readerOf(purchase)
    if (!payment || !reader) return 'waiting'
    const { head, final } = progress
    const isLate = isOverdue(purchase)
    const isOver = (payment.validBefore?.getTime() ?? Infinity) < (final?.timestampMs ?? 0)
    const { kind, payer, nonce, message } = payment
    if (kind === 'message' && payer && message) return byMessage({ payer, nonce: message })
    if (kind === 'made') return ofMade()
    if ((kind === 'eip3009' || kind === 'permit2') && payer && nonce)
      return byUse({ kind, payer, nonce })
    // No transfer is certainly its own: it counts by the upstream's word.
    return isLate ? 'gone' : 'waiting'

    async function lookNamed(): Promise<Looked | null> {
      return txHash === null ? null : look(txHash, isLate ? head.number : null)
    }

    /** A transfer made before: only its own transaction can pay, and only what its payer signed. */
    async function ofMade(): Promise<Shown> {
      const named = await lookNamed()
      if (payment?.isProven && named?.transfer) return { transfer: named.transfer }
      if (payment?.isProven && named?.isTaken) return 'waiting'
      const isDisproved = purchase.state === 'held' && named?.isFinal === true
      return isLate || isDisproved ? 'gone' : 'waiting'
    }

    /** What pays is not older than the claim; a transfer made before, than the quote. */
    async function isSince({ blockNumber }: Transaction): Promise<boolean> {
      const block = await reader?.block(blockNumber)
      const since = kind === 'made' ? createdAt : payment?.firstForwardedAt
      // A slot's time is known some moments after it.
      if (!block && kind === 'message' && final === null) return true
      if (!block || !since) return false
      const skewMs = kind === 'message' ? slotsDifferMs : clocksDifferMs
      return block.timestampMs + skewMs > since.getTime()
    }

    async function byMessage(signed: { payer: string; nonce: string }): Promise<Shown> {
      const { firstForwardedAt, forwardedAt } = payment as NonNullable<typeof payment>
      const made = await reader?.transactionOf({ ...signed, txHash, firstForwardedAt, forwardedAt })
      if (!made || made === 'waiting') return made === null ? 'gone' : 'waiting'
      return shownBy(await look(made, null))
    }

    async function byUse(by: Authorization): Promise<Shown> {
      const named = payment?.isProven ? await lookNamed() : null
      if (named?.transfer) return { transfer: named.transfer }
      if (!(await reader?.isUsed(by, head.number))) return isOver ? 'gone' : 'waiting'
      // Nothing on chain leads from a used permit to its transaction: it counts.
      if (!payment?.isProven) return 'waiting'
      const used = await reader?.transactionUsing(by, createdAt)
      return used ? shownBy(await look(used.txHash, used.blockNumber)) : 'waiting'
    }

    /** What is used by a transaction that does not pay it never pays it. */
    function shownBy(looked: Looked | null): Shown {
      if (looked?.transfer) return { transfer: looked.transfer }
      return looked?.isFinal && !looked.isTaken ? 'gone' : 'waiting'
    }

    async function look(hash: string, seen: number | null): Promise<Looked | null> {
      const { option, isCopied } = purchase
      const shown = await transactionOf(reader as PurchaseReader, option.payTo, hash, seen)
      if (!shown) return null
      const found = fitting(shown, purchase)
      const isInTime = found.length > 0 && (await isSince(shown))
      // What is used counts, however early; a transfer made before only from its quote on.
      const fits = isInTime || kind !== 'made' ? found : []
      const [uses, refunds] = await Promise.all([
        usesOf(sql, option.network, fits),
        refundsIn(purchase, fits),
      ])
      const isOurs = (one: Transfer) =>
        !refunds.has(placeKey(one)) && isFree(uses.get(placeKey(one)), purchase)
      const transfer = (isInTime && !isCopied && fits.find(isOurs)) || null
      const isTaken = fits.length > 0 && transfer === null
      return { transfer, isTaken, isFinal: final !== null && shown.blockNumber <= final.number }
    }
  }

  /** What carries nothing that was signed for it may be an open refund: then it is that. */
  async function refundsIn({ option, payment }: Purchase, transfers: readonly Transfer[]) {
    if (payment?.kind !== 'made') return new Set<string>()
    const { network, payTo: to } = option
    return refundsAmong(
      sql,
      network,
      transfers.map((one) => ({ ...one, to })),
    )
  }

  /**
   * Applies what the chain shows. What is final waits for a second node, and until the answer has
   * been handed over, which the receipt states. Returns what is to be settled.
   */
  async function follow(purchase: Purchase, progress: Progress): Promise<Wanted | null> {
    const shown = await find(purchase, progress)
    if (shown === 'waiting') return null
    if (shown === 'gone') {
      await changing.change(purchase, { kind: 'free' })
      return null
    }
    const { transfer } = shown
    const { txHash, position, blockNumber } = transfer
    const { head, final } = progress
    const isFinal = final !== null && blockNumber <= final.number
    if (isFinal && !isDeliveryUnderWay(purchase) && (await isSeconded(purchase, transfer))) {
      const command = { kind: 'settle', txHash, position, blockNumber } as const
      return { purchase, command, settling: { transfer, head: head.number } }
    }
    await changing.change(purchase, { kind: 'accept', txHash })
    return null
  }

  async function isSeconded(purchase: Purchase, transfer: Transfer): Promise<boolean> {
    const seconded = await readerOf(purchase)?.seconded([
      { ...transfer, to: purchase.option.payTo },
    ])
    return seconded?.length === 1
  }

  /** Settles what is final up to a cursor: all at once, or each that still can be. */
  async function settle(
    network: Network,
    wanted: readonly Wanted[],
    cursor: Cursor,
  ): Promise<number> {
    // Of two purchases that show one transfer, the other finds it used in the next round.
    const first = new Map(
      wanted.toReversed().flatMap((one) => useOf(one).map((use) => [placeKey(use), one])),
    )
    const alone = [...first.values()]
    const shown = (of: readonly Wanted[], at: Cursor) => ({
      chain: network,
      cursor: at,
      used: of.flatMap(useOf),
      freed: [],
    })
    if (alone.length === 0) return 0
    if (await changing.changeAll(alone, { shown: shown(alone, cursor) })) return alone.length
    let settled = 0
    for (const one of alone) {
      const at = { ...cursor, version: cursor.version + settled }
      if (await changing.changeAll([one], { shown: shown([one], at) })) settled++
    }
    return settled
  }

  /** Takes back settlements whose transfers have left the chain. False: lost a race. */
  async function revert(
    network: Network,
    gone: readonly Purchase[],
    cursor: Cursor,
  ): Promise<boolean> {
    const wanted = gone.map((purchase) => ({ purchase, command: { kind: 'revert' } as const }))
    const freed = gone.map(({ txHash, position }) => ({
      txHash: txHash ?? '',
      position: position ?? 0,
    }))
    return (
      (await changing.changeAll(wanted, { shown: { chain: network, cursor, used: [], freed } })) !==
      null
    )
  }

  /** Whether a settled payment is still in its block. */
  async function isInItsBlock(purchase: Purchase): Promise<boolean> {
    const { txHash, position, settledIn, option } = purchase
    const reader = readerOf(purchase)
    if (!reader || txHash === null || position === null || settledIn === null) return true
    return isAt(reader, { txHash, position, blockNumber: settledIn, to: option.payTo })
  }

  return { isShown, follow, settle, revert, isInItsBlock }
}

/** A block's time is a whole second, and not by PostgreSQL's clock. */
const clocksDifferMs = 2_000
/** A slot's time is what validators estimate. */
const slotsDifferMs = 10_000

/** `isTaken`: something else has it. It was paid all the same, so it counts on. */
type Looked = {
  readonly transfer: Transfer | null
  readonly isTaken: boolean
  readonly isFinal: boolean
}

function isFree(use: Use | undefined, { invoiceId }: Purchase): boolean {
  return use === undefined || (use.kind === 'purchase' && use.subjectId === invoiceId)
}

function useOf({ purchase, command }: Wanted): readonly Use[] {
  if (command.kind !== 'settle') return []
  const { txHash, position } = command
  const { accountId, invoiceId: subjectId } = purchase
  return [{ txHash, position, kind: 'purchase', accountId, subjectId }]
}

/** Whether a transfer is still where it was seen. */
export async function isAt(
  reader: Pick<PurchaseReader, 'transaction'>,
  at: Place & { readonly blockNumber: number; readonly to: string },
): Promise<boolean> {
  const { txHash, position, blockNumber, to } = at
  const shown = await transactionOf(reader, to, txHash, blockNumber)
  return (shown?.transfers ?? []).some(
    (one) => one.position === position && one.blockNumber === blockNumber,
  )
}

/**
 * A transaction with its transfers to an address. A node that has block `seen` proves that there is
 * none, but may lack logs: if it pays nothing, every node is asked.
 */
async function transactionOf(
  reader: Pick<PurchaseReader, 'transaction'>,
  payTo: string,
  txHash: string,
  seen: number | null,
): Promise<Transaction | null> {
  const shown = await reader.transaction(txHash, payTo, seen)
  if (seen === null || shown === null || shown.transfers.length > 0) return shown
  return (await reader.transaction(txHash, payTo, null)) ?? shown
}
