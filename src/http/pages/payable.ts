import type { PublicInvoices } from '../../actors/public-invoices.ts'
import { qrOf } from '../../documents/pdf/qr.ts'
import { clean } from '../../documents/texts.ts'
import type { Profile } from '../../domain/accounts/profile.ts'
import {
  creditedUnits,
  dueUsdcBase,
  isLate,
  leftUsdcBase,
  receivedUsdcBase,
  surplusUsdcBase,
} from '../../domain/invoices/balance.ts'
import { numberOf, statusDetailOf, statusOf } from '../../domain/invoices/figures.ts'
import { acceptsTransfer, type Invoice, isExpired } from '../../domain/invoices/invoice.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { paymentLink } from '../../domain/invoices/payment-link.ts'
import { presented } from '../../domain/invoices/seller.ts'
import { toAmount, usdcScale } from '../../domain/money/money.ts'

export async function payableOf(
  stored: Invoice,
  invoices: Omit<PublicInvoices, 'find' | 'asOwned' | 'logoOf'>,
): Promise<Payable> {
  const profile = await invoices.profileOf(stored)
  const invoice = presented(stored, profile)
  const { terms, progress, state } = invoice
  const { chain, scale } = terms
  const receivedBase = receivedUsdcBase(invoice)
  const remainingBase = leftUsdcBase(invoice)
  const { usdcBase: askedBase, needsReference } = await invoices.ask(invoice)
  const surplusBase = surplusUsdcBase(invoice)
  const takesPayment = acceptsTransfer(invoice) && remainingBase > 0n
  const hasOwnAddress = terms.depositIndex !== undefined
  const held = hasOwnAddress || !acceptsTransfer(stored) ? [] : await invoices.heldFor(stored)
  const accepting = invoices.accepts(chain)
  // EVM links carry no reference: a payment by one would be held.
  const hasLink = takesPayment && accepting && (chain === 'solana' || !needsReference)
  const uri = hasLink ? paymentLink(terms, askedBase) : null
  return {
    id: invoice.id,
    invoiceNumber: numberOf(invoice, 'api'),
    status: statusOf(state, 'api'),
    statusDetail: statusDetailOf(invoice),
    isPurchase: terms.isPurchase === true,
    takesPayment,
    accepting,
    isHeld: held.length > 0,
    held,
    isExpired: isExpired(invoice),
    isLate: isLate(invoice),
    ...sellerOf(invoice, profile),
    description: shown(terms.description ?? namesOf(terms)),
    currency: terms.currency,
    total: toAmount(terms.totalUnits, scale),
    tax: terms.tax.taxUnits > 0n ? toAmount(terms.tax.taxUnits, scale) : null,
    credited: progress.credits ? toAmount(creditedUnits(invoice), scale) : null,
    fx: terms.fx,
    createdAt: invoice.createdAt,
    dueAt: terms.dueAt,
    chain,
    paymentAddress: terms.payTo,
    usdcAddress: terms.usdcAddress,
    hasOwnAddress,
    reference: terms.reference,
    needsReference,
    amountDue: toAmount(dueUsdcBase(invoice), usdcScale),
    amountReceived: toAmount(receivedBase, usdcScale),
    amountRemaining: remainingBase > 0n ? toAmount(remainingBase, usdcScale) : null,
    amountAsked: askedBase > 0n ? toAmount(askedBase, usdcScale) : null,
    overpaidAmount: surplusBase > 0n ? toAmount(surplusBase, usdcScale) : null,
    paymentUri: uri,
    qr: uri === null ? null : qrOf(uri),
    txHash: progress.settlement?.txHash ?? null,
    receiptId: progress.settlement?.receiptId ?? null,
  }
}

function sellerOf({ id, terms }: Invoice, profile: Profile) {
  const { name, address, vat, email } = terms.seller
  return {
    sellerName: shown(name),
    sellerAddress: shown(address),
    sellerVat: shown(vat),
    sellerEmail: shown(email ?? profile.email),
    sellerWebsite: shown(profile.website),
    sellerLogo: profile.logoHash && `/pay/${id}/logo?v=${profile.logoHash.slice(0, 16)}`,
  }
}

function shown(text: string | null): string | null {
  return clean(text ?? '') || null
}

const mostNames = 5

/** What an invoice with lines is for, where it does not say so itself. */
function namesOf({ lines = [] }: Invoice['terms']): string | null {
  const names = lines.slice(0, mostNames).map(({ description }) => description)
  return lines.length > mostNames ? `${names.join(', ')}, …` : names.join(', ')
}
