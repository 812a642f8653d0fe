import { DomainError, hasReason } from '../domain/error.ts'
import { sha256Hex } from '../domain/hash.ts'
import type { JsonObject } from '../domain/json-text.ts'
import { addressKey, isTxHash, type Network, networks } from '../domain/network.ts'
import { payerStatement } from '../domain/settlement/payer-statement.ts'
import type { PaymentPayload } from '../domain/x402/payload.ts'
import {
  type Admission,
  acceptFor,
  type Delivered,
  type Hashes,
  type PayOption,
  type Paywall,
  type Requirement,
  type Resource,
  requirementFor,
  type SettledPayment,
} from '../domain/x402/paywall.ts'
import {
  authorizationKey,
  type Facilitator,
  type SignedPayment,
  transferKey,
} from '../domain/x402/settlement.ts'
import type {
  ClaimedPayment,
  NewClaim,
  PaymentClaim,
  PaymentName,
} from '../storage/x402/payments.ts'
import { createPayerLimit } from './payer-limit.ts'
import {
  createReconciliation,
  type ReconciliationParts,
  type Unresolved,
} from './x402-reconciliation.ts'

type Options = ReconciliationParts & {
  /**
   * The signed payment in a payload for the network named `network` (CAIP-2 or our name), whether
   * or not payments are accepted on it; null if there is none.
   */
  signedPaymentIn(network: string, payload: JsonObject): SignedPayment | null
  /** Whether these 32 bytes (lower-case hex with 0x) are the reference of an invoice of ours. */
  isReference(nonce: string): boolean
  facilitator(network: Network): Facilitator | undefined
  readonly store: {
    find(payment: PaymentName): Promise<ClaimedPayment | null>
    /** When the payment was claimed; null if it cannot be. */
    claim(claim: NewClaim, otherKeys: readonly string[]): Promise<Date | null>
    /** Null if somebody else has claimed the payment since. */
    claimAgain(claim: PaymentClaim): Promise<Date | null>
    /** False if the claim is no longer open: another try may have taken it over. */
    note(claim: PaymentClaim, txHash: string): Promise<boolean>
    forget(claim: PaymentClaim): Promise<void>
    pending(claim: PaymentClaim): Promise<void>
    keep(key: string, answer: Delivered): Promise<void>
  }
  isSignedByPayer(signed: {
    network: Network
    statement: string
    signature: string
    payer: string
  }): Promise<boolean>
  /** The time by a clock that all processes share. */
  now(): Promise<Date>
}

/** A request being admitted. */
type Visit = {
  readonly resource: Resource
  readonly requestHashes: Hashes
  readonly proofHashes: Hashes
  readonly deliver: (payment: SettledPayment) => Promise<Delivered>
}

type Transfer = Extract<PaymentPayload, { kind: 'transfer' }>

/** A signed payment: who settles it, and for which requirement. */
type Signed = {
  readonly authorization: SignedPayment
  readonly requirement: Requirement
  readonly facilitator: Facilitator
}

/** A signed payment that can be settled; `earlier`: it was claimed before, and then not sent. */
type Unsettled = Signed & {
  readonly option: PayOption
  readonly earlier: ClaimedPayment | null
}

const maxTransferAgeMs = 3_600_000
const notAccepted =
  'The payment cannot be read, is not signed by its payer, or is for a network that is not accepted'
const meantForInvoice = 'The payment is signed for an invoice, which it would pay'
const misused = 'The authorization has been used for another payment'
const failedBefore = {
  kind: 'refused',
  problem: 'A signed payment of this payer has failed on chain within the last ten minutes',
} as const

