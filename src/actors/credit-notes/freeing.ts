import type { CreditNote } from '../../domain/credit-notes/credit-note.ts'
import { paymentOf } from '../../domain/mandates/binding.ts'
import { sumOf } from '../../domain/money/money.ts'
import type { Freed } from '../../storage/credit-notes/changes.ts'
import { notesOf } from '../../storage/credit-notes/credit-notes.ts'
import { load } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { load as loadPurchase } from '../../storage/purchases/purchases.ts'

/**
 * What mandate and budget get back once a seller has refunded a purchase, or lose again when a
 * reorganisation takes that back; null where nothing changes for them.
 */
export async function freedBy(
  sql: Sql,
  before: CreditNote,
  after: CreditNote,
): Promise<Freed | null> {
  if (!after.terms.isPurchase || before.state === after.state) return null
  const [invoice, purchase, notes] = await Promise.all([
    load(sql, after.invoiceId),
    loadPurchase(sql, after.invoiceId),
    notesOf(sql, after.invoiceId),
  ])
  const isRefunded = after.state === 'refunded'
  const { mandateId, subtotalUnits } = invoice?.terms ?? { mandateId: null, subtotalUnits: 0n }
  const { amountMicro } = paymentOf(after.terms)
  const reservation = purchase?.reservation
  const others = notes.filter(({ id, state }) => id !== after.id && state === 'refunded')
  const without = sumOf(others, ({ terms }) => terms.subtotalUnits)
  const withThis = without + after.terms.subtotalUnits
  // Of all refunds together, so that a purchase refunded in parts frees all that it has spent.
  const freedMinor = (units: bigint) =>
    reservation && subtotalUnits > 0n ? (reservation.amountMinor * units) / subtotalUnits : 0n
  const amountMinor = freedMinor(withThis) - freedMinor(without)
  return {
    mandate:
      mandateId === null
        ? null
        : { id: mandateId, amountMicro: isRefunded ? amountMicro : -amountMicro },
    budget: reservation
      ? { reservationId: reservation.id, amountMinor: isRefunded ? amountMinor : -amountMinor }
      : null,
  }
}
