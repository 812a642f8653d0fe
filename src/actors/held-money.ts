import { dueUsdcBase, leftUsdcBase } from '../domain/invoices/balance.ts'
import { acceptsTransfer, type Invoice } from '../domain/invoices/invoice.ts'
import type { HeldPayment } from '../domain/settlement/transfer-list.ts'
import { shareRuns } from '../scheduling/cache.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { type HeldPlaces, heldFor, heldPlaces, mayBeHeldAt } from '../storage/settlement/held.ts'

export type HeldMoney = Pick<ReturnType<typeof createHeldMoney>, 'of'>

const everyMs = 2_000
/** It rests twenty times as long as it reads, however much is held, up to ten seconds. */
const rests = 20
const longestRestMs = 10_000

/**
 * The held transfers that an invoice may be meant by. The places where any are held are read in the
 * background: an invoice that none can fit costs a caller nothing.
 */
export function createHeldMoney(parts: {
  readonly sql: Sql
  readonly pollSql: Sql
  readonly steadyMs: () => number
  readonly onFault: (error: unknown) => void
}) {
  const { sql, pollSql, steadyMs, onFault } = parts
  let places: HeldPlaces | null = null
  let dueAtMs = 0
  const refresh = shareRuns(async () => {
    const startedMs = steadyMs()
    if (startedMs < dueAtMs) return
    try {
      places = await heldPlaces(pollSql, everyMs)
    } catch (error) {
      onFault(error)
    }
    const endedMs = steadyMs()
    dueAtMs = endedMs + Math.min(rests * (endedMs - startedMs), longestRestMs)
  })
  const timer = setInterval(refresh, everyMs)
  void refresh()

  /** Null: none, as is known without asking. Up to twelve seconds old. */
  function of(invoice: Invoice): Promise<readonly HeldPayment[]> | null {
    if (!acceptsTransfer(invoice) || invoice.terms.depositIndex !== undefined) return null
    const amounts = [dueUsdcBase(invoice), leftUsdcBase(invoice)]
    if (places && !mayBeHeldAt(places, invoice.terms, amounts)) return null
    return heldFor(sql, invoice)
  }

  return { of, close: () => clearInterval(timer) }
}
