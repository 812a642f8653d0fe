import { DomainError } from '../error.ts'
import type { Rate } from '../money/money.ts'
import type { Tax } from '../money/tax.ts'
import type { InvoiceChain } from '../network.ts'

export const states = ['draft', 'sent', 'paid', 'settled', 'completed', 'failed'] as const

export type State = (typeof states)[number]

/** Whether the account sells something by it, or buys it through the x402 proxy. */
export const kinds = ['sale', 'purchase'] as const

export type Kind = (typeof kinds)[number]

/** The family of paths that created an invoice; it decides how amounts and events are written. */
export type Form = 'api' | 'v1'

export type Party = {
  readonly name: string | null
  readonly email: string | null
  readonly address: string | null
  readonly vat: string | null
}

/** Everything fixed at creation. `*Units` are in the smallest unit that `scale` decimals allow. */
export type Terms = {
  readonly form: Form
  /** The amount as it was submitted, as JSON text; repeated in every response. */
  readonly submittedAmount: string
  readonly currency: string
  readonly scale: number
  readonly subtotalUnits: bigint
  readonly tax: Tax
  readonly totalUnits: bigint
  readonly dueUsdcBase: bigint
  /** The rate locked at creation; null for USD and USDC, which are 1:1. */
  readonly fx: Rate | null
  readonly chain: InvoiceChain
  readonly payTo: string
  readonly usdcAddress: string
  readonly reference: string
  readonly paymentUri: string
  readonly buyer: Party
  readonly seller: Party & { readonly wallet: string | null }
  readonly description: string | null
  readonly agentId: string | null
  readonly mandateId: string | null
  /**
   * The hash of the mandate in `mandateId`, 0x + 64 hex digits: what both its parties have signed.
   */
  readonly mandateHash: string | null
  readonly payer: string | null
  readonly dueAt: string | null
  /** JSON text of the caller's object, verbatim. */
  readonly metadata: string | null
  /** The account pays this to somebody else, through the proxy: no transfer to us pays it. */
  readonly isPurchase?: true
  /** The buyer's number of the order that a purchase belongs to. Absent: it named none. */
  readonly poNumber?: string
  /**
   * The child index of `payTo` under the operator's extended public key: no other invoice has this
   * address. Absent: `payTo` is shared.
   */
  readonly depositIndex?: number
}

/** The rules of contract §5 that match a transfer to its invoice. */
export const matchers = ['reference', 'address', 'claim', 'payer', 'amount', 'operator'] as const
export type MatchedBy = (typeof matchers)[number]

/** A transfer credited to an invoice; `key` identifies the transfer for ever. */
export type Payment = {
  readonly key: string
  readonly usdcBase: bigint
  readonly txHash: string
  readonly blockNumber: number
  /**
   * The time of its block. Absent for purchases through the proxy, and where a version credited it
   * that did not record this.
   */
  readonly blockTime?: string
  readonly from: string
  readonly matchedBy: MatchedBy
  readonly confirmed: boolean
}

/**
 * How an invoice was settled: by the transfer that completed the amount due, at a depth of
 * `confirmations` blocks.
 */
export type Settlement = {
  readonly id: string
  readonly receiptId: string
  readonly txHash: string
  readonly blockNumber: number
  readonly from: string
  readonly confirmations: number
  readonly matchedBy: MatchedBy
  readonly settledAt: string
}

/** Everything that changes after creation. */
export type Progress = {
  /** The state to which a reverted payment returns the invoice. */
  readonly resume: 'draft' | 'sent' | 'failed'
  readonly sentAt: string | null
  readonly completedAt: string | null
  readonly failure: 'voided' | 'expired' | null
  readonly payments: readonly Payment[]
  readonly settlement: Settlement | null
}

/** The progress of every new invoice. */
export const newProgress: Progress = {
  resume: 'draft',
  sentAt: null,
  completedAt: null,
  failure: null,
  payments: [],
  settlement: null,
}

/** An invoice as it is now. Instants are ISO 8601 in UTC. */
export type Invoice = {
  readonly id: string
  readonly accountId: string
  /** Gapless per account and year; 0 until assigned by the commit that inserts the row. */
  readonly number: number
  readonly year: number
  /** The number of events so far; it guards the next commit. */
  readonly version: number
  readonly state: State
  readonly createdAt: string
  readonly updatedAt: string
  readonly terms: Terms
  readonly progress: Progress
}

/** The fields that tell whether an invoice still takes payments. */
type Standing = Pick<Invoice, 'state' | 'progress'>

/**
 * What may happen to an invoice: what its owner asks for, and what is observed of transfers, time
 * and anchors. `key` identifies a transfer.
 */
