import { type Period, type Span, spanAt } from './budget-period.ts'

/** What the owner of a budget decides. Amounts are in minor units of `currency`. */
export type Terms = {
  readonly limitMinor: bigint
  readonly period: Period
  readonly currency: string
  /** The most that one spending may be; null: as much as the limit leaves. */
  readonly perTransactionMinor: bigint | null
  /** False: the agent may spend nothing, whatever is left. */
  readonly active: boolean
}

/** Money promised to one spending. Held until it is committed (spent), released, or runs out. */
export type Reservation = {
  readonly id: string
  readonly amountMinor: bigint
  readonly periodNumber: number
  readonly expiresAt: string
  readonly state: 'held' | 'committed' | 'released' | 'expired'
}

/** The reservations that run out at one moment, as one sum: there are never more than about sixty, however busy an agent is. */
export type Hold = { readonly expiresAt: string; readonly amountMinor: bigint }

/** A budget and what has been counted against it in the running period. */
export type Budget = {
  readonly terms: Terms
  /** Rises whenever counting starts anew; a reservation counts in the period it was made in, and in no other. */
  readonly periodNumber: number
  readonly span: Span
  readonly spentMinor: bigint
  readonly holds: readonly Hold[]
}

/** An agent of an account. `version` counts the events so far and guards the next commit; a budget of null was never set. */
export type Agent = {
  readonly accountId: string
  readonly agentId: string
  readonly version: number
  readonly budget: Budget | null
}

/** The agent as the passing of time leaves it: a period that is over has made room for the next, and holds that ran out are gone. */
export function at(agent: Agent, now: Date): Agent {
  return agent.budget ? { ...agent, budget: passTime(agent.budget, now) } : agent
}

/** A budget of which nothing has been counted. */
export function fresh(terms: Terms, periodNumber: number, now: Date): Budget {
  return { terms, periodNumber, span: spanAt(terms.period, now), spentMinor: 0n, holds: [] }
}

/** What is promised to reservations that are still open. */
export function reservedMinor({ holds }: Budget): bigint {
  return holds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
}

/** What may still be spent; never below zero, though a limit may be lowered beneath what has been spent. */
export function remainingMinor(budget: Budget): bigint {
  const left = budget.terms.limitMinor - budget.spentMinor - reservedMinor(budget)
  return left > 0n ? left : 0n
}

/** Whether anything is still held until then. */
export function isHolding({ holds }: Budget, expiresAt: string): boolean {
  return holds.some((held) => held.expiresAt === expiresAt)
}

/** The budget once a reservation is made. */
export function hold(budget: Budget, { expiresAt, amountMinor }: Reservation): Budget {
  if (isHolding(budget, expiresAt)) return holdMore(budget, expiresAt, amountMinor)
  return { ...budget, holds: [...budget.holds, { expiresAt, amountMinor }] }
}

/** The budget once a reservation is not held any more; of what has run out there is nothing to free. */
export function free(budget: Budget, { expiresAt, amountMinor }: Reservation): Budget {
  const { holds } = holdMore(budget, expiresAt, -amountMinor)
  return { ...budget, holds: holds.filter((held) => held.amountMinor > 0n) }
}

/** The budget once a reservation's amount is spent. */
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
