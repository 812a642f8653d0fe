import { hasReason } from '../../domain/error.ts'
import type { Payment } from '../../domain/invoices/progress.ts'
import { senderOf } from '../../domain/purchases/evidence.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import type { Invoices } from '../invoices.ts'

/**
 * Credits invoices with the transactions named for their payments, before the chain has confirmed
 * them. Steps may be repeated.
 */
export function createPurchaseCredits(invoices: Pick<Invoices, 'get' | 'execute'>) {
  return { creditBy, revert, revertAll, unconfirmedOf }

  /** Credits this transaction, and reverts any other that is unconfirmed. */
  async function creditBy(purchase: Purchase, txHash: string): Promise<void> {
    const payment = paymentOf(purchase, txHash)
    const others = (await unconfirmedOf(purchase)).filter((key) => key !== payment.key)
    await revertAll(purchase, others)
    await credit(purchase.invoiceId, payment)
  }

  async function credit(invoiceId: string, payment: Payment): Promise<void> {
    await invoices.execute(invoiceId, { kind: 'credit', payment }).catch((error) => {
      // The invoice was voided meanwhile, or another payment has just paid it.
      if (!hasReason(error, 'invalid_state')) throw error
    })
  }

  async function unconfirmedOf({ accountId, invoiceId }: Purchase): Promise<readonly string[]> {
    const { progress } = await invoices.get(accountId, invoiceId)
    return progress.payments.filter(({ confirmed }) => !confirmed).map(({ key }) => key)
  }

  async function revertAll({ invoiceId }: Purchase, keys: readonly string[]): Promise<void> {
    for (const key of keys) await invoices.execute(invoiceId, { kind: 'revert', key })
  }

  async function revert(purchase: Purchase, txHash: string): Promise<void> {
    await revertAll(purchase, [purchaseKey(purchase, txHash)])
  }
}

/** The key of the payment among those of its invoice. */
export function purchaseKey({ requirements }: Purchase, txHash: string): string {
  return `x402:${requirements.network}:${txHash}`
}

function paymentOf(purchase: Purchase, txHash: string): Payment {
  return {
    key: purchaseKey(purchase, txHash),
    usdcBase: purchase.requirements.usdcBase,
    txHash,
    // `confirm` supplies both once the chain has been asked.
    blockNumber: 0,
    from: senderOf(purchase) ?? '',
    matchedBy: 'claim',
    confirmed: false,
  }
}