export type Command =
  | {
      readonly kind: 'create'
      readonly id: string
      readonly accountId: string
      readonly terms: Terms
    }
  | { readonly kind: 'send' }
  | { readonly kind: 'void' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'credit'; readonly payment: Payment }
  | {
      readonly kind: 'confirm'
      readonly key: string
      /** The transfer's current block: a reorganisation may have moved it since it was credited. */
      readonly blockNumber: number
      /** The time of that block; absent: as it was credited. */
      readonly blockTime?: string
      /** The sender by the chain, the only authority on a purchase through the proxy. */
      readonly from: string
      readonly confirmations: number
      readonly settlementId: string
      readonly receiptId: string
    }
  | { readonly kind: 'revert'; readonly key: string }
  /**
   * After a failed settlement: settle again if the payments that are still confirmed cover the
   * amount due. Confirmations are counted from block `head`.
   */
  | {
      readonly kind: 'settle_anew'
      readonly head: number
      readonly settlementId: string
      readonly receiptId: string
    }
  | { readonly kind: 'receipt_anchored'; readonly receiptId: string }

/**
 * What happened to an invoice, in order; each event is one row of the trail. Those named like
 * webhook events are also sent to subscribers.
 */
export type Event =
  | {
      readonly type: 'invoice.created'
      readonly id: string
      readonly accountId: string
      readonly terms: Terms
    }
  | { readonly type: 'invoice.sent' }
  | { readonly type: 'payment.credited'; readonly payment: Payment }
  | { readonly type: 'invoice.paid' }
  | {
      readonly type: 'payment.confirmed'
      readonly key: string
      readonly blockNumber: number
      readonly blockTime?: string
      readonly from: string
    }
  | { readonly type: 'invoice.settled'; readonly settlement: Settlement }
  | { readonly type: 'settlement.confirmed'; readonly settlement: Settlement }
  | { readonly type: 'payment.reverted'; readonly key: string }
  | {
      readonly type: 'settlement.failed'
      readonly settlement: Settlement
      readonly reason: 'reorged'
    }
  | { readonly type: 'invoice.completed'; readonly receiptId: string }
  | { readonly type: 'invoice.failed'; readonly reason: 'voided' | 'expired' }

/**
 * Decides what `command` does to `invoice` (undefined: not created yet) at `now`: the events to
 * commit, or `[]` if it has already been done. Errors: `not_found`; `invalid_state` where the
 * command does not fit the invoice's state.
 */
export function decide(
  invoice: Invoice | undefined,
  command: Command,
  now: Date,
): readonly Event[] {
  if (command.kind === 'create') {
    if (invoice) throw new DomainError('invalid_state', 'The invoice exists already')
    return [
      {
        type: 'invoice.created',
        id: command.id,
        accountId: command.accountId,
        terms: command.terms,
      },
    ]
  }
  if (!invoice) throw new DomainError('not_found', 'No such invoice')
  switch (command.kind) {
    case 'send':
      return send(invoice)
    case 'void':
      return cancel(invoice)
    case 'expire':
      return expire(invoice, now)
    case 'credit':
      return credit(invoice, command.payment)
    case 'confirm':
      return confirm(invoice, command, now)
    case 'revert':
      return revert(invoice, command.key)
    case 'settle_anew':
      return settleAnew(invoice, command, now)
    case 'receipt_anchored':
      return complete(invoice, command.receiptId)
  }
}

/** The invoice after `events`, which `decide` returned for it. */
export function evolve(
  invoice: Invoice | undefined,
  events: readonly Event[],
  now: Date,
): Invoice | undefined {
  return events.reduce<Invoice | undefined>((before, event) => apply(before, event, now), invoice)
}

/** The invoice as it was right after its creation, as `invoice.created` reports it. */
export function asCreated(invoice: Invoice): Invoice {
  return {
    ...invoice,
    version: 1,
    state: 'draft',
    updatedAt: invoice.createdAt,
    progress: newProgress,
  }
}

/** USDC base units credited so far, confirmed or not. */
export function receivedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(invoice.progress.payments)
}

/** USDC base units still to come; negative if the invoice was overpaid. */
export function leftUsdcBase(invoice: Invoice): bigint {
  const { dueUsdcBase } = invoice.terms
  return leftOf({ dueUsdcBase, receivedUsdcBase: receivedUsdcBase(invoice) })
}

/** USDC base units still to come by a balance; negative if more has been received than was due. */
export function leftOf({
  dueUsdcBase,
  receivedUsdcBase,
}: Pick<Balance, 'dueUsdcBase' | 'receivedUsdcBase'>): bigint {
  return dueUsdcBase - receivedUsdcBase
}