/** The paywall; `reconcile` resolves settlements of unknown outcome and returns how many. */
export function createPaywall(parts: Options): Paywall & { reconcile(): Promise<number> } {
  const { store } = parts
  const { reconcile, outcomeOf, lookUp, markSettled, isRunning } = createReconciliation(parts)
  const payers = createPayerLimit(parts)

  function required(resource: Resource, problem?: string) {
    const options = parts.options()
    if (options.length === 0) {
      throw new DomainError('unavailable', 'No network is configured to be paid on')
    }
    return requirementFor(resource, options, problem)
  }

  async function admit(
    resource: Resource,
    sent: PaymentPayload | 'unreadable',
    requestHashes: Hashes,
    deliver: Visit['deliver'],
  ): Promise<Admission> {
    const visitWith = (proofHashes: Hashes) => ({ resource, requestHashes, proofHashes, deliver })
    if (sent === 'unreadable') return refuse({ resource }, notAccepted)
    if (sent.kind === 'transfer') return admitTransfer(visitWith(hashesOf(sent, null)), sent)
    const signed = parts.signedPaymentIn(sent.network, sent.payload)
    if (!signed) return refuse({ resource }, notAccepted)
    return admitSigned(visitWith(hashesOf(sent, signed)), signed)
  }

  /** A signed payment is verified, claimed, settled, and delivered for. */
  async function admitSigned(visit: Visit, authorization: SignedPayment): Promise<Admission> {
    const { network, payer, nonce } = authorization
    const name = { key: authorizationKey(network, payer, nonce), network, payer, txHash: null }
    const option = optionOn(network)
    const facilitator = option?.takesSigned ? parts.facilitator(network) : undefined
    // A payment that was claimed while it was accepted has its outcome, whatever is accepted now.
    const earlier = await store.find(name)
    if (earlier && !(facilitator?.notesFirst && isUnsent(visit, earlier))) {
      return admitAgain(visit, earlier)
    }
    if (!option || !(option.takesSigned || option.takesTransfers)) return refuse(visit, notAccepted)
    if (!facilitator) return refuse(visit, `${network} takes transfers only`)
    // Its payer may have given it to somebody who is to bring it on chain. Whoever reads it there,
    // or on the way, must not be able to buy with it what the invoice's payer pays for.
    if (!earlier && parts.isReference(nonce)) return refuse(visit, meantForInvoice)
    const requirement = acceptFor(visit.resource, option)
    const unsettled = { authorization, requirement, facilitator, option, earlier }
    const refusal = await refusalOf(visit, name, unsettled)
    if (refusal) return refusal
    // Only one with a key of ours notes first; others pay their own fees.
    if (!facilitator.notesFirst) return claimAndSettle(visit, name, unsettled)
    return payers.run(name, async (hasWaited) => {
      const refusedNow = hasWaited ? await refusalOf(visit, name, unsettled) : null
      return refusedNow ?? claimAndSettle(visit, name, unsettled)
    })
  }

  /** What is answered for a signed payment that is not to be settled; null: it is. */
  async function refusalOf(
    visit: Visit,
    name: PaymentName,
    { authorization, requirement, facilitator }: Signed,
  ): Promise<Admission | null> {
    const verdict = payers.hasFailed(name)
      ? failedBefore
      : await asked(facilitator.verify(authorization, requirement))
    if (verdict.kind === 'valid') return null
    // Another copy of the proof may have been settled meanwhile: then it cannot be settled again,
    // and must not lead to a second request for money.
    const copy = await store.find(name)
    return copy ? admitAgain(visit, copy) : refuse(visit, verdict.problem)
  }

  async function claimAndSettle(
    visit: Visit,
    name: PaymentName,
    { option, earlier, ...signed }: Unsettled,
  ): Promise<Admission> {
    const { validBefore } = signed.authorization
    const claim = { ...name, ...termsOf(visit, option), validBefore }
    const createdAt = earlier ? await store.claimAgain(earlier) : await store.claim(claim, [])
    if (!createdAt) {
      const copy = await store.find(name)
      // A claim that has vanished was released just now: the payment has bought nothing and may be
      // sent again.
      return copy ? admitAgain(visit, copy) : { kind: 'settling' }
    }
    const isFirst = earlier === null
    const ours = { ...claim, createdAt }
    return settle(visit, ours, signed, isFirst)
  }

  /** Puts a claimed payment on chain. `isFirst`: nobody has tried to before. */
  async function settle(
    visit: Visit,
    claim: Unresolved,
    { authorization, requirement, facilitator }: Signed,
    isFirst: boolean,
  ): Promise<Admission> {
    const settlement = await facilitator
      .settle(authorization, requirement, (txHash) => store.note(claim, txHash))
      .catch(() => ({ kind: 'unknown' }) as const)
    if (settlement.kind === 'settled') return deliverFor(visit, paidBy(claim, settlement.txHash))
    // Forgotten, so that sending the proof again settles it.
    if (settlement.kind === 'untaken') await store.forget(claim)
    const problem = 'problem' in settlement ? settlement.problem : null
    // Whoever has read an earlier attempt can still bring it on chain.
    const isOver = settlement.kind === 'refused' && isFirst
    const admission = await resolve(visit, { ...claim, isOver }, problem)
    // It is no failure where somebody else has brought the payment on chain before.
    if (settlement.kind === 'failed' && !('payment' in admission)) payers.noteFailed(claim)
    return admission
  }

  /** A transfer is on chain already: it is verified, claimed, and delivered for. */
  async function admitTransfer(visit: Visit, proof: Transfer): Promise<Admission> {
    const network = await signedNetwork(visit.resource, proof, parts.isSignedByPayer)
    if (!network) return refuse(visit, unsigned(visit.resource, proof.txHash, parts.options()))
    if (!isTxHash(network, proof.txHash)) return refuse(visit, 'No such transaction')
    const txHash = addressKey(proof.txHash)
    const payer = addressKey(proof.payer)
    const name = { key: transferKey(network, { txHash, from: payer }), network, payer, txHash }
    const earlier = await store.find(name)
    if (earlier) return admitAgain(visit, earlier)
    const option = optionOn(network)
    if (!option) return refuse(visit, notAccepted)
    const reader = parts.reader(network)
    if (!reader) return refuse(visit, `Transfers on ${network} cannot be read`)
    const transfers = await asked(reader.transfersTo(option.recipient, txHash))
    // A payer who has just sent it may be ahead of our nodes, and must not be asked to pay again.
    if (transfers === null) return { kind: 'pending', network, txHash }
    const paid = transfers.find(
      ({ from, usdcBase }) => from === payer && usdcBase >= visit.resource.priceUsdcBase,
    )
    if (!paid) return refuse(visit, 'No such transfer of the price to this recipient')
    if (paid.blockTimeMs < (await parts.now()).getTime() - maxTransferAgeMs) {
      return refuse(visit, 'The transfer is older than an hour')
    }
    const claim = { ...name, ...termsOf(visit, option), validBefore: null }
    const otherKeys = paid.settles.map((one) => authorizationKey(network, one.payer, one.nonce))
    const createdAt = await store.claim(claim, otherKeys)
    return createdAt
      ? deliverFor(visit, paidBy({ ...claim, createdAt }, txHash))
      : admitAgain(visit, await store.find(name))
  }

  function optionOn(network: Network): PayOption | undefined {
    return parts.options().find((option) => option.network === network)
  }

  /** Whether the same proof was claimed before, and nothing sent for it is on its way. */
  function isUnsent(visit: Visit, earlier: ClaimedPayment): boolean {
    const isOpen = earlier.state !== 'settled' && earlier.txHash === null
    return isOpen && isOf(earlier, visit) && !isRunning(earlier)
  }

  /** Answers a payment that was claimed before; null: it was used for something else altogether. */
  async function admitAgain(visit: Visit, earlier: ClaimedPayment | null): Promise<Admission> {
    if (!earlier || !isOf(earlier, visit)) return { kind: 'conflict' }
    const { state, txHash } = earlier
    if (state === 'settled' && txHash !== null) {
      return admitSettled(visit, earlier, paidBy(earlier, txHash))
    }
    return isRunning(earlier) ? { kind: 'settling' } : resolve(visit, earlier, null)
  }

  /** Answers a payment that was settled before as it was answered then, if it was. */
  async function admitSettled(
    visit: Visit,
    earlier: ClaimedPayment,
    payment: SettledPayment,
  ): Promise<Admission> {
    const { network, status, body, priceUsdcBase } = earlier
    if (status !== null && body !== null) {
      return { kind: 'repeat', payment, answer: { status, body } }
    }
    // A claim of earlier versions has no price, so `reconcile` may have settled it for less. On
    // Solana the payment itself states its amount.
    if (priceUsdcBase === null && network !== 'solana') {
      const found = await lookUp(earlier, visit.resource.priceUsdcBase).catch(() => 'unknown')
      if (found === 'misused') return refuse(visit, misused)
      if (found === 'unknown') return { kind: 'pending', network, txHash: payment.txHash }
    }
    return deliverFor(visit, payment)
  }

  /** Asks the chain about a claimed payment whose settling has ended without an outcome. */
  async function resolve(
    visit: Visit,
    claim: Unresolved,
    problem: string | null,
  ): Promise<Admission> {
    const { key, network, payer } = claim
    const { priceUsdcBase } = visit.resource
    const outcome = await outcomeOf(claim, priceUsdcBase).catch(() => 'unknown' as const)
    if (typeof outcome === 'object') return deliverFor(visit, paidBy(claim, outcome.txHash))
    if (outcome === 'unpaid') {
      // If another try has taken over the claim, the payment may still be settled: then its buyer
      // must not be asked to pay again.
      return (await store.release(claim))
        ? refuse(visit, problem ?? 'The payment was not settled in time')
        : { kind: 'settling' }
    }
    await store.pending(claim)
    const { txHash = null } = (await store.find({ key, network, payer, txHash: null })) ?? {}
    return { kind: 'pending', network, txHash }
  }

  /** Marks a payment as settled, delivers for it, and keeps the answer. */
  async function deliverFor(visit: Visit, paid: SettledPayment): Promise<Admission> {
    // What is delivered is made from the time of the claim, which another try may have taken over.
    const claimedAt = await markSettled({ ...paid, createdAt: paid.claimedAt })
    if (claimedAt === null) return { kind: 'conflict' }
    payers.noteSettled(paid)
    const payment = { ...paid, claimedAt }
    try {
      const answer = await visit.deliver(payment)
      await store.keep(payment.key, answer)
      return { kind: 'delivered', payment, answer }
    } catch (error) {
      // Another call is delivering for the same proof at this moment.
      if (hasReason(error, 'idempotency_in_progress')) return { kind: 'settling' }
      throw error
    }
  }

  function refuse({ resource }: Pick<Visit, 'resource'>, problem: string): Admission {
    return { kind: 'refused', required: required(resource, problem) }
  }

  return { required, admit, reconcile }
}

