import type { CreditNote, Refund } from '../../domain/credit-notes/credit-note.ts'
import { paymentOf } from '../../domain/mandates/binding.ts'
import { sumOf } from '../../domain/money/money.ts'
import type { Freed } from '../../storage/credit-notes/changes.ts'
import { notesOf } from '../../storage/credit-notes/credit-notes.ts'
import { load } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { load as loadPurchase } from '../../storage/purchases/purchases.ts'

/**
 * What a mandate gets back of a note at once: what was still to come. What had been paid is given
 * back by its refunds, once they are proven.
 */
export function freedAtOnceMicro(note: CreditNote): bigint {
  const { amountMicro } = paymentOf(note.terms)
  return amountMicro - paidMicro(note, note.progress.refunds)
}

/** What a note counts against a mandate by the part that these refunds give back. */
function paidMicro({ terms }: CreditNote, refunds: readonly Pick<Refund, 'usdcBase'>[]): bigint {
  if (terms.usdcBase === 0n) return 0n
  const backUsdcBase = sumOf(refunds, ({ usdcBase }) => usdcBase)
  return (paymentOf(terms).amountMicro * backUsdcBase) / terms.usdcBase
}

/**
 * What mandate and budget get back by proven refunds, or lose again when a reorganisation takes one
 * back; null where nothing changes for them. Budgets count purchases only.
 */
export async function freedBy(
  sql: Sql,
  before: CreditNote,
  after: CreditNote,
): Promise<Freed | null> {
  const [wasMicro, isMicro] = [before, after].map((note) =>
    paidMicro(
      note,
      note.progress.refunds.filter(({ proof }) => proof !== null),
    ),
  ) as [bigint, bigint]
  if (wasMicro === isMicro && before.state === after.state) return null
  const mandateId = (await load(sql, after.invoiceId))?.terms.mandateId ?? null
  return {
    mandate: mandateId === null ? null : { id: mandateId, amountMicro: isMicro - wasMicro },
    budget: after.terms.isPurchase ? await budgetFreedBy(sql, before, after) : null,
  }
}

/** A budget gets back what its purchase has spent, once the note's refunds are all proven. */
async function budgetFreedBy(
  sql: Sql,
  before: CreditNote,
  after: CreditNote,
): Promise<Freed['budget']> {
  if (before.state === after.state) return null
  const [invoice, purchase, notes] = await Promise.all([
    load(sql, after.invoiceId),
    loadPurchase(sql, after.invoiceId),
    notesOf(sql, after.invoiceId),
  ])
  const { hold = null, agentId = null } = purchase ?? {}
  if (!hold || agentId === null) return null
  const { subtotalUnits } = invoice?.terms ?? { subtotalUnits: 0n }
  const others = notes.filter(({ id, state }) => id !== after.id && state === 'refunded')
  const without = sumOf(others, ({ terms }) => terms.subtotalUnits)
  const withThis = without + after.terms.subtotalUnits
  // Of all refunds together, so that a purchase refunded in parts frees all that it has spent.
  const freedMinor = (units: bigint) =>
    subtotalUnits > 0n ? (hold.amountMinor * units) / subtotalUnits : 0n
  const amountMinor = freedMinor(withThis) - freedMinor(without)
  return {
    accountId: after.accountId,
    agentId,
    periodNumber: hold.periodNumber,
    heldMinor: 0n,
    spentMinor: after.state === 'refunded' ? -amountMinor : amountMinor,
  }
}
