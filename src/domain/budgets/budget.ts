import { DomainError, invalidField, invalidFields, noSuch } from '../error.ts'
import {
  type Agent,
  at,
  type Budget,
  free,
  fresh,
  hold,
  isHolding,
  type Reservation,
  remainingMinor,
  spend,
  type Terms,
} from './count.ts'
import { spanAt } from './period.ts'
import { recordOf, usageOf, type Wish } from './view.ts'

/** What is absent keeps its value, or takes the default in a new budget. */
export type Change = Partial<Terms>

export type Command =
  | { readonly kind: 'set'; readonly change: Change }
  | { readonly kind: 'reserve'; readonly id: string; readonly wish: Wish }
  | {
      readonly kind: 'close'
      readonly reservation: Reservation
      readonly as: 'committed' | 'released'
    }

export type Event =
  | { readonly type: 'set'; readonly terms: Terms }
  | {
      readonly type: 'held' | 'committed' | 'released'
      readonly reservation: Reservation
    }

const defaults = {
  period: 'month',
  currency: 'USD',
  perTransactionMinor: null,
  active: true,
} as const

const reservationMs = 60_000

/** A reservation expires after 60 s, rounded up to a whole second. */
export function expiryOf(now: Date): string {
  return new Date(Math.ceil((now.getTime() + reservationMs) / 1_000) * 1_000).toISOString()
}

/**
 * Errors: `budget_exceeded`, with the numbers; `invalid_request` for another currency or a new
 * budget without a limit; `invalid_state` if the reservation was closed another way, or the
 * currency is to change while amounts are reserved; `not_found` without a budget.
 */
export function decide(agent: Agent, command: Command, now: Date): readonly Event[] {
  const current = at(agent, now)
  switch (command.kind) {
    case 'set':
      return [{ type: 'set', terms: termsAfter(current.budget, command.change) }]
    case 'reserve':
      return reserve(current, command, now)
    case 'close':
      return close(current.budget, command, now)
  }
}

/** The agent after `events`, which happened at `now`. */
export function evolve(agent: Agent, events: readonly Event[], now: Date): Agent {
  const { budget } = at(agent, now)
  return {
    ...agent,
    version: agent.version + events.length,
    budget: events.reduce((state, event) => apply(state, event, now), budget),
  }
}

/** Errors as of `decide`. `agent` is as of now; without a budget it may spend anything. */
export function admit(agent: Agent, wish: Wish): void {
  const { budget } = agent
  if (!budget) return
  const { terms } = budget
  if (wish.currency !== null && wish.currency !== terms.currency)
    throw invalidField('currency', `this agent's budget is in ${terms.currency}`)
  if (!terms.active) throw exceeded(agent, budget, wish, 'inactive')
  if (terms.perTransactionMinor !== null && wish.amountMinor > terms.perTransactionMinor)
    throw exceeded(agent, budget, wish, 'perTransactionLimit')
  if (wish.amountMinor > remainingMinor(budget)) throw exceeded(agent, budget, wish, 'limit')
}

/** The agent once a purchase holds this much of its budget, if any. Errors: as of `admit`. */
export function heldFor(agent: Agent, amountMinor: bigint): Agent {
  const { budget } = agent
  if (!budget) return agent
  admit(agent, { amountMinor, currency: null })
  const held = { ...budget, heldMinor: budget.heldMinor + amountMinor }
  return { ...agent, version: agent.version + 1, budget: held }
}

function termsAfter(budget: Budget | null, change: Change): Terms {
  const limitMinor = change.limitMinor ?? budget?.terms.limitMinor
  if (limitMinor === undefined) throw invalidField('limit', 'is required for a new budget')
  const terms = { ...defaults, ...budget?.terms, ...change, limitMinor }
  if (budget && terms.currency !== budget.terms.currency) requireNewLimits(budget, change)
  return terms
}

/** The old limits count units of the old currency. */
function requireNewLimits({ terms, holds, heldMinor }: Budget, change: Change): void {
  const missing = [
    ...(change.limitMinor === undefined ? ['limit'] : []),
    ...(change.perTransactionMinor === undefined && terms.perTransactionMinor !== null
      ? ['perTransactionLimit']
      : []),
  ]
  if (missing.length > 0) throw invalidFields(missing, 'is required with another currency')
  if (holds.length > 0 || heldMinor > 0n)
    throw new DomainError('invalid_state', 'The currency cannot change while amounts are reserved')
}

function reserve(
  agent: Agent,
  { id, wish }: Extract<Command, { kind: 'reserve' }>,
  now: Date,
): readonly Event[] {
  if (!agent.budget) return []
  admit(agent, wish)
  const { amountMinor } = wish
  const { periodNumber } = agent.budget
  const expiresAt = expiryOf(now)
  return [
    { type: 'held', reservation: { id, amountMinor, periodNumber, expiresAt, state: 'held' } },
  ]
}

function close(
  budget: Budget | null,
  { reservation, as }: Extract<Command, { kind: 'close' }>,
  now: Date,
): readonly Event[] {
  const { state } = reservation
  // After the reservation has expired, nothing is held.
  if (state === as || (state === 'expired' && as === 'released')) return []
  if (state !== 'held') throw closedAs(state)
  // Budgets are never removed: the agent was read before its budget was set.
  if (!budget) throw noSuch('reservation')
  if (as === 'committed' && hasRunOut(reservation, budget, now)) throw closedAs('expired')
  return [{ type: as, reservation }]
}

/** Whether it has expired, by this clock or another one. */
function hasRunOut({ periodNumber, expiresAt }: Reservation, budget: Budget, now: Date): boolean {
  const isGivenAway = budget.periodNumber === periodNumber && !isHolding(budget, expiresAt)
  return isGivenAway || expiresAt <= now.toISOString()
}

function closedAs(state: Reservation['state']): DomainError {
  return new DomainError('invalid_state', `The reservation is ${state}`)
}

function apply(budget: Budget | null, event: Event, now: Date): Budget {
  if (event.type === 'set') {
    const { terms } = event
    if (budget?.terms.currency !== terms.currency)
      return fresh(terms, (budget?.periodNumber ?? 0) + 1, now)
    // Otherwise switching the period back and forth would get round the limit.
    const isSamePeriod = budget.terms.period === terms.period
    return { ...budget, terms, span: isSamePeriod ? budget.span : spanAt(terms.period, now) }
  }
  const { reservation } = event
  if (!budget) throw new Error('a reservation without a budget')
  if (reservation.periodNumber !== budget.periodNumber) return budget
  switch (event.type) {
    case 'held':
      return hold(budget, reservation)
    case 'committed':
      return spend(free(budget, reservation), reservation)
    case 'released':
      return free(budget, reservation)
  }
}

function exceeded(
  agent: Agent,
  budget: Budget,
  wish: Wish,
  reason: 'limit' | 'perTransactionLimit' | 'inactive',
): DomainError {
  const { perTransactionLimit, spent, reserved } = recordOf(agent.agentId, budget)
  const usage = usageOf(agent, wish)
  const used = spent + reserved
  return new DomainError('budget_exceeded', messages[reason], {
    details: { term: 'amount', allowed: false, used, ...usage, perTransactionLimit, reason },
  })
}

const messages = {
  limit: 'The amount is more than the budget of this agent leaves',
  perTransactionLimit: 'The amount is more than this agent may spend at once',
  inactive: 'The budget of this agent is not active',
}
