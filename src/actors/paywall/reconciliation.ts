import type { SettledBy } from '../../domain/x402/settlement.ts'
import { authorizationKey } from '../../domain/x402/signed-payment.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import {
  type ClaimedPayment,
  markSettled,
  openPayments,
  type PaymentClaim,
  releasePayment,
} from '../../storage/x402/payments.ts'
import { findNetwork, type Networks } from './order.ts'

export type ReconciliationParts = {
  readonly sql: Sql
  /** All networks: without a wallet now, a network may have open payments from before. */
  readonly networks: Networks
  /** After this long, a claim without an outcome belongs to a process that died. */
  readonly claimedForMs?: number
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
  | 'usdcBase'
  | 'payTo'
  | 'asset'
> & {
  readonly isOver?: boolean
}

type Outcome = SettledBy | 'unpaid' | 'unknown'

const openAtOnce = 100

export type Reconciliation = ReturnType<typeof createReconciliation>

export function createReconciliation(parts: ReconciliationParts) {
  const { sql, networks, claimedForMs = 60_000, steadyMs, log } = parts
  /** Where `reconcile` continues, so that payments that stay open do not hold up the others. */
  let continueAfter: ClaimedPayment | null = null
  const retryAtMs = new Map<string, number>()

  /** Resolves settlements of unknown outcome, and returns how many. */
  async function reconcile(): Promise<number> {
    const from = { after: continueAfter, leastAgeMs: claimedForMs }
    const open = await openPayments(sql, from, openAtOnce)
    continueAfter = open.length < openAtOnce ? null : (open.at(-1) ?? null)
    for (const [name, dueMs] of retryAtMs) if (dueMs <= steadyMs()) retryAtMs.delete(name)
    const due = open.filter((claim) => !retryAtMs.has(nameOf(claim)))
    // One failure does not hold up the others.
    const done = await Promise.allSettled(due.map(reconcileOne))
    const failed = done.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return done.filter((one) => one.status === 'fulfilled' && one.value).length
  }

  async function reconcileOne(claim: ClaimedPayment): Promise<boolean> {
    const outcome = await outcomeOf(claim).catch((err) => retryLater(claim, err))
    if (typeof outcome === 'object') await settle(claim, outcome)
    else if (outcome === 'unpaid') await releasePayment(sql, claim)
    return outcome !== 'unknown'
  }

  /** Retries after an eighth of the claim's age: perhaps no node can ever tell. */
  function retryLater(claim: ClaimedPayment, err: unknown): 'unknown' {
    retryAtMs.set(nameOf(claim), steadyMs() + claim.ageMs / 8)
    log.warn({ err, key: claim.key }, 'no node can tell what became of a payment')
    return 'unknown'
  }

  /** The outcome of a claimed payment by the chain. Rejects if no node can tell. */
  async function outcomeOf(claim: Unresolved): Promise<Outcome> {
    const { key, network, payer, txHash, validBefore, createdAt: claimedAt } = claim
    const reader = findNetwork(networks, network)?.reader
    if (!reader || validBefore === null) return 'unknown'
    const nonce = key.slice(key.lastIndexOf(':') + 1)
    const signed = { payer, nonce, txHash, claimedAt, validBefore }
    const found = await reader.settlementOf(signed, claim.asset)
    // Whoever holds the authorization can still bring it on chain.
    if (found === 'unused') return claim.isOver ? 'unpaid' : 'unknown'
    if (typeof found === 'string') return found
    const transfers = await reader.transfersTo(claim, found.txHash)
    if (transfers === null) return 'unknown'
    // Its owner may have cancelled it, or have signed it again for somebody else or for less.
    const paid = transfers.find(
      ({ usdcBase, settles }) =>
        usdcBase >= claim.usdcBase && settles.some((one) => authorizationKey(network, one) === key),
    )
    return paid ? { txHash: found.txHash, position: paid.position } : 'unpaid'
  }

  /**
   * Marks a payment as settled. Resolves to the time of its claim; null if its transfer has another
   * use, which releases the claim.
   */
  async function settle(
    claim: PaymentClaim & Pick<ClaimedPayment, 'network'>,
    by: SettledBy,
  ): Promise<Date | null> {
    const claimedAt = await markSettled(sql, claim, by)
    if (claimedAt === null) await releasePayment(sql, claim)
    return claimedAt
  }

  /** Whether the process that claimed this payment may still be settling it. */
  function isRunning({ state, ageMs }: ClaimedPayment): boolean {
    return state === 'claimed' && ageMs < claimedForMs
  }

  return { reconcile, outcomeOf, settle, isRunning }
}

/** Identifies a claim: the same payment may be claimed again later. */
function nameOf({ key, createdAt }: PaymentClaim): string {
  return `${key} ${createdAt.getTime()}`
}
