import {
  type Agent,
  type Budget,
  type Reservation,
  remainingMinor,
  reservedMinor,
} from './count.ts'

/** A budget as callers read it, in minor units of `currency`; contract §7. */
export type BudgetRecord = ReturnType<typeof recordOf>

/** The answer to a check that was allowed. */
export type Allowance = ReturnType<typeof usageOf> & { readonly allowed: true }

/** A closed reservation, and the budget afterwards. */
export type Closed = ReturnType<typeof closedOf>

/** `currency` null: that of the budget. */
export type Wish = { readonly amountMinor: bigint; readonly currency: string | null }

/** The record of an agent's budget, as callers read it. */
export function recordOf(agentId: string, budget: Budget) {
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

/** In minor units; null without a budget. */
export function usageOf({ agentId, budget }: Agent, wish: Wish) {
  const requested = exact(wish.amountMinor)
  const { limit, spent, reserved, remaining, currency, periodEnd } = budget
    ? recordOf(agentId, budget)
    : { ...nothingCounted, currency: wish.currency }
  return { agentId, requested, limit, spent, reserved, remaining, currency, periodEnd }
}

/** `made` is null where the agent has no budget. */
export function reservedOf(agent: Agent, wish: Wish, made: Reservation | null) {
  return {
    allowed: true as const,
    ...usageOf(agent, wish),
    reservationId: made?.id ?? null,
    expiresAt: made?.expiresAt ?? null,
  }
}

/** The answer after a reservation was committed or released. */
export function closedOf(
  agentId: string,
  budget: Budget,
  { id, amountMinor }: Reservation,
  status: 'committed' | 'released',
) {
  return { reservationId: id, amount: exact(amountMinor), status, ...recordOf(agentId, budget) }
}

const nothingCounted = { limit: null, spent: 0, reserved: 0, remaining: null, periodEnd: null }

/** Amounts and limits do not exceed `maxUnits`: a JSON number holds them exactly. */
function exact(minor: bigint): number {
  return Number(minor)
}
