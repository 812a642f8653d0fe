import { type Period, type Span, spanAt } from './period.ts'

/** Amounts are in minor units of `currency`. */
export type Terms = {
  readonly limitMinor: bigint
  readonly period: Period
  readonly currency: string
  /** null: whatever remains of the limit. */
  readonly perTransactionMinor: bigint | null
  readonly active: boolean
}

export type Reservation = {
  readonly id: string
  readonly amountMinor: bigint
  readonly periodNumber: number
  readonly expiresAt: string
  readonly state: 'held' | 'committed' | 'released' | 'expired'
}

/** The sum of the reservations that expire in one second: at most about 60 exist. */
export type Hold = { readonly expiresAt: string; readonly amountMinor: bigint }

export type Budget = {
  readonly terms: Terms
  /** Increases when counting restarts. A reservation counts only in its own period. */
  readonly periodNumber: number
  readonly span: Span
  readonly spentMinor: bigint
  readonly holds: readonly Hold[]
  /** The sum of what is held for purchases until the chain shows their payments. */
  readonly heldMinor: bigint
}

/** `version` counts the events and guards the next commit. */
export type Agent = {
  readonly accountId: string
  readonly agentId: string
  readonly version: number
  readonly budget: Budget | null
}

/** The agent at `now`: in the current period, without expired holds. */
export function at(agent: Agent, now: Date): Agent {
  return agent.budget ? { ...agent, budget: passTime(agent.budget, now) } : agent
}

/** A new budget period of `terms`, with nothing spent or held. */
export function fresh(terms: Terms, periodNumber: number, now: Date): Budget {
  return {
    terms,
    periodNumber,
    span: spanAt(terms.period, now),
    spentMinor: 0n,
    holds: [],
    heldMinor: 0n,
  }
}

/** The sum of all open reservations and of what purchases hold, in minor units. */
export function reservedMinor({ holds, heldMinor }: Budget): bigint {
  return holds.reduce((sum, { amountMinor }) => sum + amountMinor, heldMinor)
}

/** In minor units; 0 where the limit was lowered below what is spent. */
export function remainingMinor(budget: Budget): bigint {
  const left = budget.terms.limitMinor - budget.spentMinor - reservedMinor(budget)
  return left > 0n ? left : 0n
}

/** Whether the budget holds anything that expires at `expiresAt`. */
export function isHolding({ holds }: Budget, expiresAt: string): boolean {
  return holds.some((held) => held.expiresAt === expiresAt)
}

/** The budget after a reservation is made. */
export function hold(budget: Budget, { expiresAt, amountMinor }: Reservation): Budget {
  if (isHolding(budget, expiresAt)) return holdMore(budget, expiresAt, amountMinor)
  return { ...budget, holds: [...budget.holds, { expiresAt, amountMinor }] }
}

/** An expired reservation leaves nothing to free. */
export function free(budget: Budget, { expiresAt, amountMinor }: Reservation): Budget {
  const { holds } = holdMore(budget, expiresAt, -amountMinor)
  return { ...budget, holds: holds.filter((held) => held.amountMinor > 0n) }
}

/** The budget after a reservation's amount is spent. */
export function spend(budget: Budget, { amountMinor }: Reservation): Budget {
  return { ...budget, spentMinor: budget.spentMinor + amountMinor }
}

function holdMore(budget: Budget, expiresAt: string, moreMinor: bigint): Budget {
  const holds = budget.holds.map((held) =>
    held.expiresAt === expiresAt ? { expiresAt, amountMinor: held.amountMinor + moreMinor } : held,
  )
  return { ...budget, holds }
}

function passTime(budget: Budget, now: Date): Budget {
  const instant = now.toISOString()
  const { terms, periodNumber, span, holds } = budget
  if (span.end !== null && span.end <= instant) return fresh(terms, periodNumber + 1, now)
  return { ...budget, holds: holds.filter(({ expiresAt }) => expiresAt > instant) }
}
