import type { Network } from '../domain/network.ts'
import type { PayOption, SettledPayment } from '../domain/x402/paywall.ts'
import type { PaymentReader } from '../domain/x402/settlement.ts'
import type { Between, ClaimedPayment, PaymentClaim } from '../storage/x402/payments.ts'

export type ReconciliationParts = {
  /**
   * The networks on which payments are accepted. What a facilitator settles may change over time.
   */
  options(): readonly PayOption[]
  reader(network: Network): PaymentReader | undefined
  readonly store: {
    /**
     * When the payment was claimed; null if the transfer has paid an invoice, so that it buys
     * nothing.
     */
    settled(key: string, txHash: string): Promise<Date | null>
    /** False if the claim is no longer open. */
    release(claim: PaymentClaim): Promise<boolean>
    open(between: Between, limit: number): Promise<readonly ClaimedPayment[]>
  }
  /**
   * The lowest price of anything sold. It is assumed for claims that earlier versions stored
   * without a price, until their buyers return.
   */
  readonly leastUsdcBase: bigint
  /** Whether a reader has rejected so because no node has told what became of a payment. */
  isUntold(error: unknown): boolean
  /** Monotonic milliseconds. */
  steadyMs(): number
  readonly log: { warn(line: object, message: string): void }
}

/** A claim without an outcome. `isOver`: nothing that could still pay was or is being sent. */
export type Unresolved = Pick<
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

type Outcome = { readonly txHash: string } | 'unpaid' | 'unknown'

/** A claim older than this has an outcome, or the process that made it has died. */
const claimedForMs = 60_000
/** How many open payments one call of `reconcile` examines. */
const openAtOnce = 100

/** Finds what became of claimed payments on chain, and records it. */
export function createReconciliation(parts: ReconciliationParts) {
  const { store } = parts
  /** Where `reconcile` continues, so that payments that stay open do not hold up the others. */
  let looked: ClaimedPayment | null = null
  /** Until when claims are not looked up, by their names, in steady milliseconds. */
  const putOffToMs = new Map<string, number>()

  /** Resolves settlements of unknown outcome, and returns how many. */
  async function reconcile(): Promise<number> {
    const open = await store.open({ after: looked, leastAgeMs: claimedForMs }, openAtOnce)
    looked = open.length < openAtOnce ? null : (open.at(-1) ?? null)
    for (const [name, dueMs] of putOffToMs) if (dueMs <= parts.steadyMs()) putOffToMs.delete(name)
    const due = open.filter((claim) => !putOffToMs.has(nameOf(claim)))
    // A payment that cannot be looked up does not hold up the others, but its error is reported.
    const done = await Promise.allSettled(due.map(reconcileOne))
    const failed = done.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return done.filter((one) => one.status === 'fulfilled' && one.value).length
  }

  async function reconcileOne(claim: ClaimedPayment): Promise<boolean> {
    const outcome = await outcomeOf(claim, parts.leastUsdcBase).catch((err) => putOff(claim, err))
    if (typeof outcome === 'object') await markSettled({ ...claim, txHash: outcome.txHash })
    else if (outcome === 'unpaid') await store.release(claim)
    return outcome !== 'unknown'
  }

  /**
   * Puts a claim off of which no node has told, which may stay so for ever: for an eighth of its
   * age, so that it costs few looks. Throws any other error.
   */
  function putOff(claim: ClaimedPayment, err: unknown): 'unknown' {
    if (!parts.isUntold(err)) throw err
    putOffToMs.set(nameOf(claim), parts.steadyMs() + claim.ageMs / 8)
    parts.log.warn({ err, key: claim.key }, 'no node can tell what became of a payment')
    return 'unknown'
  }

  /** `leastUsdcBase` is what is owed if the claim has no price. */
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
    const option = parts.options().find((one) => one.network === network)
    const recipient = claim.recipient ?? option?.recipient
    const token = claim.token ?? option?.token
    const reader = parts.reader(network)
    if (!recipient || !token || !reader || validBefore === null) return null
    const nonce = key.slice(key.lastIndexOf(':') + 1)
    const owed = { recipient, token, usdcBase: claim.priceUsdcBase ?? leastUsdcBase }
    return reader.settlementOf({ payer, nonce, txHash, claimedAt, validBefore }, owed)
  }

  /**
   * Marks a payment as settled. Resolves to when it was claimed; null if its transfer has paid an
   * invoice: then it has bought nothing, and the claim is released.
   */
  async function markSettled(
    claim: PaymentClaim & Pick<SettledPayment, 'txHash'>,
  ): Promise<Date | null> {
    const claimedAt = await store.settled(claim.key, claim.txHash)
    if (claimedAt === null) await store.release(claim)
    return claimedAt
  }

  /** Whether the process that claimed this payment may still be settling it. */
  function isRunning({ state, ageMs }: ClaimedPayment): boolean {
    return state === 'claimed' && ageMs < claimedForMs
  }

  return { reconcile, outcomeOf, lookUp, markSettled, isRunning }
}

/** What identifies a claim: a payment that is claimed anew is another one. */
function nameOf({ key, createdAt }: PaymentClaim): string {
  return `${key} ${createdAt.getTime()}`
}
