import { toText } from '../../domain/codec.ts'
import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { terms as Terms } from '../../domain/invoices/terms.ts'
import { isAddress, isTxHash, type Network } from '../../domain/network.ts'
import type { Command } from '../../domain/purchases/decide.ts'
import type { Delivery, KeptAnswer } from '../../domain/purchases/delivery.ts'
import { type Details, detailsWith, invoiceRequest } from '../../domain/purchases/order.ts'
import { isAccepted, isUnderWay, type Purchase } from '../../domain/purchases/purchase.ts'
import type { Authorization } from '../../domain/purchases/reader.ts'
import { payerStatement } from '../../domain/settlement/payer-statement.ts'
import { type ForwardedPayment, requirementsPaid } from '../../domain/x402/forwarded-payment.ts'
import { isSame, type PaymentRequirements } from '../../domain/x402/requirements.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import { load as loadInvoice } from '../../storage/invoices/invoices.ts'
import { deadlineMs } from '../../storage/postgres/db.ts'
import { findAnswer, noteDelivery } from '../../storage/purchases/deliveries.ts'
import { findFor, findKeyed, freeKey } from '../../storage/purchases/purchases.ts'
import { requireSigned, type Signatures } from '../claims/signed.ts'
import type { FxOf } from '../exchange-rates.ts'
import type { Invoices } from '../invoices.ts'
import { untilWon } from '../races.ts'
import { busy } from './asking.ts'
import type { ChangeParts, Changing } from './changing.ts'
import type { Outcomes, PurchaseReaders } from './outcome.ts'
import { roomFor } from './room.ts'

/** A payment that an agent sends for a resource; what it says about the buyer wins over the ask. */
export type Attempt = Details & {
  readonly accountId: string
  readonly resource: string
  readonly method: string
  readonly url: URL
  readonly payment: ForwardedPayment
  /** The header that holds it, and what the buyer calls the purchase. */
  readonly header: string
  readonly paymentId: string | null
  readonly idempotencyKey: string | null
  /** null: that of the quote. */
  readonly agentId: string | null
  readonly mandateId: string | null
  /** null: the newest that fits. */
  readonly invoiceId: string | null
}

/**
 * A purchase whose payment may be forwarded now or, if `isRepeat`, was accepted before. If
 * `isInDoubt`, an earlier attempt, or the payer's own transfer, may already have paid.
 */
export type Prepared = {
  readonly purchase: Purchase
  readonly isRepeat: boolean
  readonly isInDoubt: boolean
}

/** `success` and `txHash` are what the upstream says of the settlement. */
export type Answer = {
  readonly isOk: boolean
  readonly success: boolean | null
  readonly txHash: string | null
}

/** `pending`: it may have been taken; `failed`: refused, and the chain has the last word. */
export type Outcome = 'taken' | 'pending' | 'failed'

type Parts = ChangeParts &
  Signatures & {
    readonly invoices: Pick<Invoices, 'termsOf'>
    readonly fxOf: FxOf
    readonly readers: PurchaseReaders
    readonly changing: Changing
    readonly outcomes: Outcomes
    readonly log: { warn(line: object, message: string): void }
  }

const lookMs = 3_000

/**
 * A payment on its way to the upstream:
 * 1. A payment that is known, by itself or by a name of the buyer, is sent again or is busy.
 * 2. Otherwise it pays the option of a quote: of its agent, its mandate, and the same request.
 * 3. One statement claims it, and holds budget and mandate. A refusal leaves nothing behind.
 * 4. It is forwarded by the proxy, and the answer is recorded. What the upstream says may make it
 *    `paid`; only the chain ends a hold.
 * 5. What was handed over is noted for the receipt, and kept for repeats under the same key.
 */
