import {
  type Agent,
  type Budget,
  type Reservation,
  remainingMinor,
  reservedMinor,
} from './count.ts'
import type { Period } from './period.ts'

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

/** In minor units; null without a budget. */
export type Usage = {
  readonly agentId: string
  readonly requested: number
  readonly limit: number | null
  readonly spent: number
  readonly reserved: number
  readonly remaining: number | null
  readonly currency: string | null
  readonly periodEnd: string | null
}

export type Allowance = Usage & { readonly allowed: true }

/** `reservationId` is null without a budget. */
export type Reserved = Allowance & {
  readonly reservationId: string | null
  readonly expiresAt: string | null
}

/** A closed reservation, and the budget afterwards. */
export type Closed = BudgetRecord & {
  readonly reservationId: string
  readonly amount: number
  readonly status: 'committed' | 'released'
}

/** `currency` null: that of the budget. */
export type Wish = { readonly amountMinor: bigint; readonly currency: string | null }

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

export function usageOf({ agentId, budget }: Agent, wish: Wish): Usage {
  const requested = exact(wish.amountMinor)
  if (!budget) return { agentId, requested, ...nothingCounted, currency: wish.currency }
  const { limit, spent, reserved, remaining, currency, periodEnd } = recordOf(agentId, budget)
  return { agentId, requested, limit, spent, reserved, remaining, currency, periodEnd }
}

/** `made` is null where the agent has no budget. */
export function reservedOf(agent: Agent, wish: Wish, made: Reservation | null): Reserved {
  return {
    allowed: true,
    ...usageOf(agent, wish),
    reservationId: made?.id ?? null,
    expiresAt: made?.expiresAt ?? null,
  }
}

export function closedOf(
  agentId: string,
  budget: Budget,
  { id, amountMinor }: Reservation,
  status: Closed['status'],
): Closed {
  return { reservationId: id, amount: exact(amountMinor), status, ...recordOf(agentId, budget) }
}

const nothingCounted = { limit: null, spent: 0, reserved: 0, remaining: null, periodEnd: null }

/** Amounts and limits do not exceed `maxUnits`: a JSON number holds them exactly. */
function exact(minor: bigint): number {
  return Number(minor)
}
