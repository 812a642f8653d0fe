import { DomainError, hasReason } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { mayAbandon, type Purchase, quote } from '../../domain/purchases/purchase.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { findUnpaid, findVoidPending } from '../../storage/purchases/open.ts'
import { commit, commitAll, load } from '../../storage/purchases/purchases.ts'
import type { Command, Invoices } from '../invoices.ts'
import { changeBy, execute } from './execute.ts'

const voidedAtOnce = 500
const mostTries = 3

/**
 * Voids invoices of purchases. The purchase is given up first: a void invoice frees its part of the
 * mandate, so its payment must not be forwarded any more.
 */
export function createVoiding(sql: Sql, invoices: Pick<Invoices, 'get' | 'execute'>) {
  /**
   * Voids an invoice for its owner. Errors: `not_found`; `invalid_state`, also while the payment of
   * a purchase may yet be taken.
   */
  async function voidInvoice(accountId: string, invoiceId: string): Promise<Invoice> {
    const invoice = await invoices.get(accountId, invoiceId)
    if (!invoice.terms.isPurchase || invoice.progress.failure !== null)
      return invoices.execute(invoiceId, { kind: 'void' })
    const purchase = await giveUp(invoice)
    if (!purchase) throw underWay()
    const voided = await invoices.execute(invoiceId, { kind: 'void' })
    await execute(sql, purchase, { kind: 'void' })
    return voided
  }

  /** Gives up the purchase behind an invoice; null where its payment was or may yet be taken. */
  async function giveUp(invoice: Invoice): Promise<Purchase | null> {
    for (let tries = 1; tries <= mostTries; tries++) {
      const purchase = (await load(sql, invoice.id)) ?? (await record(invoice))
      if (!purchase) continue
      if (!mayAbandon(purchase, purchase.readAt)) return null
      if (purchase.abandonedAt !== null) return purchase
      const abandoned = await execute(sql, purchase, { kind: 'abandon' }, { ifUnpaid: true })
      if (abandoned) return abandoned
    }
    return null
  }

  /** Records the purchase as given up: an attempt that has just made the invoice finds it. */
  async function record({ id, accountId, terms, createdAt }: Invoice): Promise<Purchase | null> {
    const { chain, payTo, dueUsdcBase: usdcBase, agentId, mandateId } = terms
    const requirements = { network: chain, payTo, usdcBase }
    const wanted = { invoiceId: id, accountId, resource: '', requirements, agentId, mandateId }
    const before = quote({ ...wanted, demandSha256: null }, new Date(createdAt))
    const change = changeBy(before, { kind: 'abandon' })
    const after = change && { ...change.after, version: before.version }
    return after && commit(sql, { before: null, after })
  }

  /**
   * Ends invoices that were not paid in time: under a mandate they are voided, which frees their
   * amounts, others expire. Voids those given up by attempts that died. Returns how many.
   */
  async function voidUnpaid(): Promise<number> {
    const unpaid = await findUnpaid(sql, voidedAtOnce)
    const changes = unpaid.flatMap((purchase) => changeBy(purchase, { kind: 'abandon' }) ?? [])
    if (changes.length > 0) await commitAll(sql, changes)
    const pending = await findVoidPending(sql, voidedAtOnce)
    for (const purchase of pending) await voidAbandoned(purchase)
    return pending.length
  }

  async function voidAbandoned(purchase: Purchase): Promise<void> {
    const isOver = purchase.mandateId === null && purchase.supersededBy === null
    const ending: Command = isOver ? { kind: 'expire', at: purchase.readAt } : { kind: 'void' }
    await invoices.execute(purchase.invoiceId, ending).catch((error) => {
      // Paid after all: it counts against the mandate.
      if (!hasReason(error, 'invalid_state')) throw error
    })
    await execute(sql, purchase, { kind: 'void' })
  }

  return { voidInvoice, voidUnpaid, voidAbandoned }
}

function underWay(): DomainError {
  const message = 'A payment of this invoice is under way, or has been made: it cannot be voided'
  return new DomainError('invalid_state', message)
}