export function createForwarding(parts: Parts) {
  const { sql, changing, outcomes, readers, log } = parts
  // Claims of one agent would refuse each other's budget.
  const inTurn = createConcurrencyLimit({ perKey: 1, maxWaitMs: deadlineMs, refusal: busy })

  /**
   * Claims a payment for the quote that it pays; null if there is none, `spent` if it has bought
   * another resource. Errors: as of `roomFor`; `agent_mismatch` where only other agents' quotes
   * fit; `idempotency_in_progress`; `idempotency_key_reused`; `invalid_state` for a payment made
   * for something else; `not_found` for an invoice that it does not pay.
   */
  function claim(attempt: Attempt): Promise<Prepared | 'spent' | null> {
    const { accountId, agentId, payment } = attempt
    const turn = `${accountId} ${agentId ?? payment.key}`
    return inTurn.run(turn, () => untilWon(() => tryClaim(attempt), busy))
  }

  /** Undefined: another process was faster. */
  async function tryClaim(attempt: Attempt): Promise<Prepared | 'spent' | null | undefined> {
    const { known, quotes } = await findFor(sql, { ...attempt, key: attempt.payment.key })
    if (known) return claimAgain(known, attempt)
    const chosen = await choose(quotes, attempt)
    if (!chosen) {
      if (attempt.invoiceId !== null) throw notWaiting()
      return null
    }
    const { quote, option } = chosen
    const agentId = attempt.agentId ?? quote.agentId
    const mandateId = attempt.mandateId ?? quote.mandateId
    const room = await roomFor(parts, { ...quote, agentId, mandateId }, option.usdcBase)
    const { txHash = null } = attempt.payment.made ?? {}
    const payment = { ...paymentOf(attempt), isProven: await isProven(attempt, quote, option) }
    const terms = { option, agentId, mandateId, hold: room.hold }
    const command: Command = { kind: 'claim', payment, txHash, ...terms }
    const { agent, binding, mandateHash } = room
    const first = await amendments(attempt, quote, option, { agentId, mandateId, mandateHash })
    const wanted = { purchase: quote, command, first }
    const won = await changing.changeAll([wanted], { claim: { agent, binding } })
    const { idempotencyKey, accountId } = attempt
    if (!won && idempotencyKey !== null) await freeKey(sql, accountId, idempotencyKey)
    return won?.[0] && { purchase: won[0], isRepeat: false, isInDoubt: txHash !== null }
  }

  async function claimAgain(
    known: Purchase,
    attempt: Attempt,
  ): Promise<Prepared | 'spent' | undefined> {
    requireSameKey(known, attempt)
    if (!isFor(known, attempt)) {
      if (known.resource !== attempt.resource && isAccepted(known)) return 'spent'
      throw elsewhere()
    }
    return tryAgain(known, attempt.agentId)
  }

  /** Undefined: another process was faster. */
  async function tryAgain(known: Purchase, agentId: string | null): Promise<Prepared | undefined> {
    const { accountId, mandateId } = known
    if (agentId !== null && agentId !== known.agentId) throw otherAgent()
    if (isAccepted(known)) return { purchase: known, isRepeat: true, isInDoubt: false }
    if (isUnderWay(known)) throw busy()
    // Nothing more is forwarded under a mandate that has ended.
    const { binding } = await roomFor(parts, { accountId, agentId: null, mandateId }, 0n)
    const wanted = { purchase: known, command: { kind: 'resend' } as const }
    const won = await changing.changeAll([wanted], { claim: { agent: null, binding } })
    return won?.[0] && { purchase: won[0], isRepeat: false, isInDoubt: true }
  }

  /** The payment of a purchase, to be sent again. Errors: as of `claim`. */
  async function sendAgain(known: Purchase, agentId: string | null): Promise<Prepared> {
    const prepared = await tryAgain(known, agentId)
    if (!prepared) throw busy()
    return prepared
  }

  /** The quote that a payment pays, and by which option. */
  async function choose(quotes: readonly Purchase[], attempt: Attempt) {
    const fit: Fit[] = []
    for (const quote of quotes) {
      const option = await optionIn(quote, attempt.payment, readers)
      if (option) fit.push({ quote, option })
    }
    const ofAgent = fit.filter(({ quote }) => isOpenTo(attempt.agentId, quote.agentId))
    if (fit.length > 0 && ofAgent.length === 0) throw otherAgent()
    const { agentId, mandateId } = attempt
    const own = ofAgent.filter(({ quote }) => quote.agentId === agentId)
    const isSame = ({ quote }: Fit) => quote.mandateId === mandateId
    const isOpen = ({ quote }: Fit) => isOpenTo(mandateId, quote.mandateId)
    return own.find(isSame) ?? own.find(isOpen) ?? ofAgent.find(isSame) ?? ofAgent.find(isOpen)
  }

  /**
   * Whether a transfer may settle it: one made before that its payer has signed for, a message, or
   * an authorization unless it is used already, as anybody may read it on chain then. Nothing leads
   * from other payments to their transfers.
   */
  async function isProven(
    { payment: { kind, made, payer, nonce }, url }: Attempt,
    { invoiceId }: Purchase,
    { network }: PaymentRequirements,
  ): Promise<boolean> {
    if (kind === 'eip3009' && payer && nonce)
      return !(await soon(isUsed(network, { kind, payer, nonce }), false))
    if (!made || !payer) return kind === 'message'
    const { txHash, signature } = made
    const about = [{ invoiceId }, { resource: url.href }]
    const texts = about.map((subject) => payerStatement({ subject, chain: network, txHash }))
    for (const statement of [txHash, ...texts]) {
      const signed = { network, statement, signature, payer }
      const checked = requireSigned(parts, signed, { block: null, refusal: '' })
      if (await checked.then(() => true).catch(() => false)) return true
    }
    return false
  }

  async function isUsed(network: Network, authorization: Authorization): Promise<boolean> {
    const reader = readers.get(network)
    return reader ? reader.isUsed(authorization, (await reader.head()).number) : false
  }

  /** What the paying request changes of the quote's invoice. */
  async function amendments(
    attempt: Attempt,
    { invoiceId }: Purchase,
    option: PaymentRequirements,
    bound: Pick<Purchase, 'agentId' | 'mandateId'> & { readonly mandateHash: string | null },
  ) {
    const { terms, accountId, createdAt } = (await loadInvoice(sql, invoiceId)) as Invoice
    const order = { ...attempt, ...detailsWith(terms, attempt), ...bound }
    const request = invoiceRequest(
      { ...order, description: terms.description },
      option,
      bound.mandateHash,
    )
    const amended = await parts.invoices.termsOf(invoiceId, accountId, request, new Date(createdAt))
    const isAsAsked = toText(Terms, amended.terms) === toText(Terms, terms)
    return isAsAsked ? [] : [{ kind: 'amend', terms: amended.terms } as const]
  }

  /**
   * The upstream has answered an attempt. If that cannot be recorded, the caller gets the answer
   * all the same, and a minute later the chain is asked.
   */
  async function answered({ purchase, isInDoubt }: Prepared, answer: Answer): Promise<Outcome> {
    const { isOk, success, txHash } = answer
    const isSaid = success === true || (isOk && success !== false)
    const isTaken = isSaid || (await soon(outcomes.isShown(purchase), false))
    const outcome = isTaken ? 'taken' : isOk || isInDoubt || txHash !== null ? 'pending' : 'failed'
    await recorded(purchase, () =>
      changing.insist(purchase, (now) => {
        if (!isTaken) return { kind: 'leave', txHash, isAnswered: true }
        // Where the chain has shown another, that is the one.
        const isMade = now.payment?.kind === 'made' || now.state === 'paid'
        return { kind: 'accept', txHash: isMade ? (now.txHash ?? txHash) : (txHash ?? now.txHash) }
      }),
    )
    return outcome
  }

  /** The upstream has not answered; `isUnsent`: the payment has certainly not left. */
  async function unanswered(
    { purchase, isInDoubt }: Prepared,
    isUnsent: boolean,
  ): Promise<'not_taken' | 'pending'> {
    const isFree = isUnsent && !isInDoubt
    const left = { kind: 'leave', txHash: null, isAnswered: false } as const
    await recorded(purchase, () =>
      changing.insist(purchase, () => (isFree ? { kind: 'free' } : left)),
    )
    return isFree ? 'not_taken' : 'pending'
  }

  /** What was handed over of the answer to a payment. Never rejects. */
  function delivered(
    { purchase, isRepeat }: Prepared,
    delivery: Delivery,
    kept: KeptAnswer | null,
  ): Promise<void> {
    const { invoiceId, payment, attempt } = purchase
    if (!payment) return Promise.resolve()
    const answer = payment.names.idempotencyKey === null ? null : kept
    const of = { invoiceId, paymentKey: payment.key, attempt: isRepeat ? null : attempt }
    return recorded(
      purchase,
      () => noteDelivery(sql, { ...of, delivery, answer }),
      'the delivery of a purchase was not recorded',
    )
  }

  /**
   * What an ask or a payment under an `Idempotency-Key` gets: the first answer, or the purchase
   * whose payment is sent again; null if the key has bought nothing. Errors:
   * `idempotency_key_reused`.
   */
  async function boughtUnder(accountId: string, idempotencyKey: string, resource: string) {
    const known = await findKeyed(sql, accountId, idempotencyKey)
    if (!known) return null
    requireSameKey(known, { idempotencyKey, resource })
    const answer = isAccepted(known) ? await findAnswer(sql, known.invoiceId) : null
    return { purchase: known, answer }
  }

  async function recorded(
    { invoiceId }: Purchase,
    record: () => Promise<unknown>,
    failure = 'the outcome of a purchase was not recorded',
  ): Promise<void> {
    await Promise.try(record).catch((err) => log.warn({ err, invoiceId }, failure))
  }

  return { claim, sendAgain, answered, unanswered, delivered, boughtUnder }
}

