import { serviceAccountId } from '../accounts/account.ts'
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
  /** It may be another transfer that names them. */
  readonly isUnsure?: boolean
  /** Named somewhere in the payer's call, apart from this transfer; none where one is named. */
  readonly looselyNamedIds?: readonly string[]
  /** It paid for something else and pays no invoice, whatever it names. */
  readonly isUsed?: boolean
  /** It comes from an invoice's own address: the operator is collecting the funds. */
  readonly isMovedOn?: boolean
  /** Its credit in another block, before a reorganisation. */
  readonly paidBefore?: Credit
  /** What it is held as on record; absent if it was never judged. */
  readonly heldAs?: Held
}

export type Credit = { readonly invoiceId: string; readonly matchedBy: MatchedBy }

/** A payer's claim covers all its transfers of a transaction. */
export type Claim = { readonly txHash: string; readonly payer: string; readonly madeAtMs: number }

/** An amount that payers of an invoice were asked for, by no other invoice at its address. */
export type Asked = {
  readonly usdcBase: bigint
  readonly askedAtMs: number
  readonly countsForOthers: boolean
}

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
  /** False if expired. */
  readonly isOpen: boolean
  /**
   * Whether another account's equal amount must not win against it. Of the amounts that an account
   * is due or asks within one cent, the hundred oldest count, so that nobody blocks a price.
   */
  readonly countsForOthers: boolean
}

/** An invoice that a transfer could pay, the claims made for it, and what payers were asked. */
export type Found = Pick<Candidate, 'claims' | 'asked' | 'countsForOthers'> & {
  readonly invoice: Invoice
}

/** An invoice as a candidate for matching. */
export function candidateOf(
  invoice: Invoice,
  { claims, asked, countsForOthers }: Omit<Found, 'invoice'> = alone,
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
    countsForOthers,
  }
}

const alone = { claims: [], asked: [], countsForOthers: true }

/** Whether an amount may identify it. Callers without a key could create any amount. */
export function isPaidByAmount({ accountId, acceptsPayment }: Candidate): boolean {
  return accountId !== serviceAccountId && acceptsPayment
}

/** `asked`: it is what payers were asked for, though it was matched by another rule. */
export type Match =
  | ({ readonly key: string; readonly asked?: true } & Credit)
  | { readonly key: string; readonly heldAs: Held }

/** `ambiguous`: several invoices could be meant. */
export type Held = 'ambiguous' | 'unmatched'

/** The most that clocks may differ. The more, the more payments are held. */
export const clockSkewMs = 60_000

/** How long an expired invoice is paid by its amount, and holds what fits another account's. */
export const lateMoneyMs = 30 * 86_400_000

/** Of what an account is due or asks within one cent, this many count against other accounts. */
export const mostInOneCent = 100

export const centBase = 10_000n

/** Prices with tax are multiples of this. Where several accounts are paid, none is asked for. */
export const priceGrainBase = 100n
