import { type Balance, balanceOf } from '../invoices/balance.ts'
import { acceptsTransfer, type Invoice, isOpen } from '../invoices/invoice.ts'
import type { MatchedBy } from '../invoices/progress.ts'
import { addressKey } from '../network.ts'

/** `namedInvoiceIds`: named by the payer, by 32-byte reference or by id. */
export type Incoming = {
  readonly key: string
  readonly txHash: string
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  /** A whole second: the block is from some moment of it. */
  readonly blockTimeMs: number
  readonly namedInvoiceIds: readonly string[]
  /** It paid for something by x402 and pays no invoice, whatever it names. */
  readonly isUsedForX402?: boolean
  /** It comes from an invoice's own address: the operator is collecting the funds. */
  readonly isMovedOn?: boolean
  /**
   * Its credits in another block, before a reorganisation. Transfers that are alike share them, as
   * the same objects: each counts once.
   */
  readonly paidBefore?: readonly Credit[]
  /** What it is held as on record; absent if it was never judged. */
  readonly heldAs?: Held
}

export type Credit = { readonly invoiceId: string; readonly matchedBy: MatchedBy }

/** A payer's claim covers all transfers of its transaction, an operator's covers one. */
export type Claim = {
  readonly txHash: string
  readonly payer: string
  readonly madeBy: 'claim' | 'operator'
  readonly madeAtMs: number
  /** The amount of the transfer an operator assigned; null: all transfers. */
  readonly usdcBase: bigint | null
  /** An operator's claim that has its credit. */
  readonly isUsed?: boolean
  /** The transaction was on record, but gone when the claim was made. */
  readonly isSince?: boolean
}

/** An amount that payers of an invoice were asked for, by no other invoice at its address. */
export type Asked = { readonly usdcBase: bigint; readonly askedAtMs: number }

export type Candidate = Balance & {
  readonly invoiceId: string
  readonly accountId: string
  readonly chain: string
  readonly payTo: string
  /** No other invoice is paid at `payTo`. */
  readonly hasOwnAddress: boolean
  readonly createdAtMs: number
  readonly dueAtMs: number | null
  /** The wallet the invoice names; others may pay it too. */
  readonly payer: string | null
  readonly claims: readonly Claim[]
  readonly asked: readonly Asked[]
  readonly acceptsPayment: boolean
  /** False if expired. An overdue invoice stays open until its chain is read to its due date. */
  readonly isOpen: boolean
}

/** An invoice as a candidate for matching, with the claims made for it and what was asked. */
export function candidateOf(
  invoice: Invoice,
  claims: readonly Claim[] = [],
  asked: readonly Asked[] = [],
): Candidate {
  const { id, accountId, terms, createdAt } = invoice
  return {
    invoiceId: id,
    accountId,
    chain: terms.chain,
    payTo: addressKey(terms.payTo),
    hasOwnAddress: terms.depositIndex !== undefined,
    ...balanceOf(invoice),
    createdAtMs: Date.parse(createdAt),
    dueAtMs: terms.dueAt === null ? null : Date.parse(terms.dueAt),
    payer: terms.payer,
    claims,
    asked,
    acceptsPayment: acceptsTransfer(invoice),
    isOpen: isOpen(invoice),
  }
}

export type Match =
  | ({ readonly key: string } & Credit)
  | { readonly key: string; readonly heldAs: Held }

export type Held = 'ambiguous' | 'unmatched'

/** The most that clocks may differ. The more, the more payments are held. */
export const clockSkewMs = 60_000

/** How long an expired invoice holds payments that also fit an open one of another account. */
export const lateMoneyMs = 30 * 86_400_000