/** USDC base units that a settled invoice has received beyond what was due; otherwise 0. */
export function overpaidUsdcBase(invoice: Invoice): bigint {
  const leftBase = leftUsdcBase(invoice)
  return invoice.progress.settlement && leftBase < 0n ? -leftBase : 0n
}

/**
 * The payments a settlement rests on: transfers that have reached the chain's confirmation depth.
 */
export function confirmedPayments(invoice: Invoice): readonly Payment[] {
  return invoice.progress.payments.filter((payment) => payment.confirmed)
}

/** The sum of the confirmed payments, in USDC base units. */
export function confirmedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(confirmedPayments(invoice))
}

/**
 * Whether a payment for this invoice may still be credited: it is open, or expired and not yet paid
 * (contract §4, `late`).
 */
export function acceptsPayment(invoice: Standing): boolean {
  return isOpen(invoice) || isExpired(invoice)
}

/** Whether the due date passed before the full amount arrived, and it still has not. */
export function isExpired({ state, progress }: Standing): boolean {
  return state === 'failed' && progress.failure === 'expired'
}

/** The kind of an invoice with these terms. */
export function kindOf({ isPurchase }: Terms): Kind {
  return isPurchase ? 'purchase' : 'sale'
}

/**
 * Whether a transfer to an address of ours may still be credited. What the account buys from others
 * is never paid that way.
 */
export function acceptsTransfer(invoice: Standing & Pick<Invoice, 'terms'>): boolean {
  return !invoice.terms.isPurchase && acceptsPayment(invoice)
}

/**
 * Whether a transfer must name the invoice to be credited to it: others are paid at its address,
 * and of one that has received a part the amount rule knows nothing.
 */
export function needsReference(invoice: Invoice): boolean {
  return invoice.terms.depositIndex === undefined && !hasAtMostDust(invoice)
}

/** Whether the amount rule may consider it: it takes transfers, and has received none but dust. */
export function isPayable(invoice: Invoice): boolean {
  return acceptsTransfer(invoice) && hasAtMostDust(invoice)
}

/**
 * USDC base units to ask a payer for: what is left; but all that is due where that is what the
 * amount rule goes by. 0 or less if nothing is left.
 */
export function askedUsdcBase(invoice: Invoice): bigint {
  const isByAmount = invoice.terms.depositIndex === undefined && hasAtMostDust(invoice)
  return isByAmount ? invoice.terms.dueUsdcBase : leftUsdcBase(invoice)
}

function hasAtMostDust(invoice: Invoice): boolean {
  const { dueUsdcBase } = invoice.terms
  return isUntouched({ dueUsdcBase, receivedUsdcBase: receivedUsdcBase(invoice) })
}

/**
 * How many part payments of one class of size an invoice takes: anybody can send them, and each
 * costs.
 */
const mostOfSize = 100
/** A part payment of at least what is due divided by this is always taken. */
export const alwaysTakenShare = 100n

/** What an invoice is due, and has received. */
export type Balance = {
  readonly dueUsdcBase: bigint
  readonly receivedUsdcBase: bigint
  /** The number of its payments so far of each class of size; absent where there are none. */
  readonly paymentsBySize: readonly number[]
}

/**
 * Whether nothing has been received, or together less than a hundredth of what is due: anybody can
 * send such dust, which must not keep what is due from being recognised by its amount.
 */
export function isUntouched({
  dueUsdcBase,
  receivedUsdcBase,
}: Pick<Balance, 'dueUsdcBase' | 'receivedUsdcBase'>): boolean {
  return receivedUsdcBase * alwaysTakenShare < dueUsdcBase
}

/**
 * Whether a payment of `usdcBase` is worth being recorded as one more: it is at least a hundredth
 * of what is due, or completes it, or there are few of its size so far. So there are some hundreds
 * of payments at most, and what others send keeps out nothing that is much larger.
 */
export function isWorthTaking(
  { dueUsdcBase, receivedUsdcBase, paymentsBySize }: Balance,
  usdcBase: bigint,
): boolean {
  const size = sizeOf(usdcBase, dueUsdcBase)
  return (
    size === 0 ||
    receivedUsdcBase + usdcBase >= dueUsdcBase ||
    (paymentsBySize[size] ?? 0) < mostOfSize
  )
}

/** What the invoice is due, and has received, confirmed or not. */
export function balanceOf({ terms, progress }: Invoice): Balance {
  const { dueUsdcBase } = terms
  return {
    dueUsdcBase,
    ...receivedWith({ dueUsdcBase, receivedUsdcBase: 0n, paymentsBySize: [] }, progress.payments),
  }
}

