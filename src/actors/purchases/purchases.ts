import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { findUnpaid, load } from '../../storage/purchases/purchases.ts'
import type { Signatures } from '../claims/signed.ts'
import type { FxOf } from '../exchange-rates.ts'
import type { Invoices } from '../invoices.ts'
import { createAsking } from './asking.ts'
import { type ChangeParts, createChanging } from './changing.ts'
import { createForwarding } from './forwarding.ts'
import { createOutcomes, type PurchaseReaders } from './outcome.ts'

export type Purchases = ReturnType<typeof createPurchases>

type Parts = ChangeParts &
  Signatures & {
    readonly invoices: Invoices
    readonly readers: PurchaseReaders
    readonly fxOf: FxOf
    readonly now: () => Date
    readonly log: { warn(line: object, message: string): void }
  }

const endedAtOnce = 500

/** What agents buy through the proxy: asked, forwarded, and followed on chain. */
export function createPurchases(parts: Parts) {
  const { sql, invoices } = parts
  const changing = createChanging(parts)
  const outcomes = createOutcomes({ ...parts, changing })

  /**
   * Voids an invoice for its owner. Errors: `not_found`; `invalid_state`, also while the payment of
   * a purchase may yet come.
   */
  async function voidInvoice(accountId: string, invoiceId: string): Promise<Invoice> {
    const invoice = await invoices.get(accountId, invoiceId)
    const purchase = invoice.terms.isPurchase ? await load(sql, invoiceId) : null
    if (!purchase || purchase.state === 'over') return invoices.execute(invoiceId, { kind: 'void' })
    const wanted = { purchase, command: { kind: 'end' }, first: [{ kind: 'void' }] } as const
    if (!(await changing.changeAll([wanted]))) throw underWay()
    return invoices.get(accountId, invoiceId)
  }

  /** Ends purchases that nobody has paid in time. Returns how many. */
  async function endUnpaid(): Promise<number> {
    const unpaid = await findUnpaid(sql, endedAtOnce)
    const ending = unpaid.map((purchase) => ({
      purchase,
      command: { kind: 'end' } as const,
      first: [{ kind: 'expire' } as const],
    }))
    return ending.length > 0 && (await changing.changeAll(ending)) ? ending.length : 0
  }

  const { ask } = createAsking(parts)
  return {
    ask,
    ...createForwarding({ ...parts, changing, outcomes }),
    voidInvoice,
    endUnpaid,
    outcomes,
  }
}

function underWay(): DomainError {
  const message = 'A payment of this invoice is under way, or has been made: it cannot be voided'
  return new DomainError('invalid_state', message)
}