/** The network for which the payer signed that this transfer pays for this resource. */
async function signedNetwork(
  { url }: Resource,
  { txHash, signature, payer }: Transfer,
  isSignedByPayer: Options['isSignedByPayer'],
): Promise<Network | undefined> {
  for (const network of networks) {
    const statement = payerStatement({ subject: { resource: url }, chain: network, txHash })
    if (await isSignedByPayer({ network, statement, signature, payer })) return network
  }
  return undefined
}

/** Why a transfer proof that its payer has not signed is refused, with the statement to sign. */
function unsigned({ url }: Resource, txHash: string, options: readonly PayOption[]): string {
  const problem = 'The statement is not signed by this payer'
  const option = options.find(({ network }) => isTxHash(network, txHash))
  if (!option) return problem
  const chain = option.network
  const statement = payerStatement({ subject: { resource: url }, chain, txHash })
  return `${problem}. For a transfer on ${chain} it is ${JSON.stringify(statement)}`
}

/**
 * The hash of a proof, however it is written, and that by which the versions before kept it: one of
 * its text, in which members had an order and addresses a case.
 */
function hashesOf(proof: PaymentPayload, authorization: SignedPayment | null): Hashes {
  const { network, payload } = authorization ?? {}
  const meant = authorization ? { network, payload } : proof
  return [
    sha256Hex(JSON.stringify(meant, (_, one) => (typeof one === 'string' ? addressKey(one) : one))),
    sha256Hex(JSON.stringify(proof)),
  ]
}

/** What a claim stores of the request it was made for, and of what was to be paid. */
function termsOf({ resource, requestHashes, proofHashes }: Visit, { recipient, token }: PayOption) {
  const [[requestHash], [proofHash]] = [requestHashes, proofHashes]
  return { proofHash, requestHash, priceUsdcBase: resource.priceUsdcBase, recipient, token }
}

/** The payment by which a claim is paid. */
function paidBy(
  { key, createdAt: claimedAt, network, payer }: Unresolved,
  txHash: string,
): SettledPayment {
  return { key, claimedAt, network, payer, txHash }
}

/** Whether a payment was claimed by the same proof for the same request. */
function isOf(claim: ClaimedPayment, { proofHashes, requestHashes }: Visit): boolean {
  return proofHashes.includes(claim.proofHash) && requestHashes.includes(claim.requestHash)
}

/** Throws `unavailable` if the chain cannot be asked: that says nothing about the payment. */
async function asked<Answer>(question: Promise<Answer>): Promise<Answer> {
  try {
    return await question
  } catch (error) {
    throw new DomainError(
      'unavailable',
      'The payment cannot be checked now; send it again shortly',
      {
        operatorText: `x402: ${error}`,
        retryAfterSeconds: 5,
      },
    )
  }
}
