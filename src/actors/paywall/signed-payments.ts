import { addressKey } from '../../domain/network.ts'
import { notAccepted } from '../../domain/x402/payload.ts'
import { type PaymentOption, requirementsFor } from '../../domain/x402/payment-required.ts'
import type { OwnRequirements } from '../../domain/x402/requirements.ts'
import type { Facilitator, SettledBy } from '../../domain/x402/settlement.ts'
import { authorizationKey, type SignedPayment } from '../../domain/x402/signed-payment.ts'
import { unexplainedFrom } from '../../storage/settlement/transfer-lists.ts'
import {
  type ClaimedPayment,
  claimAgain,
  claimPayment,
  claimSettled,
  findPayment,
  forgetTransaction,
  noteTransaction,
  type PaymentName,
} from '../../storage/x402/payments.ts'
import { type Delivery, type DeliveryParts, isFor, paidBy } from './delivery.ts'
import {
  findNetwork,
  fromChain,
  type PaidOrder,
  type PaymentOutcome,
  refused,
  termsOf,
} from './order.ts'
import type { Unresolved } from './reconciliation.ts'

type Parts = DeliveryParts & {
  readonly delivery: Delivery
  isReference(nonce: string): boolean
}

/** A payment that can be settled; `earlier`: a claim of it that was never sent. */
type Settleable = PaymentName & {
  readonly payment: SignedPayment
  readonly requirements: OwnRequirements
  readonly facilitator: Facilitator
  readonly option: PaymentOption
  readonly earlier: ClaimedPayment | null
}

/** A facilitator may know of a block before our nodes do. */
const shownWithinMs = 3_000

const meantForInvoice = 'The payment is signed for an invoice, which it would pay'
const failedBefore = {
  kind: 'refused',
  problem: 'A signed payment of this payer has failed on chain within the last ten minutes',
} as const

