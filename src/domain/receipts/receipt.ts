import type { Series } from '../books/documents.ts'
import type { Json } from '../canonical.ts'
import {
  type CreditNote,
  numberOf as creditNoteNumberOf,
  type Proof,
  type Refund,
} from '../credit-notes/credit-note.ts'
import { DomainError } from '../error.ts'
import { confirmedPayments, confirmedUsdcBase, dueUsdcBase } from '../invoices/balance.ts'
import { numberOf } from '../invoices/figures.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { Settlement } from '../invoices/progress.ts'
import type { Happened } from '../invoices/trail.ts'
import { share, toAmount, toDecimal, usdcScale } from '../money/money.ts'
import { payerOf } from '../network.ts'
import type { Purchase } from '../purchases/purchase.ts'
import { type Claim, hashOfClaims, inOrder } from './claims.ts'
import type { Digest } from './merkle.ts'

export const kinds = ['settlement', 'purchase', 'agreement', 'refund', 'books'] as const

export type Kind = (typeof kinds)[number]

/** Whether receipts of this kind are of settled invoices. */
export function isOfInvoice(kind: Kind): boolean {
  return kind === 'settlement' || kind === 'purchase'
}

/** A DRS receipt: what it states, and the hash of that, which is anchored on chain. */
export type Receipt = {
  /** `drs_` and a UUID of version 4: nobody can guess it. */
  readonly id: string
  readonly kind: Kind
  /** 32 secret bytes, of which the salts of the claims are made. */
  readonly seed: Uint8Array
  readonly claims: readonly Claim[]
  readonly hash: Digest
  /** Of a sale, whose claims follow from it. */
  readonly source: Source | null
}

/** The state of an invoice that a receipt is about, and the fee that was kept. */
export type Source = { readonly invoiceVersion: number; readonly feeBase: bigint }

/**
 * The receipt of a settled invoice, over the transfers confirmed so far: gross = fee + net to the
 * last base unit. A purchase was paid to the seller's own wallet: no fee is kept. Its receipt is
 * of a kind of its own, and states what was demanded and what was handed over.
 */
export function ofSettlement(
  invoice: Invoice,
  settlement: Settlement,
  { feeBasisPoints, seed, purchase }: Stated,
): Receipt {
  if (invoice.terms.isPurchase) {
    const content = { ...settledClaims(invoice, settlement, 0n), ...deliveryClaims(purchase) }
    return receipt('purchase', issueOf(settlement, seed), content)
  }
  const feeBase = share(confirmedUsdcBase(invoice), feeBasisPoints)
  return ofSale(invoice, settlement, { feeBase, seed })
}

function ofSale(
  invoice: Invoice,
  settlement: Settlement,
  { feeBase, seed }: { readonly feeBase: bigint; readonly seed: Uint8Array },
): Receipt {
  const content = settledClaims(invoice, settlement, feeBase)
  const source = { invoiceVersion: invoice.version, feeBase }
  return { ...receipt('settlement', issueOf(settlement, seed), content), source }
}

/**
 * The claims of a sale's receipt, from what has happened to its invoice. Errors: `unavailable` if
 * they do not have its hash.
 */
export function claimsOfSale(
  happened: readonly Happened[],
  { id, seed, hash, source }: Omit<Receipt, 'kind' | 'claims'> & { readonly source: Source },
): readonly Claim[] {
  const { invoice } = happened[source.invoiceVersion - 1] ?? {}
  const settlement = invoice?.progress.settlement
  const found = settlement && ofSale(invoice, settlement, { ...source, seed })
  if (!found || Buffer.compare(found.hash, hash) !== 0)
    throw new DomainError('unavailable', `Receipt ${id} does not follow from its invoice`, {
      operatorText: 'its row, or that of the invoice or its trail, was changed',
    })
  return found.claims
}

function issueOf({ receiptId, settledAt }: Settlement, seed: Uint8Array): Issue {
  return { receiptId, issuedAt: settledAt, seed }
}

type Stated = {
  readonly feeBasisPoints: number
  readonly seed: Uint8Array
  readonly purchase?: Witnessed
}

type Witnessed = Pick<Purchase, 'demandSha256' | 'delivery'>

/** The receipt of a mandate that both parties have signed. Nothing is due yet. */
export function ofAgreement(mandateHash: string, issue: Issue): Receipt {
  return receipt('agreement', issue, { mandateHash })
}

