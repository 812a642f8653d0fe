import { toAmount, usdcScale } from '../money/money.ts'
import { dueUsdcBase, overpaidUsdcBase, receivedUsdcBase } from './balance.ts'
import { type Amounts, amountsOf, numberOf, statusOf } from './figures.ts'
import type { Invoice } from './invoice.ts'
import { counterpartyOf, type Form, kindOf } from './terms.ts'

type Cell = (invoice: Invoice, form: Form, amounts: Amounts) => string | null

const columns: Readonly<Record<string, Cell>> = {
  id: ({ id }) => id,
  invoiceNumber: numberOf,
  status: ({ state }, form) => statusOf(state, form),
  currency: ({ terms }) => terms.currency,
  amount: (_, __, { subtotal }) => subtotal,
  taxCountry: ({ terms }) => terms.tax.countryCode,
  taxRate: ({ terms: { tax } }) =>
    tax.rateBasisPoints === null ? null : `${tax.rateBasisPoints / 100}`,
  taxAmount: (_, __, { taxAmount }) => taxAmount,
  total: (_, __, { total }) => total,
  description: ({ terms }) => terms.description,
  buyerCompanyName: ({ terms }) => terms.buyer.name,
  buyerEmail: ({ terms }) => terms.buyer.email,
  buyerAddress: ({ terms }) => terms.buyer.address,
  buyerVat: ({ terms }) => terms.buyer.vat,
  sellerName: ({ terms }) => terms.seller.name,
  sellerAddress: ({ terms }) => terms.seller.address,
  sellerVat: ({ terms }) => terms.seller.vat,
  sellerWallet: ({ terms }) => terms.seller.wallet,
  chain: ({ terms }) => terms.chain,
  paymentAddress: ({ terms }) => terms.payTo,
  amountDue: (invoice) => toAmount(dueUsdcBase(invoice), usdcScale),
  amountReceived: (invoice) => toAmount(receivedUsdcBase(invoice), usdcScale),
  txHash: ({ progress }) => progress.settlement?.txHash ?? null,
  settledAt: ({ progress }) => progress.settlement?.settledAt ?? null,
  receiptId: ({ progress }) => progress.settlement?.receiptId ?? null,
  agentId: ({ terms }) => terms.agentId,
  mandateId: ({ terms }) => terms.mandateId,
  dueAt: ({ terms }) => terms.dueAt,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  kind: ({ terms }) => kindOf(terms),
  counterparty: ({ terms }) => counterpartyOf(terms).name,
  overpaidAmount(invoice) {
    const overpaidBase = overpaidUsdcBase(invoice)
    return overpaidBase > 0n ? toAmount(overpaidBase, usdcScale) : null
  },
}

/** The column names, in order. */
export const header: readonly string[] = Object.keys(columns)

/** One cell per column; null: empty. */
export function row(invoice: Invoice, form: Form): readonly (string | null)[] {
  const amounts = amountsOf(invoice.terms, form)
  return Object.values(columns).map((cell) => cell(invoice, form, amounts))
}
