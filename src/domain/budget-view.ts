import {
  type Agent,
  type Budget,
  type Reservation,
  remainingMinor,
  reservedMinor,
} from './budget-count.ts'
import type { Period } from './budget-period.ts'

/** A budget as callers read it, in minor units of `currency`; contract §7. */
export type BudgetRecord = {
  readonly agentId: string
  readonly currency: string
  readonly period: Period
  readonly periodStart: string
  readonly periodEnd: string | null
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  readonly remaining: number
  readonly perTransactionLimit: number | null
  readonly active: boolean
}

/** What a check is about and where the budget stands, in minor units. Without a budget nothing is counted: limit and remaining are null. */
export type Standing = {
  readonly agentId: string
  readonly requested: number
  readonly limit: number | null
  readonly spent: number
  readonly reserved: number
  readonly remaining: number | null
  readonly currency: string | null
  readonly periodEnd: string | null
}

/** The answer to a check that is not refused. */
export type Allowance = Standing & { readonly allowed: true }

/** The numbers include what is reserved now. Without a budget nothing is, and the id is null. */
export type Reserved = Allowance & {
  readonly reservationId: string | null
  readonly expiresAt: string | null
}

/** A reservation as it was closed, and the budget afterwards. */
export type Closed = BudgetRecord & {
  readonly reservationId: string
  readonly amount: number
  readonly status: 'committed' | 'released'
}

/** What somebody wants to spend; a currency of null is that of the budget. */
export type Wish = { readonly amountMinor: bigint; readonly currency: string | null }

/** The record of an agent's budget. */
export function recordOf(agentId: string, budget: Budget): BudgetRecord {
  const { terms, span } = budget
  return {
    agentId,
    currency: terms.currency,
    period: terms.period,
    periodStart: span.start,
    periodEnd: span.end,
    limit: exact(terms.limitMinor),
    spent: exact(budget.spentMinor),
    reserved: exact(reservedMinor(budget)),
    remaining: exact(remainingMinor(budget)),
    perTransactionLimit:
      terms.perTransactionMinor === null ? null : exact(terms.perTransactionMinor),
    active: terms.active,
  }
}

/** Where an agent stands as somebody wants to spend, or after a reservation for it. */
export function standingOf({ agentId, budget }: Agent, wish: Wish): Standing {
  const requested = exact(wish.amountMinor)
  if (!budget) return { agentId, requested, ...nothingCounted, currency: wish.currency }
  const { limit, spent, reserved, remaining, currency, periodEnd } = recordOf(agentId, budget)
  return { agentId, requested, limit, spent, reserved, remaining, currency, periodEnd }
}

/** Where an agent stands once a reservation is made; null where there is no budget to hold anything of. */
export function reservedOf(agent: Agent, wish: Wish, made: Reservation | null): Reserved {
  return {
    allowed: true,
    ...standingOf(agent, wish),
    reservationId: made?.id ?? null,
    expiresAt: made?.expiresAt ?? null,
  }
}

/** What became of a reservation. */
export function closedOf(
  agentId: string,
  budget: Budget,
  { id, amountMinor }: Reservation,
  status: Closed['status'],
): Closed {
  return { reservationId: id, amount: exact(amountMinor), status, ...recordOf(agentId, budget) }
}

const nothingCounted = { limit: null, spent: 0, reserved: 0, remaining: null, periodEnd: null }

/** No amount is above `maxUnits`, and neither is a sum that stays under a limit, so a JSON number holds each exactly. */
function exact(minor: bigint): number {
  return Number(minor)
}
