import { DomainError } from './error.ts'
import type { Rate } from './money.ts'
import type { InvoiceChain } from './network.ts'
import type { Tax } from './tax.ts'

export const states = ['draft', 'sent', 'paid', 'settled', 'completed', 'failed'] as const

export type State = (typeof states)[number]

/** Which family of paths an invoice was created through; decides how its amounts and events are written. */
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
  /** The amount as it was sent, as JSON text, repeated in every answer. */
  readonly submittedAmount: string
  readonly currency: string
  readonly scale: number
  readonly subtotalUnits: bigint
  readonly tax: Tax
  readonly totalUnits: bigint
  readonly dueUsdcBase: bigint
  /** Rate locked at creation; null for USD and USDC, which are 1:1. */
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
  /** The hash of that mandate, 0x + 64 hex: what both its parties have signed. */
  readonly mandateHash: string | null
  readonly payer: string | null
  readonly dueAt: string | null
  /** JSON text of the caller's object, as it was sent. */
  readonly metadata: string | null
  /** Paid by the account to somebody else, through the proxy: no transfer to an address of ours pays it. */
  readonly isPurchase?: true
  /** Which child of the operator's key `payTo` is: an address that no other invoice has. Absent: others are paid there too. */
  readonly depositIndex?: number
}

/** Which rule of contract §5 tied a transfer to its invoice. */
export type MatchedBy = 'reference' | 'address' | 'claim' | 'payer' | 'amount' | 'operator'

/** A transfer credited to an invoice; `key` names the transfer for ever. */
export type Payment = {
  readonly key: string
  readonly usdcBase: bigint
  readonly txHash: string
  readonly blockNumber: number
  readonly from: string
  readonly matchedBy: MatchedBy
  readonly confirmed: boolean
}

/** How an invoice was settled: by the transfer that covered it, then `confirmations` blocks deep. */
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
  /** The state a reverted payment returns to. */
  readonly resume: 'draft' | 'sent' | 'failed'
  readonly sentAt: string | null
  readonly completedAt: string | null
  readonly failure: 'voided' | 'expired' | null
  readonly payments: readonly Payment[]
  readonly settlement: Settlement | null
}

/** Where every invoice starts. */
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
  /** Gapless per account and year; 0 until the commit that inserts the row has assigned it. */
  readonly number: number
  readonly year: number
  /** Events so far; the guard of the next commit. */
  readonly version: number
  readonly state: State
  readonly createdAt: string
  readonly updatedAt: string
  readonly terms: Terms
  readonly progress: Progress
}

/** As much of an invoice as says where it stands. */
type Standing = Pick<Invoice, 'state' | 'progress'>

/** What may happen to an invoice: what its owner asks for, and what is seen of transfers, time and anchors. `key` names a transfer. */
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
      /** Where the transfer is now: a reorganisation may have moved it since it was credited. */
      readonly blockNumber: number
      /** Who sent it, by the chain: of what was bought elsewhere nobody else may say. */
      readonly from: string
      readonly confirmations: number
      readonly settlementId: string
      readonly receiptId: string
    }
  | { readonly kind: 'revert'; readonly key: string }
  /** What a settlement that failed has left may be enough for another, as seen from block `head`. */
  | {
      readonly kind: 'settle_anew'
      readonly head: number
      readonly settlementId: string
      readonly receiptId: string
    }
  | { readonly kind: 'receipt_anchored'; readonly receiptId: string }

/** What happened, in order; each is one row of the trail. Those named like webhook events are also sent to subscribers. */
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
 * What `command` does to `invoice` (undefined: not created yet) at `now`: the events to commit, `[]` when it has been done
 * already, or a `DomainError` `invalid_state`.
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

/** The invoice as it was right after its creation; what `invoice.created` tells. */
export function asCreated(invoice: Invoice): Invoice {
  return {
    ...invoice,
    version: 1,
    state: 'draft',
    updatedAt: invoice.createdAt,
    progress: newProgress,
  }
}

/** USDC credited so far, confirmed or not. */
export function receivedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(invoice.progress.payments)
}

/** What has yet to come; below zero where it was overpaid. */
export function leftUsdcBase(invoice: Invoice): bigint {
  return invoice.terms.dueUsdcBase - receivedUsdcBase(invoice)
}

/** What a settlement rests on: transfers as deep in the chain as its confirmations ask for. */
export function confirmedPayments(invoice: Invoice): readonly Payment[] {
  return invoice.progress.payments.filter((payment) => payment.confirmed)
}

/** The USDC of these. */
export function confirmedUsdcBase(invoice: Invoice): bigint {
  return sumUsdcBase(confirmedPayments(invoice))
}

/** Whether a transfer that names this invoice may still be credited: open, or expired and not yet paid (contract §4, `late`). */
export function acceptsPayment(invoice: Standing): boolean {
  return isOpen(invoice) || isExpired(invoice)
}

/** Its due date has passed before all of the money came. */
export function isExpired({ state, progress }: Standing): boolean {
  return state === 'failed' && progress.failure === 'expired'
}

/** The same of transfers to addresses of ours: none of them pays what the account buys from others. */
export function acceptsTransfer(invoice: Standing & Pick<Invoice, 'terms'>): boolean {
  return !invoice.terms.isPurchase && acceptsPayment(invoice)
}

/** Whether the amount rule may consider it: nothing has been credited yet. */
export function isPayable(invoice: Invoice): boolean {
  return acceptsTransfer(invoice) && invoice.progress.payments.length === 0
}

/** Paid although its due date had passed before the money came. */
export function isLate(invoice: Invoice): boolean {
  return invoice.progress.failure === 'expired' && invoice.state !== 'failed'
}

/** Neither paid nor closed. */
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
  const { key, blockNumber, from } = command
  const confirmed: Event = { type: 'payment.confirmed', key, blockNumber, from }
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
  // A settlement rests on what is confirmed, and its receipt is of that.
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

function sumUsdcBase(payments: readonly Payment[]): bigint {
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
    case 'payment.confirmed':
      return {
        progress: {
          ...progress,
          payments: progress.payments.map((known) =>
            known.key === event.key
              ? { ...known, confirmed: true, blockNumber: event.blockNumber, from: event.from }
              : known,
          ),
        },
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