/** What has been received once `payments` have come as well. */
export function receivedWith(
  { dueUsdcBase, receivedUsdcBase, paymentsBySize }: Balance,
  payments: readonly Pick<Payment, 'usdcBase'>[],
): Pick<Balance, 'receivedUsdcBase' | 'paymentsBySize'> {
  const counts = [...paymentsBySize]
  for (const { usdcBase } of payments) {
    const size = sizeOf(usdcBase, dueUsdcBase)
    counts[size] = (counts[size] ?? 0) + 1
  }
  return { receivedUsdcBase: receivedUsdcBase + sumUsdcBase(payments), paymentsBySize: counts }
}

/**
 * The class of size of a payment: 0 from a hundredth of what is due on, 1 from a hundredth of that
 * on, and so forth.
 */
function sizeOf(usdcBase: bigint, dueUsdcBase: bigint): number {
  let size = 0
  for (let base = dueUsdcBase; usdcBase * alwaysTakenShare < base; base /= alwaysTakenShare)
    size += 1
  return size
}

/**
 * Whether the invoice was paid, but by a block after its due date. Where the time of a payment's
 * block is not on record: whether the invoice had expired before it was paid.
 */
export function isLate(invoice: Invoice): boolean {
  const { terms, progress, state } = invoice
  const { dueAt, dueUsdcBase } = terms
  const { payments, failure } = progress
  if (dueAt === null || isOpen(invoice) || state === 'failed') return false
  if (payments.some(({ blockTime }) => blockTime === undefined)) return failure === 'expired'
  const inTime = payments.filter(
    ({ blockTime }) => blockTime && Date.parse(blockTime) <= Date.parse(dueAt),
  )
  return sumUsdcBase(inTime) < dueUsdcBase
}

/** Whether the invoice is neither paid nor closed. */
export function isOpen(invoice: Standing): boolean {
  return invoice.state === 'draft' || invoice.state === 'sent'
}

function send(invoice: Invoice): readonly Event[] {
  if (invoice.state === 'draft') return [{ type: 'invoice.sent' }]
  if (invoice.state === 'sent') return []
  throw wrongState(invoice, 'sent')
}

function cancel(invoice: Invoice): readonly Event[] {
  if (invoice.progress.failure === 'voided') return []
  if (acceptsPayment(invoice) && invoice.progress.payments.length === 0) {
    return [{ type: 'invoice.failed', reason: 'voided' }]
  }
  if (acceptsPayment(invoice))
    throw new DomainError('invalid_state', 'Money has come for this invoice: it cannot be voided')
  throw wrongState(invoice, 'voided')
}

function expire(invoice: Invoice, now: Date): readonly Event[] {
  const { dueAt } = invoice.terms
  if (!isOpen(invoice) || dueAt === null || Date.parse(dueAt) > now.getTime()) return []
  return [{ type: 'invoice.failed', reason: 'expired' }]
}

function credit(invoice: Invoice, payment: Payment): readonly Event[] {
  if (invoice.progress.payments.some((known) => known.key === payment.key)) return []
  if (!acceptsPayment(invoice)) throw wrongState(invoice, 'paid')
  const credited: Event = { type: 'payment.credited', payment }
  const received = receivedUsdcBase(invoice) + payment.usdcBase
  return received < invoice.terms.dueUsdcBase ? [credited] : [credited, { type: 'invoice.paid' }]
}

function confirm(
  invoice: Invoice,
  command: Extract<Command, { kind: 'confirm' }>,
  now: Date,
): readonly Event[] {
  const payment = invoice.progress.payments.find((known) => known.key === command.key)
  if (!payment || payment.confirmed) return []
  const { key, blockNumber, from, blockTime } = command
  const at = blockTime === undefined ? { blockNumber } : { blockNumber, blockTime }
  const confirmed: Event = { type: 'payment.confirmed', key, ...at, from }
  const sum = confirmedUsdcBase(invoice) + payment.usdcBase
  if (invoice.state !== 'paid' || sum < invoice.terms.dueUsdcBase) return [confirmed]
  return [confirmed, ...settle({ ...payment, blockNumber, from }, command, now)]
}

function settleAnew(
  invoice: Invoice,
  command: Extract<Command, { kind: 'settle_anew' }>,
  now: Date,
): readonly Event[] {
  const payment = confirmedPayments(invoice).at(-1)
  const isEnough = confirmedUsdcBase(invoice) >= invoice.terms.dueUsdcBase
  if (invoice.state !== 'paid' || !payment || !isEnough) return []
  const confirmations = command.head - payment.blockNumber + 1
  return settle(payment, { ...command, confirmations }, now)
}

