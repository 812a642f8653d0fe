import { confirm, decidePayments, paymentsOf } from '../../../actors/payments.ts'
import { purchaseKey } from '../../../actors/purchases/credits.ts'
import { changeBy, execute } from '../../../actors/purchases/execute.ts'
import type { Purchases } from '../../../actors/purchases/purchases.ts'
import { type Block, type Chain, ChainError } from '../../../chain/chain.ts'
import type { Command } from '../../../domain/invoices/decide.ts'
import type * as Invoice from '../../../domain/invoices/invoice.ts'
import type { Network } from '../../../domain/network.ts'
import { pays } from '../../../domain/purchases/evidence.ts'
import { isDeliveryUnderWay, type Purchase } from '../../../domain/purchases/purchase.ts'
import type { PurchaseReader } from '../../../domain/purchases/reader.ts'
import type { Confirmations } from '../../../domain/registry.ts'
import { loadMany } from '../../../storage/invoices/invoices.ts'
import type { Sql } from '../../../storage/postgres/db.ts'
import { nextOpen, settledSince } from '../../../storage/purchases/open.ts'
import type { Change as PurchaseChange } from '../../../storage/purchases/purchases.ts'
import { type Cursor, loadCursor } from '../../../storage/settlement/cursors.ts'
import { commitStep, type Step } from '../../../storage/settlement/settlements.ts'
import { lastConfirmed } from '../../blocks.ts'
import { createSearch, type Paid, type Progress, transactionOf } from './search.ts'

type Options = {
  readonly sql: Sql
  readonly chain: Network
  readonly reader: PurchaseReader & Pick<Chain, 'head' | 'finalizedNumber'>
  readonly purchases: Pick<Purchases, 'accept' | 'discredit' | 'forgetTransaction' | 'expire'>
  readonly confirmations: Confirmations
  readonly feeBasisPoints: number
  readonly now: () => Date
  /** Monotonic. */
  readonly steadyMs: () => number
  readonly newId: () => string
  readonly log: { warn(line: object, message: string): void }
  readonly onCommitted: (step: Step) => void
}

const lookedAtOnce = 20
/** The watcher's steps, which settle invoices, wait meanwhile. */
const followMs = 2_000

export function createPurchaseWatch(options: Options) {
  const { sql, chain, reader, purchases, steadyMs, log } = options
  const search = createSearch({ sql, reader, purchases })

  /** Looks at each unsettled payment at most once, while there is time. */
  async function follow(): Promise<void> {
    const startedMs = steadyMs()
    const looked: string[] = []
    let open = await nextOpen(sql, chain, lookedAtOnce, looked)
    if (open.length === 0) return
    const head = await reader.head()
    const deepest = await lastConfirmed(reader, options.confirmations, head)
    while (open.length > 0) {
      const cursor = await loadCursor(sql, chain)
      if (!cursor) return
      // Beyond the watcher's cursor a reorganisation would go unnoticed.
      const confirmedTo = Math.min(deepest, cursor.nextBlock - 1)
      const confirmed = await followAll(open, { head, confirmedTo })
      if (confirmed.length > 0) await settle(options, confirmed, { cursor, head })
      if (steadyMs() - startedMs > followMs) return
      looked.push(...open.map(({ invoiceId }) => invoiceId))
      open = await nextOpen(sql, chain, lookedAtOnce, looked)
    }
  }

  async function followAll(open: readonly Purchase[], progress: Progress) {
    const found = open.map((purchase) =>
      followOne(purchase, progress).catch((error) => {
        log.warn({ err: error, invoiceId: purchase.invoiceId }, 'a purchase was not followed')
        return null
      }),
    )
    return (await Promise.all(found)).filter((one) => one !== null)
  }

  /** Accepts or expires its payment as the chain decides. Null unless it is confirmed. */
  async function followOne(open: Purchase, progress: Progress): Promise<Paid | null> {
    const found = await search.find(open, progress)
    if (found === 'waiting') return null
    const purchase = await takenOver(found?.purchase ?? open)
    if (!purchase) return null
    if (found === null) {
      await purchases.expire(purchase)
      return null
    }
    const { transfer } = found
    const accepted = await purchases.accept(purchase, transfer.txHash)
    if (!accepted || transfer.blockNumber > progress.confirmedTo) return null
    // Its receipt states what was handed over.
    if (isDeliveryUnderWay(accepted, accepted.readAt)) return null
    return { purchase: accepted, transfer }
  }

  /** Only one process may spend or release the held budget. */
  function takenOver(purchase: Purchase): Promise<Purchase | null> | Purchase {
    return purchase.state === 'paid' ? purchase : execute(sql, purchase, { kind: 'take_over' })
  }

  /**
   * Reverses settlements whose payments are no longer in their block, from this one on, and follows
   * them again: the receipt names the block.
   */
  async function reverse(fromBlock: number): Promise<void> {
    const settled = await settledSince(sql, chain, fromBlock)
    const gone: Purchase[] = []
    for (let at = 0; at < settled.length; at += lookedAtOnce) {
      const looked = settled.slice(at, at + lookedAtOnce)
      const isThere = await Promise.all(looked.map((purchase) => isInItsBlock(reader, purchase)))
      gone.push(...looked.filter((_, at) => !isThere[at]))
    }
    const cursor = gone.length > 0 ? await loadCursor(sql, chain) : null
    if (!cursor) return
    const commands = gone.map((purchase) => {
      const key = purchaseKey(purchase, purchase.txHash ?? '')
      return { purchase, command: { kind: 'revert', key } as const }
    })
    const changes = gone.flatMap((purchase) => changeBy(purchase, { kind: 'reopen' }) ?? [])
    if (!(await commit(options, cursor, { commands, changes: () => changes })))
      throw new ChainError('lagging', 'another process has moved the cursor meanwhile')
  }

  return { follow, reverse }
}

