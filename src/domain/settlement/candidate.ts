import { type Balance, balanceOf } from '../invoices/balance.ts'
import { acceptsTransfer, type Invoice, isOpen } from '../invoices/invoice.ts'
import type { MatchedBy } from '../invoices/progress.ts'
import { addressKey } from '../network.ts'

/**
 * A transfer as the matching rules see it; `namedInvoiceIds` are the invoices its payer named, by
 * 32-byte reference or by id.
 */
export type Incoming = {
  readonly key: string
  readonly txHash: string
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  /** A whole second, as chains tell it: the block is from some moment of it. */
  readonly blockTimeMs: number
  readonly namedInvoiceIds: readonly string[]
  /** The transfer has paid for something by x402: it pays no invoice, whatever it names. */
  readonly isUsedForX402?: boolean
  /**
   * The transfer comes from an address made for one invoice: the operator is collecting the funds.
   */
  readonly isMovedOn?: boolean
  /**
   * What the transfer was credited to in another block, before a reorganisation. Transfers that are
   * indistinguishable share the credits of all of them, as the same objects: each counts once.
   */
  readonly paidBefore?: readonly Credit[]
  /**
   * What the transfer is held as on record, there or in another block; one that was never judged
   * has none.
   */
  readonly heldAs?: Held
}

/** The invoice a transfer pays, and the rule that matched it. */
export type Credit = { readonly invoiceId: string; readonly matchedBy: MatchedBy }

/**
 * A statement of which invoice a transaction pays: signed by its sender `payer`, it covers all of
 * the sender's transfers; made by an operator, it covers one of them.
 */
export type Claim = {
  readonly txHash: string
  readonly payer: string
  readonly madeBy: 'claim' | 'operator'
  readonly madeAtMs: number
  /** The amount of the one transfer an operator assigned; null: all transfers are meant. */
  readonly usdcBase: bigint | null
  /** The one transfer that an operator assigned has its credit: no other is meant. */
  readonly isUsed?: boolean
  /**
   * The transaction was on record before, and gone when the claim was made: the payer may mean what
   * it paid then.
   */
  readonly isSince?: boolean
}

/** An invoice as the matching rules see it. */
export type Candidate = Balance & {
  readonly invoiceId: string
  readonly accountId: string
  readonly chain: string
  readonly payTo: string
  /** No other invoice is paid at `payTo`. */
  readonly hasOwnAddress: boolean
  readonly createdAtMs: number
  readonly dueAtMs: number | null
  /** The wallet the invoice names as its payer; others may pay it too. */
  readonly payer: string | null
  readonly claims: readonly Claim[]
  readonly acceptsPayment: boolean
  /**
   * False for an expired invoice too, which late money may still settle. One that is overdue may be
   * open still: it waits for its chain to be read to its due date.
   */
  readonly isOpen: boolean
}

/** An invoice as a candidate for matching, with the claims made for it. */
export function candidateOf(invoice: Invoice, claims: readonly Claim[] = []): Candidate {
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
    acceptsPayment: acceptsTransfer(invoice),
    isOpen: isOpen(invoice),
  }
}

/** The outcome for the transfer `key`: it pays an invoice, by one of the rules, or it is held. */
export type Match =
  | ({ readonly key: string } & Credit)
  | { readonly key: string; readonly heldAs: Held }

export type Held = 'ambiguous' | 'unmatched'

/**
 * The most that the clocks of a chain and of the processes that create invoices are taken to
 * differ, in milliseconds. The more is allowed, the more payments are held.
 */
export const clockSkewMs = 60_000

/**
 * How long after its due date an expired invoice holds payments that also fit an open invoice of
 * another account, in milliseconds. Late money mostly comes within this time. If it were longer,
 * what one account's buyers never paid would hold the payments of others.
 */
export const lateMoneyMs = 30 * 86_400_000
