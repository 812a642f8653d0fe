import { createHash } from 'node:crypto'
import { DomainError } from '../domain/error.ts'
import { addressKey, isTxHash, type Network, networks } from '../domain/network.ts'
import { payerStatement } from '../domain/payer-statement.ts'
import {
  type Admission,
  acceptFor,
  type Delivered,
  type Payload,
  type Payment,
  type PayOption,
  type Paywall,
  type Proof,
  type Resource,
  requirementFor,
} from '../domain/x402.ts'
import {
  type Authorization,
  authorizationKey,
  type Facilitator,
  type PaymentReader,
  transferKey,
} from '../domain/x402-payment.ts'
import type { Between, Claim, ClaimedPayment, NewClaim } from '../storage/x402-payments.ts'

type Options = {
  /**
   * The networks on which payments are accepted. What a facilitator settles may change over time.
   */
  options(): readonly PayOption[]
  /**
   * The signed payment in a payload for the network named `network` (CAIP-2 or our name), whether
   * or not payments are accepted on it; null if there is none.
   */
  authorizationIn(network: string, payload: Payload): Authorization | null
  facilitator(network: Network): Facilitator | undefined
  reader(network: Network): PaymentReader | undefined
  readonly store: {
    find(
      claim: Pick<NewClaim, 'key' | 'network' | 'payer' | 'txHash'>,
    ): Promise<ClaimedPayment | null>
    claim(claim: NewClaim, otherKeys: readonly string[], at: Date): Promise<boolean>
    /** False if somebody else has claimed the payment since. */
    claimAgain(claim: Claim, at: Date): Promise<boolean>
    /** False if the claim is no longer open: another try may have taken it over. */
    note(claim: Claim, txHash: string): Promise<boolean>
    forget(claim: Claim): Promise<void>
    pending(claim: Claim): Promise<void>
    /**
     * When the payment was claimed; null if the transfer has paid an invoice, so that it buys
     * nothing.
     */
    settled(key: string, txHash: string): Promise<Date | null>
    /** False if the claim is no longer open. */
    release(claim: Claim): Promise<boolean>
    keep(key: string, answer: Delivered): Promise<void>
    open(between: Between, limit: number): Promise<readonly ClaimedPayment[]>
  }
  isSignedByPayer(signed: {
    network: Network
    statement: string
    signature: string
    payer: string
  }): Promise<boolean>
  /**
   * The lowest price of anything sold. It is assumed for claims that earlier versions stored
   * without a price, until their buyers return.
   */
  readonly leastUsdcBase: bigint
  readonly now: () => Date
}

/** A request being admitted. */
type Visit = {
  readonly resource: Resource
  readonly requestHash: string
  readonly proofHash: string
  readonly deliver: (payment: Payment) => Promise<Delivered>
}

const maxTransferAgeMs = 3_600_000
const notAccepted = 'The payment cannot be read, or is for a network that is not accepted'
const misused = 'The authorization has been used for another payment'
/** A claim older than this has an outcome, or the process that made it has died. */
const claimedForMs = 60_000
/** How many open payments one call of `reconcile` examines. */
const openAtOnce = 100