/** What a chain shows, or `otherwise`: a caller waits for it only a while. */
function soon<T>(shown: Promise<T>, otherwise: T): Promise<T> {
  const late = Bun.sleep(lookMs).then(() => otherwise)
  return Promise.race([shown.catch(() => otherwise), late])
}

// Within PostgreSQL's range.
const latestMs = Date.UTC(9999, 0)

function paymentOf({ payment, header, paymentId, idempotencyKey }: Attempt) {
  const { key, kind, payer, nonce, transfer, validBeforeMs } = payment
  const isNamed = paymentId !== null || idempotencyKey !== null
  return {
    ...{ key, kind, payer, nonce },
    message: transfer?.nonce ?? null,
    validBefore: validBeforeMs === null ? null : new Date(Math.min(validBeforeMs, latestMs)),
    names: { paymentId, idempotencyKey, header: isNamed ? header : null },
  }
}

/**
 * The option of a quote that a payment pays. A transfer made before is looked up on chain; where it
 * is not shown, only its form tells.
 */
async function optionIn(
  quote: Purchase,
  payment: ForwardedPayment,
  readers: PurchaseReaders,
): Promise<PaymentRequirements | undefined> {
  const { made, payer } = payment
  if (!made) return requirementsPaid(payment, quote.options)
  const likely = quote.options.filter(
    ({ network }) => isTxHash(network, made.txHash) && isAddress(network, payer ?? ''),
  )
  for (const option of likely.length > 1 ? likely : []) {
    const reader = readers.get(option.network)
    const found = reader && (await soon(reader.transaction(made.txHash, option.payTo, null), null))
    const isPaid = found?.transfers.some(
      ({ from, usdcBase }) => from === payer && usdcBase >= option.usdcBase,
    )
    if (isPaid) return option
  }
  return likely[0]
}