async function isInItsBlock(reader: PurchaseReader, purchase: Purchase): Promise<boolean> {
  const { txHash, settledIn, requirements } = purchase
  const shown = await transactionOf(reader, requirements.payTo, {
    txHash: txHash ?? '',
    seen: settledIn,
  })
  return (shown?.transfers ?? []).some(
    (transfer) => transfer.blockNumber === settledIn && pays(transfer, purchase),
  )
}

async function settle(
  options: Options,
  confirmed: readonly Paid[],
  { cursor, head }: { readonly cursor: Cursor; readonly head: Block },
): Promise<void> {
  const commands = confirmed.map(({ purchase, transfer }) => {
    const key = purchaseKey(purchase, transfer.txHash)
    return { purchase, command: confirm(key, transfer, head.number, options.newId) }
  })
  await commit(options, cursor, {
    commands,
    changes(invoices) {
      const closed = new Set(invoices.filter(isClosed).map(({ id }) => id))
      return confirmed
        .filter(({ purchase }) => closed.has(purchase.invoiceId))
        .flatMap(({ purchase, transfer: { txHash, blockNumber } }) => {
          return changeBy(purchase, { kind: 'settle', txHash, blockNumber }) ?? []
        })
    },
  })
}

/** Settled, or voided before its payment came. */
function isClosed({ state }: Invoice.Invoice): boolean {
  return state === 'settled' || state === 'completed' || state === 'failed'
}

/** Applies a command to the invoice of each purchase, and what follows from it. False: refused. */
async function commit(
  { sql, chain, feeBasisPoints, now, onCommitted }: Options,
  cursor: Cursor,
  {
    commands,
    changes,
  }: {
    readonly commands: readonly { readonly purchase: Purchase; readonly command: Command }[]
    readonly changes: (after: readonly Invoice.Invoice[]) => readonly PurchaseChange[]
  },
): Promise<boolean> {
  const at = now()
  const byId = new Map(commands.map((one) => [one.purchase.invoiceId, one]))
  const invoices = await loadMany(sql, [...byId.keys()])
  const decided = invoices.flatMap((before) => {
    const one = byId.get(before.id)
    if (!one) return []
    const { purchase, command } = one
    return decidePayments(before, [command], { at, feeBasisPoints, purchase }) ?? []
  })
  const changed = new Map(decided.map(({ change: { after } }) => [after.id, after]))
  const { nextBlock, checkpoints } = cursor
  const step: Step = {
    chain,
    // The watcher's own cursor, unmoved: if two processes settle an invoice at once, one is
    // refused.
    cursor,
    next: { nextBlock, checkpoints },
    inserted: [],
    updated: [],
    purchases: changes(invoices.map((invoice) => changed.get(invoice.id) ?? invoice)),
    ...paymentsOf(decided, at),
  }
  const isCommitted = await commitStep(sql, step)
  if (isCommitted) onCommitted(step)
  return isCommitted
}