/** The paywall; `reconcile` resolves settlements of unknown outcome and returns how many. */
export function createPaywall(parts: Options): Paywall & { reconcile(): Promise<number> } {
  const { store, now } = parts
  /** Where `reconcile` continues, so that payments that stay open do not hold up the others. */
  let looked: ClaimedPayment | null = null

  function demand(resource: Resource, problem?: string) {
    const options = parts.options()
    if (options.length === 0) {
      throw new DomainError('unavailable', 'No network is configured to be paid on')
    }
    return requirementFor(resource, options, problem)
  }

  async function admit(
    resource: Resource,
    proof: Proof,
    requestHash: string,
    deliver: Visit['deliver'],
  ): Promise<Admission> {
    const proofHash = createHash('sha256').update(JSON.stringify(proof)).digest('hex')
    const visit = { resource, requestHash, proofHash, deliver }
    if (proof.kind === 'transfer') return admitTransfer(visit, proof)
    const authorization =
      proof.kind === 'signed' ? parts.authorizationIn(proof.network, proof.payload) : null
    return authorization ? admitSigned(visit, authorization) : refuse(resource, notAccepted)
  }

  function optionOn(network: Network): PayOption | undefined {
    return parts.options().find((option) => option.network === network)
  }

  async function admitSigned(visit: Visit, authorization: Authorization): Promise<Admission> {
    const { network, payer, nonce, validBefore } = authorization
    const key = authorizationKey(network, payer, nonce)
    const name = { key, network, payer, txHash: null }
    const option = optionOn(network)
    const facilitator = option?.takesSigned ? parts.facilitator(network) : undefined
    // A payment that was claimed while it was accepted has its outcome, whatever is accepted now.
    const first = await store.find(name)
    if (first && !(facilitator?.notesFirst && isUnsent(visit, first))) return again(visit, first)
    if (!option) return refuse(visit.resource, notAccepted)
    if (!facilitator) return refuse(visit.resource, `${network} takes transfers only`)
    const requirement = acceptFor(visit.resource, option)
    const verdict = await asked(facilitator.verify(authorization, requirement))
    if (verdict.kind === 'refused') {
      // Another copy of the proof may have been settled meanwhile: then it cannot be settled again,
      // and must not lead to a second demand for money.
      const other = await store.find(name)
      return other ? again(visit, other) : refuse(visit.resource, verdict.problem)
    }
    const claim = { ...name, ...named(visit, option), validBefore }
    const createdAt = now()
    const ours = { key, createdAt }
    const isClaimed = first
      ? await store.claimAgain(first, createdAt)
      : await store.claim(claim, [], createdAt)
    if (!isClaimed) {
      const other = await store.find(name)
      // A claim that has vanished was released just now: the payment has bought nothing and may be
      // sent again.
      return other ? again(visit, other) : { kind: 'settling' }
    }
    const settlement = await facilitator
      .settle(authorization, requirement, (txHash) => store.note(ours, txHash))
      .catch(() => ({ kind: 'unknown' }) as const)
    if (settlement.kind === 'settled') {
      const { txHash } = settlement
      return deliverOnce(visit, { key, claimedAt: createdAt, network, payer, txHash })
    }
    // Forgotten, so that sending the proof again settles it.
    if (settlement.kind === 'untaken') await store.forget(ours)
    const problem = settlement.kind === 'refused' ? settlement.problem : null
    // Whoever has read an earlier attempt can still bring it on chain.
    const isOver = problem !== null && first === null
    return resolve(visit, { ...claim, createdAt, isOver }, problem)
  }

  async function admitTransfer(
    visit: Visit,
    proof: Extract<Proof, { kind: 'transfer' }>,
  ): Promise<Admission> {
    const network = await signedFor(visit.resource, proof)
    if (!network) return refuse(visit.resource, unsigned(visit.resource, proof.txHash))
    if (!isTxHash(network, proof.txHash)) return refuse(visit.resource, 'No such transaction')
    const txHash = addressKey(proof.txHash)
    const payer = addressKey(proof.payer)
    const key = transferKey(network, { txHash, from: payer })
    const name = { key, network, payer, txHash }
    const first = await store.find(name)
    if (first) return again(visit, first)
    const option = optionOn(network)
    if (!option) return refuse(visit.resource, notAccepted)
    const reader = parts.reader(network)
    if (!reader) return refuse(visit.resource, `Transfers on ${network} cannot be read`)
    const transfers = await asked(reader.transfersTo(option.recipient, txHash))
    // A payer who has just sent it may be ahead of our nodes, and must not be asked to pay again.
    if (transfers === null) return { kind: 'pending', network, txHash }
    const paid = transfers.find(
      ({ from, usdcBase }) => from === payer && usdcBase >= visit.resource.priceUsdcBase,
    )
    if (!paid) return refuse(visit.resource, 'No such transfer of the price to this recipient')
    if (paid.blockTimeMs < now().getTime() - maxTransferAgeMs) {
      return refuse(visit.resource, 'The transfer is older than an hour')
    }
    const claim = { ...name, ...named(visit, option), validBefore: null }
    const otherKeys = paid.nonces.map((nonce) => authorizationKey(network, payer, nonce))
    const claimedAt = now()
    if (!(await store.claim(claim, otherKeys, claimedAt)))
      return again(visit, await store.find(name))
    return deliverOnce(visit, { key, claimedAt, network, payer, txHash })
  }

  /** The network for which the payer signed that this transfer pays for this resource. */
  async function signedFor(
    { url }: Resource,
    { txHash, signature, payer }: Extract<Proof, { kind: 'transfer' }>,
  ): Promise<Network | undefined> {
    for (const network of networks) {
      const statement = payerStatement({ subject: { resource: url }, chain: network, txHash })
      if (await parts.isSignedByPayer({ network, statement, signature, payer })) return network
    }
    return undefined
  }

  /** Why a transfer proof that its payer has not signed is refused, with the statement to sign. */
  function unsigned({ url }: Resource, txHash: string): string {
    const problem = 'The statement is not signed by this payer'
    const option = parts.options().find(({ network }) => isTxHash(network, txHash))
    if (!option) return problem
    const chain = option.network
    const statement = payerStatement({ subject: { resource: url }, chain, txHash })
    return `${problem}. For a transfer on ${chain} it is ${JSON.stringify(statement)}`
  }

  /** Whether the same proof was claimed before, and nothing sent for it is on its way. */
  function isUnsent(visit: Visit, first: ClaimedPayment): boolean {
    const isOpen = first.state !== 'settled' && first.txHash === null
    return isOpen && isOf(first, visit) && !isRunning(first)
  }

  function isRunning({ state, createdAt }: ClaimedPayment): boolean {
    return state === 'claimed' && createdAt.getTime() > now().getTime() - claimedForMs
  }

  /** Answers a payment that was claimed before; null: it was used for something else altogether. */
  async function again(visit: Visit, first: ClaimedPayment | null): Promise<Admission> {
    if (!first || !isOf(first, visit)) return { kind: 'conflict' }
    const { key, network, payer, state, txHash, status, body, priceUsdcBase } = first
    const { createdAt: claimedAt } = first
    if (state === 'settled' && txHash !== null) {
      const payment = { key, claimedAt, network, payer, txHash }
      if (status === null || body === null) {
        // A claim of earlier versions has no price, so `reconcile` may have settled it for less. On
        // Solana the payment itself states its amount.
        const isEnough = priceUsdcBase !== null || network === 'solana'
        const found = isEnough
          ? null
          : await lookUp(first, visit.resource.priceUsdcBase).catch(() => 'unknown')
        if (found === 'misused') return refuse(visit.resource, misused)
        if (found === 'unknown') return { kind: 'pending', network, txHash }
        return deliverOnce(visit, payment)
      }
      return { kind: 'repeat', payment, answer: { status, body } }
    }
    return isRunning(first) ? { kind: 'settling' } : resolve(visit, first, null)
  }

  async function resolve(
    visit: Visit,
    claim: Unresolved,
    problem: string | null,
  ): Promise<Admission> {
    const { key, network, payer, createdAt: claimedAt } = claim
    const { priceUsdcBase } = visit.resource
    const outcome = await outcomeOf(claim, priceUsdcBase).catch(() => 'unknown' as const)
    if (typeof outcome === 'object') {
      return deliverOnce(visit, { key, claimedAt, network, payer, txHash: outcome.txHash })
    }
    if (outcome === 'unpaid') {
      // If another try has taken over the claim, the payment may still be settled: then its buyer
      // must not be asked to pay again.
      return (await store.release(claim))
        ? refuse(visit.resource, problem ?? 'The payment was not settled in time')
        : { kind: 'settling' }
    }
    await store.pending(claim)
    const { txHash = null } = (await store.find({ key, network, payer, txHash: null })) ?? {}
    return { kind: 'pending', network, txHash }
  }

  async function outcomeOf(claim: Unresolved, leastUsdcBase: bigint): Promise<Outcome> {
    const found = await lookUp(claim, leastUsdcBase)
    if (found === 'misused') return 'unpaid'
    // Whoever holds the authorization can still bring it on chain.
    if (found === 'unused') return claim.isOver ? 'unpaid' : 'unknown'
    return found ?? 'unknown'
  }

  /**
   * What became of a signed payment, according to the chain; null if the chain cannot be asked.
   * `leastUsdcBase` is what is owed if the claim has no price. What the claim says it was to pay
   * counts, not what is accepted now: the wallet may have been changed since.
   */
  async function lookUp(claim: Unresolved, leastUsdcBase: bigint) {
    const { key, network, payer, txHash, validBefore, createdAt: claimedAt } = claim
    const option = optionOn(network)
    const recipient = claim.recipient ?? option?.recipient
    const token = claim.token ?? option?.token
    const reader = parts.reader(network)
    if (!recipient || !token || !reader || validBefore === null) return null
    const nonce = key.slice(key.lastIndexOf(':') + 1)
    const owed = { recipient, token, usdcBase: claim.priceUsdcBase ?? leastUsdcBase }
    return reader.settlementOf({ payer, nonce, txHash, claimedAt, validBefore }, owed)
  }

  async function deliverOnce(visit: Visit, paid: Payment): Promise<Admission> {
    // What is delivered is made from the time of the claim, which another try may have taken over.
    const claimedAt = await settle({ ...paid, createdAt: paid.claimedAt })
    if (claimedAt === null) return { kind: 'conflict' }
    const payment = { ...paid, claimedAt }
    try {
      const answer = await visit.deliver(payment)
      await store.keep(payment.key, answer)
      return { kind: 'delivered', payment, answer }
    } catch (error) {
      // Another call is delivering for the same proof at this moment.
      if (error instanceof DomainError && error.reason === 'idempotency_in_progress') {
        return { kind: 'settling' }
      }
      throw error
    }
  }

  /**
   * Marks a payment as settled. Resolves to when it was claimed; null if its transfer has paid an
   * invoice: then it has bought nothing, and the claim is released.
   */
  async function settle(claim: Claim & Pick<Payment, 'txHash'>): Promise<Date | null> {
    const claimedAt = await store.settled(claim.key, claim.txHash)
    if (claimedAt === null) await store.release(claim)
    return claimedAt
  }

  function refuse(resource: Resource, problem: string): Admission {
    return { kind: 'refused', demand: demand(resource, problem) }
  }

  async function reconcile(): Promise<number> {
    const madeBefore = new Date(now().getTime() - claimedForMs)
    const open = await store.open({ after: looked, madeBefore }, openAtOnce)
    looked = open.length < openAtOnce ? null : (open.at(-1) ?? null)
    // A payment that cannot be looked up does not hold up the others, but its error is reported.
    const done = await Promise.allSettled(open.map(reconcileOne))
    const failed = done.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return done.filter((one) => one.status === 'fulfilled' && one.value).length
  }

  async function reconcileOne(claim: ClaimedPayment): Promise<boolean> {
    const outcome = await outcomeOf(claim, parts.leastUsdcBase)
    if (typeof outcome === 'object') await settle({ ...claim, txHash: outcome.txHash })
    else if (outcome === 'unpaid') await store.release(claim)
    return outcome !== 'unknown'
  }

  return { demand, admit, reconcile }
}

/** What a claim stores of the request it was made for, and of what was to be paid. */
function named({ resource, requestHash, proofHash }: Visit, { recipient, token }: PayOption) {
  return { proofHash, requestHash, priceUsdcBase: resource.priceUsdcBase, recipient, token }
}

/** Whether a payment was claimed by the same proof for the same request. */
function isOf(claim: ClaimedPayment, { proofHash, requestHash }: Visit): boolean {
  return claim.proofHash === proofHash && claim.requestHash === requestHash
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

type Outcome = { readonly txHash: string } | 'unpaid' | 'unknown'

/** A claim without an outcome. `isOver`: nothing that could still pay was or is being sent. */
type Unresolved = Pick<
  ClaimedPayment,
  | 'key'
  | 'network'
  | 'payer'
  | 'txHash'
  | 'validBefore'
  | 'createdAt'
  | 'priceUsdcBase'
  | 'recipient'
  | 'token'
> & {
  readonly isOver?: boolean
}