function settle(
  { txHash, blockNumber, from, matchedBy }: Payment,
  { settlementId, receiptId, confirmations }: Settling,
  now: Date,
): readonly Event[] {
  const seen = { txHash, blockNumber, from, confirmations, matchedBy }
  const settlement = { id: settlementId, receiptId, ...seen, settledAt: now.toISOString() }
  return [
    { type: 'invoice.settled', settlement },
    { type: 'settlement.confirmed', settlement },
  ]
}

type Settling = Pick<
  Extract<Command, { kind: 'confirm' }>,
  'settlementId' | 'receiptId' | 'confirmations'
>

function revert(invoice: Invoice, key: string): readonly Event[] {
  const payment = invoice.progress.payments.find((known) => known.key === key)
  if (!payment) return []
  const reverted: Event = { type: 'payment.reverted', key }
  const { settlement } = invoice.progress
  // A settlement rests only on confirmed payments, and so does its receipt: reverting an
  // unconfirmed one leaves it standing.
  if (!settlement || !payment.confirmed) return [reverted]
  return [reverted, { type: 'settlement.failed', settlement, reason: 'reorged' }]
}

function isCoveredWithout(invoice: Invoice, key: string): boolean {
  const left = invoice.progress.payments.filter((payment) => payment.key !== key)
  return sumUsdcBase(left) >= invoice.terms.dueUsdcBase
}

function complete(invoice: Invoice, receiptId: string): readonly Event[] {
  if (invoice.state !== 'settled' || invoice.progress.settlement?.receiptId !== receiptId) return []
  return [{ type: 'invoice.completed', receiptId }]
}

function sumUsdcBase(payments: readonly Pick<Payment, 'usdcBase'>[]): bigint {
  return payments.reduce((sum, payment) => sum + payment.usdcBase, 0n)
}

function wrongState(invoice: Invoice, wanted: string): DomainError {
  return new DomainError('invalid_state', `An invoice that is ${invoice.state} cannot be ${wanted}`)
}

function apply(invoice: Invoice | undefined, event: Event, now: Date): Invoice {
  if (event.type === 'invoice.created') return created(event, now)
  if (!invoice) throw new Error(`${event.type} before invoice.created`)
  const changed = change(invoice, event, now)
  return { ...invoice, ...changed, version: invoice.version + 1, updatedAt: now.toISOString() }
}

function change(
  invoice: Invoice,
  event: Exclude<Event, { type: 'invoice.created' }>,
  now: Date,
): Partial<Invoice> {
  const { progress } = invoice
  switch (event.type) {
    case 'invoice.sent':
      return { state: 'sent', progress: { ...progress, resume: 'sent', sentAt: now.toISOString() } }
    case 'payment.credited':
      return { progress: { ...progress, payments: [...progress.payments, event.payment] } }
    case 'invoice.paid':
      return { state: 'paid' }
    case 'payment.confirmed': {
      const { type: _, ...seen } = event
      return {
        progress: {
          ...progress,
          payments: progress.payments.map((known) =>
            known.key === event.key ? { ...known, ...seen, confirmed: true } : known,
          ),
        },
      }
    }
    case 'invoice.settled':
      return { state: 'settled', progress: { ...progress, settlement: event.settlement } }
    case 'settlement.confirmed':
      return {}
    case 'payment.reverted':
      return reverted(invoice, event.key)
    case 'settlement.failed':
      return {
        state: receivedUsdcBase(invoice) < invoice.terms.dueUsdcBase ? invoice.state : 'paid',
        progress: { ...progress, settlement: null, completedAt: null },
      }
    case 'invoice.completed':
      return { state: 'completed', progress: { ...progress, completedAt: now.toISOString() } }
    case 'invoice.failed':
      return { state: 'failed', progress: { ...progress, resume: 'failed', failure: event.reason } }
  }
}

function created(event: Extract<Event, { type: 'invoice.created' }>, now: Date): Invoice {
  const at = now.toISOString()
  return {
    id: event.id,
    accountId: event.accountId,
    number: 0,
    year: now.getUTCFullYear(),
    version: 1,
    state: 'draft',
    createdAt: at,
    updatedAt: at,
    terms: event.terms,
    progress: newProgress,
  }
}

function reverted(invoice: Invoice, key: string): Partial<Invoice> {
  const payments = invoice.progress.payments.filter((known) => known.key !== key)
  const state =
    isOpen(invoice) || isCoveredWithout(invoice, key) ? invoice.state : invoice.progress.resume
  return { state, progress: { ...invoice.progress, payments } }
}
