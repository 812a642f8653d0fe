import { hash } from 'node:crypto'
import { canonical, type Json } from '../canonical.ts'
import {
  type CreditNote,
  numberOf as creditNoteNumberOf,
  type Proof,
  type Refund,
} from '../credit-notes/credit-note.ts'
import { confirmedPayments, confirmedUsdcBase, dueUsdcBase } from '../invoices/balance.ts'
import { numberOf } from '../invoices/figures.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { Settlement } from '../invoices/progress.ts'
import { share, toAmount, toDecimal, usdcScale } from '../money/money.ts'

export const kinds = ['settlement', 'agreement', 'refund'] as const

export type Kind = (typeof kinds)[number]

/** `hash` is 0x + SHA-256 of `preimage`, canonical JSON; it is anchored on chain. */
export type Receipt = {
  readonly id: string
  readonly kind: Kind
  readonly preimage: string
  readonly hash: string
}

/** The place of a receipt's event on chain. */
export type Anchor = {
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly logIndex: number
}

/**
 * What anyone needs to check a receipt (contract §10). `anchor` is null until it is on chain;
 * `revokedAt` is absent while the receipt is in force.
 */
export type Bundle = {
  readonly receiptId: string
  readonly preimage: string
  readonly hash: string
  readonly anchor: Anchor | null
  readonly revokedAt?: string
}

export type Issued = Omit<Bundle, 'revokedAt'> & {
  readonly accountId: string
  readonly kind: Kind
  readonly invoiceId: string | null
  readonly issuedAt: string
  readonly revokedAt: string | null
}

const version = '1'

/**
 * The DRS receipt of a settled invoice, over the transfers confirmed so far: gross = fee + net to
 * the last base unit. A purchase was paid to the seller's own wallet: no fee is kept.
 */
export function ofSettlement(
  invoice: Invoice,
  settlement: Settlement,
  feeBasisPoints: number,
): Receipt {
  // Keys are already in canonical order, which makes `canonical` faster.
  return receipt(settlement.receiptId, 'settlement', {
    issuedAt: settlement.settledAt,
    kind: 'settlement',
    mandateHash: invoice.terms.mandateHash,
    payout: payoutPart(invoice, feeBasisPoints),
    receiptId: settlement.receiptId,
    settlement: settlementPart(invoice, settlement),
    tax: taxPart(invoice),
    version,
  })
}

/** The DRS receipt of a mandate that both parties have signed. Nothing is due yet. */
export function ofAgreement(
  receiptId: string,
  { mandateHash, issuedAt }: { readonly mandateHash: string; readonly issuedAt: string },
): Receipt {
  return receipt(receiptId, 'agreement', {
    issuedAt,
    kind: 'agreement',
    mandateHash,
    payout: null,
    receiptId,
    settlement: null,
    tax: null,
    version,
  })
}

/** The counter-receipt of a refund: what came back of a payment, by which transfer. */
export function ofRefund(
  note: CreditNote,
  { payer, refundTo, usdcBase }: Refund,
  proven: Proven,
): Receipt {
  const { terms } = note
  const { receiptId, issuedAt, proof } = proven
  return receipt(receiptId, 'refund', {
    issuedAt,
    kind: 'refund',
    mandateHash: null,
    payout: null,
    receiptId,
    refund: {
      amount: toAmount(usdcBase, usdcScale),
      blockNumber: proof.blockNumber,
      blockTime: proof.blockTime,
      chain: terms.chain,
      creditNoteId: note.id,
      creditNoteNumber: creditNoteNumberOf(note),
      from: proof.from,
      invoiceId: note.invoiceId,
      invoiceNumber: numberOf(terms.invoice, 'api'),
      payer,
      to: refundTo,
      txHash: proof.txHash,
      usdcAddress: terms.usdcAddress,
    },
    settlement: null,
    tax: null,
    version,
  })
}

type Proven = { readonly receiptId: string; readonly issuedAt: string; readonly proof: Proof }

/** 0x + 64 hex digits. */
export function hashOf(preimage: string): string {
  return `0x${hash('sha256', preimage)}`
}

function receipt(id: string, kind: Receipt['kind'], content: Json): Receipt {
  const preimage = canonical(content)
  return { id, kind, preimage, hash: hashOf(preimage) }
}

function settlementPart(invoice: Invoice, settlement: Settlement): Json {
  const { terms } = invoice
  return {
    amountDue: toAmount(dueUsdcBase(invoice), usdcScale),
    chain: terms.chain,
    invoiceId: invoice.id,
    invoiceNumber: numberOf(invoice, 'api'),
    matchedBy: settlement.matchedBy,
    paymentAddress: terms.payTo,
    settledAt: settlement.settledAt,
    settlementId: settlement.id,
    transfers: confirmedPayments(invoice).map((payment) => ({
      amount: toAmount(payment.usdcBase, usdcScale),
      blockNumber: payment.blockNumber,
      from: payment.from,
      txHash: payment.txHash,
    })),
    usdcAddress: terms.usdcAddress,
  }
}

function taxPart({ terms }: Invoice): Json {
  return {
    countryCode: terms.tax.countryCode,
    currency: terms.currency,
    rateBasisPoints: terms.tax.rateBasisPoints,
    subtotal: toDecimal(terms.subtotalUnits, terms.scale),
    tax: toDecimal(terms.tax.taxUnits, terms.scale),
    total: toDecimal(terms.totalUnits, terms.scale),
  }
}

function payoutPart(invoice: Invoice, feeBasisPoints: number): Json {
  const gross = confirmedUsdcBase(invoice)
  const fee = invoice.terms.isPurchase ? 0n : share(gross, feeBasisPoints)
  return {
    currency: 'USDC',
    fee: toAmount(fee, usdcScale),
    gross: toAmount(gross, usdcScale),
    net: toAmount(gross - fee, usdcScale),
    // The seller's wallet is whatever the request said.
    recipient: invoice.terms.payTo,
  }
}
