import type { Purchases } from '../../actors/purchases/purchases.ts'
import { type Chain, ChainError } from '../../chain/chain.ts'
import type { Network } from '../../domain/network.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Confirmations } from '../../domain/registry.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { nextOpen, settledSince } from '../../storage/purchases/purchases.ts'
import { loadCursor } from '../../storage/settlement/cursors.ts'
import { lastConfirmed } from '../blocks.ts'

type Options = {
  readonly sql: Sql
  readonly chain: Network
  readonly reader: Pick<Chain, 'head' | 'finalizedNumber' | 'block'>
  readonly outcomes: Purchases['outcomes']
  readonly confirmations: Confirmations
  /** Monotonic. */
  readonly steadyMs: () => number
  readonly log: { warn(line: object, message: string): void }
}

const lookedAtOnce = 20
/** The watcher's steps, which settle invoices, wait meanwhile. */
const followMs = 2_000

/** Asks a chain about open payments of purchases; sellers' addresses are not watched. */
export function createPurchaseWatch(options: Options) {
  const { sql, chain, reader, outcomes, steadyMs, log } = options

  /** Looks at each open payment at most once, while there is time. */
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
      const finalNumber = Math.min(deepest, cursor.nextBlock - 1)
      const final = finalNumber < 0 ? null : await reader.block(finalNumber)
      const found = await Promise.all(open.map((purchase) => followOne(purchase, { head, final })))
      await outcomes.settle(
        chain,
        found.flatMap((one) => one ?? []),
        cursor,
      )
      if (steadyMs() - startedMs > followMs) return
      looked.push(...open.map(({ invoiceId }) => invoiceId))
      open = await nextOpen(sql, chain, lookedAtOnce, looked)
    }
  }

  async function followOne(purchase: Purchase, progress: Parameters<typeof outcomes.follow>[1]) {
    try {
      return await outcomes.follow(purchase, progress)
    } catch (err) {
      log.warn({ err, invoiceId: purchase.invoiceId }, 'a purchase was not followed')
      return null
    }
  }

  /** Takes back settlements whose payments are no longer in their block, from this one on. */
  async function reverse(fromBlock: number): Promise<void> {
    const settled = await settledSince(sql, chain, fromBlock)
    const gone: Purchase[] = []
    for (let at = 0; at < settled.length; at += lookedAtOnce) {
      const looked = settled.slice(at, at + lookedAtOnce)
      const isThere = await Promise.all(looked.map(outcomes.isInItsBlock))
      gone.push(...looked.filter((_, at) => !isThere[at]))
    }
    const cursor = gone.length > 0 ? await loadCursor(sql, chain) : null
    if (cursor && !(await outcomes.revert(chain, gone, cursor)))
      throw new ChainError('lagging', 'another process has moved the cursor meanwhile')
  }

  return { follow, reverse }
}