type Fit = { readonly quote: Purchase; readonly option: PaymentRequirements }

/** Whether a quote can be paid for this agent, or under this mandate; null: for any. */
function isOpenTo(wanted: string | null, quoted: string | null): boolean {
  return wanted === null || quoted === null || wanted === quoted
}

/** Whether this is the payment the purchase knows, or one signed anew under the same name. */
function isFor(known: Purchase, { resource, payment, mandateId }: Attempt): boolean {
  const isSameOrder =
    known.resource === resource && (mandateId === null || mandateId === known.mandateId)
  if (!isSameOrder || known.payment?.key !== payment.key) return isSameOrder
  const isAsMuch = payment.requirements === null || isSame(payment.requirements, known.option)
  const { validBeforeMs } = payment
  const untilMs = validBeforeMs === null ? undefined : Math.min(validBeforeMs, latestMs)
  return isAsMuch && known.payment.validBefore?.getTime() === untilMs
}

function requireSameKey(
  known: Purchase,
  { idempotencyKey, resource }: Pick<Attempt, 'idempotencyKey' | 'resource'>,
): void {
  const isByKey = idempotencyKey !== null && known.payment?.names.idempotencyKey === idempotencyKey
  if (isByKey && known.resource !== resource)
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key has bought something else: another URL, method or body needs another key',
    )
}

function elsewhere(): DomainError {
  return new DomainError(
    'invalid_state',
    'This payment was made for something else or under another mandate',
  )
}

function otherAgent(): DomainError {
  return new DomainError(
    'agent_mismatch',
    'The quote that this payment pays was made for another agent: ask for the price as this one first',
  )
}

function notWaiting(): DomainError {
  return new DomainError(
    'not_found',
    'The invoice in X-Invoice-Id is not paid by this payment of this request',
  )
}