/** Admits signed payments: each is verified, claimed, settled, and delivered for. */
export function createSignedPayments(parts: Parts) {
  const { sql, networks, payers, reconciliation, delivery } = parts

  async function admit(order: PaidOrder, payment: SignedPayment): Promise<PaymentOutcome> {
    const { network, payer, nonce } = payment
    const key = authorizationKey(network, payment)
    const name = { key, network, payer, txHash: null, identifier: order.identifier }
    const on = findNetwork(networks, network)
    const option = on?.option() ?? null
    const facilitator = option?.takesSigned ? on?.facilitator : undefined
    // A claimed payment has its outcome, whatever is accepted now.
    const earlier = await findOwn(order, name, payment)
    if (earlier && !(facilitator?.notesFirst && earlier.key === key && isUnsent(order, earlier)))
      return delivery.answerAgain(order, earlier)
    if (!option || !(option.takesSigned || option.takesTransfers))
      return refused(networks, order, notAccepted)
    if (!facilitator) return refused(networks, order, `${network} takes transfers only`)
    // Whoever reads a payment of an invoice, on chain or on the way, must not buy with it.
    if (!earlier && parts.isReference(nonce)) return refused(networks, order, meantForInvoice)
    const requirements = requirementsFor(order.resource, option)
    const settleable = { ...name, payment, requirements, facilitator, option, earlier }
    const refusal = await refusalOf(order, settleable)
    if (refusal) return refusal
    // Others than our own facilitator pay their own fees.
    if (!facilitator.notesFirst) return claimAndSettle(order, settleable)
    return payers.run(name, async (hasWaited) => {
      const refusedNow = hasWaited ? await refusalOf(order, settleable) : null
      return refusedNow ?? claimAndSettle(order, settleable)
    })
  }

  /** An identifier is no secret: only its payer gets what was bought under it. */
  async function findOwn(
    order: PaidOrder,
    name: PaymentName,
    payment: SignedPayment,
  ): Promise<ClaimedPayment | null> {
    const claimed = await findPayment(sql, name)
    const isSame = claimed?.paymentHash === order.paymentHash
    return isSame || (claimed && (await isOwn(order, payment))) ? claimed : null
  }

  /** By the key; a contract wallet is asked, which then needs the money once more. */
  async function isOwn({ resource }: PaidOrder, payment: SignedPayment): Promise<boolean> {
    const on = findNetwork(networks, payment.network)
    if (await on?.isSignedByKey(payment)) return true
    const option = on?.option()
    if (!on?.facilitator || !option) return false
    const requirements = requirementsFor(resource, option)
    return (await fromChain(on.facilitator.verify(payment, requirements))).kind === 'valid'
  }

  /** Whether the same payment was claimed before, and nothing was sent for it. */
  function isUnsent(order: PaidOrder, earlier: ClaimedPayment): boolean {
    const isOpen = earlier.state !== 'settled' && earlier.txHash === null
    return isOpen && isFor(earlier, order) && !reconciliation.isRunning(earlier)
  }

  /** The answer to a payment that must not be settled; null: it may be. */
  async function refusalOf(
    order: PaidOrder,
    settleable: Settleable,
  ): Promise<PaymentOutcome | null> {
    const { facilitator, payment, requirements } = settleable
    const result = payers.hasFailed(settleable)
      ? failedBefore
      : await fromChain(facilitator.verify(payment, requirements))
    if (result.kind === 'valid') return null
    const by = await settledBy(order, settleable)
    // A copy may have been settled meanwhile: that buyer must not be asked to pay again.
    const copy = await findOwn(order, settleable, payment)
    if (copy) return delivery.answerAgain(order, copy)
    return by === null
      ? refused(networks, order, result.problem)
      : deliverSettled(order, settleable, by)
  }

  /**
   * The transfer by which the chain shows the payment settled to us, although it is on record
   * only as held: after a restore, or because its payer has sent it. The amount must be the price,
   * as whoever reads a payment on chain can present it.
   */
  async function settledBy(
    { resource }: PaidOrder,
    { key, network, payer, option }: Settleable,
  ): Promise<SettledBy | null> {
    const payTo = addressKey(option.payTo)
    const reader = findNetwork(networks, network)?.reader
    if (!reader) return null
    for (const held of await unexplainedFrom(sql, { chain: network, from: payer })) {
      if (held.to !== payTo || held.usdcBase !== resource.priceUsdcBase) continue
      const found = (await fromChain(reader.transfersTo(option, held.txHash))) ?? []
      const isSettled = found.some(
        ({ position, settles }) =>
          position === held.position &&
          settles.some((one) => authorizationKey(network, one) === key),
      )
      if (isSettled) return held
    }
    return null
  }

  async function deliverSettled(
    order: PaidOrder,
    settleable: Settleable,
    by: SettledBy,
  ): Promise<PaymentOutcome> {
    const claim = claimOf(order, settleable)
    const createdAt = await claimSettled(sql, claim, by)
    return createdAt
      ? delivery.deliver(order, paidBy({ ...claim, createdAt }, by))
      : delivery.answerAgain(order, await findPayment(sql, claim))
  }

  async function claimAndSettle(order: PaidOrder, settleable: Settleable): Promise<PaymentOutcome> {
    const { earlier } = settleable
    const claim = claimOf(order, settleable)
    const createdAt = earlier ? await claimAgain(sql, earlier) : await claimPayment(sql, claim)
    if (createdAt) return settle(order, { ...claim, createdAt }, settleable)
    const copy = await findPayment(sql, claim)
    // A claim that has vanished was just released: the payment may be sent again.
    return copy ? delivery.answerAgain(order, copy) : { kind: 'settling' }
  }

  async function settle(
    order: PaidOrder,
    claim: Unresolved,
    { payment, requirements, facilitator, earlier }: Settleable,
  ): Promise<PaymentOutcome> {
    const result = await facilitator
      .settle(payment, requirements, (txHash) => noteTransaction(sql, claim, txHash))
      .catch(() => ({ kind: 'unknown' }) as const)
    if (result.kind === 'settled') {
      const settled = { ...claim, txHash: result.txHash }
      return delivery.resolve(order, settled, null, shownWithinMs)
    }
    // Forgotten, so that sending the payment again settles it.
    if (result.kind === 'untaken') await forgetTransaction(sql, claim)
    const problem = 'problem' in result ? result.problem : null
    // Whoever read an earlier attempt can still bring it on chain.
    const isOver = result.kind === 'refused' && earlier === null
    const admission = await delivery.resolve(order, { ...claim, isOver }, problem)
    // Not where somebody else has brought the payment on chain before.
    if (result.kind === 'failed' && !('payment' in admission)) payers.noteFailed(claim)
    return admission
  }

  return { admit }
}

function claimOf(order: PaidOrder, { key, network, payer, payment, option }: Settleable) {
  const { validBefore } = payment
  return { key, network, payer, txHash: null, ...termsOf(order, option), validBefore }
}
