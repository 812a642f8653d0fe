import type { CreditNote, Refund } from '../../domain/credit-notes/credit-note.ts'
import { paymentOf } from '../../domain/mandates/binding.ts'
import { sumOf } from '../../domain/money/money.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
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
function paidMicro({ terms }: CreditNote, refunds: readonly Refund[]): bigint {
  if (terms.usdcBase === 0n) return 0n
  return (paymentOf(terms).amountMicro * sumOf(refunds, usdcOf)) / terms.usdcBase
}

/**
 * What mandate and budget get back by proven refunds, or lose again when a reorganisation takes one
 * back; null where nothing changes for them.
 */
export async function freedBy(
  sql: Sql,
  before: CreditNote,
  after: CreditNote,
): Promise<Freed | null> {
  const [was, is] = [proven(before), proven(after)]
  if (was.length === is.length) return null
  const [invoice, purchase, notes] = await Promise.all([
    load(sql, after.invoiceId),
    loadPurchase(sql, after.invoiceId),
    notesOf(sql, after.invoiceId),
  ])
  const mandateId = invoice?.terms.mandateId ?? null
  const amountMicro = paidMicro(after, is) - paidMicro(after, was)
  const others = notes.filter(({ id }) => id !== after.id).flatMap(proven)
  return {
    mandate: mandateId === null ? null : { id: mandateId, amountMicro },
    budget: purchase && unspent(purchase, [...others, ...was], [...others, ...is]),
  }
}

/** Of all refunds together, so that a purchase refunded in parts frees all that it has spent. */
function unspent(
  { accountId, agentId, hold, option }: Purchase,
  was: readonly Refund[],
  is: readonly Refund[],
): Freed['budget'] {
  if (!hold || agentId === null) return null
  const { amountMinor, periodNumber } = hold
  const freedMinor = (refunds: readonly Refund[]) =>
    (amountMinor * sumOf(refunds, usdcOf)) / option.usdcBase
  const spentMinor = freedMinor(was) - freedMinor(is)
  return { accountId, agentId, periodNumber, heldMinor: 0n, spentMinor }
}

function proven({ progress }: CreditNote): readonly Refund[] {
  return progress.refunds.filter(({ proof }) => proof !== null)
}

function usdcOf({ usdcBase }: Refund): bigint {
  return usdcBase
}