/** The counter-receipt of a refund: what came back of a payment, by which transfer. */
export function ofRefund(
  note: CreditNote,
  { payer, refundTo, usdcBase }: Refund,
  proof: Proof,
  issue: Issue,
): Receipt {
  const { terms } = note
  return receipt('refund', issue, {
    amount: toAmount(usdcBase, usdcScale),
    blockNumber: proof.blockNumber,
    blockTime: proof.blockTime,
    chain: terms.chain,
    creditNoteId: note.id,
    creditNoteNumber: creditNoteNumberOf(note),
    from: proof.from,
    invoiceId: note.invoiceId,
    invoiceNumber: numberOf({ ...terms.invoice, terms }, 'api'),
    payer: payerOf(payer),
    to: refundTo,
    txHash: proof.txHash,
    usdcAddress: terms.usdcAddress,
  })
}

/** The receipt of the documents that an account issued in a month that is over. */
export function ofBooks(month: BooksMonth, issue: Issue): Receipt {
  return receipt('books', issue, month)
}

/** What is stated of a month such as `2026-10`. */
export type BooksMonth = {
  readonly accountId: string
  readonly month: string
  /** The month of the account's first document: each one since has a receipt. */
  readonly since: string
  readonly documents: number
  /** Null where there are none. */
  readonly documentsRoot: string | null
  readonly series: readonly Series[]
  /** The invoices that settled in the month. */
  readonly settlements: number
}

export type Issue = {
  readonly receiptId: string
  readonly issuedAt: string
  readonly seed: Uint8Array
}

function receipt(
  kind: Kind,
  { receiptId, issuedAt, seed }: Issue,
  content: Readonly<Record<string, Json>>,
): Receipt {
  const claims = inOrder({ ...content, version: 2, kind, receiptId, issuedAt })
  return { id: receiptId, kind, seed, claims, hash: hashOfClaims(seed, claims), source: null }
}

function settledClaims(invoice: Invoice, settlement: Settlement, feeBase: bigint) {
  const payments = confirmedPayments(invoice)
  return {
    ...documentClaims(invoice),
    ...payoutClaims(invoice, feeBase),
    amountDue: toAmount(dueUsdcBase(invoice), usdcScale),
    matchedBy: settlement.matchedBy,
    payers: [...new Set(payments.flatMap(({ from }) => payerOf(from) ?? []))],
    settled: true,
    settledAt: settlement.settledAt,
    settlementId: settlement.id,
    transfers: payments.map(({ usdcBase, blockNumber, from, txHash }) => ({
      amount: toAmount(usdcBase, usdcScale),
      blockNumber,
      from: payerOf(from),
      txHash,
    })),
    txHashes: [...new Set(payments.map(({ txHash }) => txHash))],
  }
}

function deliveryClaims(purchase: Witnessed | undefined) {
  const { bodySha256, contentLength, contentType, delivered, status } = purchase?.delivery ?? {}
  return {
    bodySha256: bodySha256 ?? null,
    contentLength: contentLength ?? null,
    contentType: contentType ?? null,
    delivered: delivered ?? null,
    demandSha256: purchase?.demandSha256 ?? null,
    status: status ?? null,
  }
}

/** What a receipt says of its invoice that never changes. */
export function documentClaims(invoice: Pick<Invoice, 'id' | 'year' | 'number' | 'terms'>) {
  const { id, terms } = invoice
  return {
    invoiceId: id,
    invoiceNumber: numberOf(invoice, 'api'),
    chain: terms.chain,
    payTo: terms.payTo,
    usdcAddress: terms.usdcAddress,
    mandateHash: terms.mandateHash,
    currency: terms.currency,
    subtotal: toDecimal(terms.subtotalUnits, terms.scale),
    tax: toDecimal(terms.tax.taxUnits, terms.scale),
    taxCountry: terms.tax.countryCode,
    taxRateBasisPoints: terms.tax.rateBasisPoints,
    total: toDecimal(terms.totalUnits, terms.scale),
  }
}

function payoutClaims(invoice: Invoice, feeBase: bigint) {
  const grossBase = confirmedUsdcBase(invoice)
  return {
    fee: toAmount(feeBase, usdcScale),
    gross: toAmount(grossBase, usdcScale),
    net: toAmount(grossBase - feeBase, usdcScale),
  }
}
