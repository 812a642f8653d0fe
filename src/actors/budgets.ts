import type { By } from '../domain/accounts/audit.ts'
import * as Budget from '../domain/budgets/budget.ts'
import { type Agent, at, type Reservation } from '../domain/budgets/count.ts'
import * as View from '../domain/budgets/view.ts'
import { DomainError, hasReason, noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/id.ts'
import type { Change, Outcome, Read } from '../storage/budgets/budgets.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Idempotency, Once, Replay } from './once.ts'
import { createActors } from './runtime.ts'

export type Wanted = View.Wish & { readonly agentId: string }

/** One page of agents, ordered by name; `after` is the last name of the previous page. */
export type Page = { readonly after: string | null; readonly limit: number }

export type Listed = {
  readonly budgets: readonly View.BudgetRecord[]
  /** Whether more agents follow. */
  readonly hasMore: boolean
}

export type Budgets = {
  /**
   * Sets the terms in `change`; see `Budget.Change`. Errors: `invalid_request` for a new budget
   * without a limit, `invalid_state` for another currency while amounts are reserved.
   */
  set(
    accountId: string,
    agentId: string,
    change: Budget.Change,
    by?: By,
  ): Promise<View.BudgetRecord>
  /** The budget of an agent. Errors: `not_found`. */
  get(accountId: string, agentId: string): Promise<View.BudgetRecord>
  /** The budgets of an account's agents, ordered by name, after `after` (null: from the first). */
  list(accountId: string, page: Page): Promise<Listed>
  /**
   * Whether the agent could spend this now; reserves nothing. Errors: `budget_exceeded`,
   * `invalid_request` for another currency.
   */
  check(accountId: string, wanted: Wanted): Promise<View.Allowance>
  /** Checks like `check`, and reserves the amount for 60 s. Errors as of `check`. */
  reserve(
    accountId: string,
    wanted: Wanted,
    idempotency: Idempotency | null,
  ): Promise<{ readonly kind: 'reserved'; readonly reserved: View.Reserved } | Replay>
  /**
   * Spends a reservation; repeating it changes nothing. Errors: `not_found`; `invalid_state` once
   * it has expired or was released.
   */
  commit(accountId: string, reservationId: string): Promise<View.Closed>
  /**
   * Frees a reservation; repeating it changes nothing. Errors: `not_found`; `invalid_state` once it
   * was committed.
   */
  release(accountId: string, reservationId: string): Promise<View.Closed>
  drain(): Promise<void>
}

type Options = {
  readonly store: {
    load(accountId: string, agentId: string): Promise<Read>
    loadPage(accountId: string, page: Page): Promise<readonly Read[]>
    findReservation(
      accountId: string,
      id: string,
    ): Promise<(Reservation & { readonly agentId: string }) | null>
  }
  readonly commits: GroupCommit<Change, Outcome>
  readonly once: Once
  readonly now: () => Date
  readonly newId: () => string
}

/** What is stored with an event: the idempotency key of its command, and the caller. */
type Beside = { readonly idempotency: Idempotency | null; readonly by: By | null }
type Submission = Beside & { readonly command: Budget.Command }
type Happened = Beside & { readonly event: Budget.Event }

/** An agent in memory. */
type Kept = {
  readonly agent: Agent
  /**
   * How far this process's clock was ahead of PostgreSQL's when the agent was read; too much by up
   * to `waitedMs`. Never too little: that would put what happens into the future.
   */
  readonly aheadMs: number
  /** How long the read took. */
  readonly waitedMs: number
  /** The reservation made by the last command. */
  readonly made: Reservation | null
}

// A mailbox serves one agent: it must hold a burst of one customer's requests.
const limits = { maxMailbox: 1_024, maxResident: 10_000, idleMs: 60_000 }
// An actor's id is the account's id followed by the agent's.
const uuidLength = 36
// Time for another process to read an agent and write it.
const courtesyMs = 5
// As long as an agent stays in memory, its reservations end too early by up to this.
const maxWaitedMs = 500

/** The budget actors, one per agent of an account. */
export function createBudgets({ store, commits, once, now, newId }: Options): Budgets {
  const actors = createActors<Kept, Submission, Happened>(
    {
      async load(id) {
        const askedMs = now().getTime()
        const { agent, at } = await store.load(id.slice(0, uuidLength), id.slice(uuidLength))
        const readMs = now().getTime()
        return { agent, aheadMs: readMs - at.getTime(), waitedMs: readMs - askedMs, made: null }
      },
      decide: (kept, { command, ...beside }, now) =>
        Budget.decide((kept as Kept).agent, command, storedTime(kept as Kept, now)).map(
          (event) => ({ event, ...beside }),
        ),
      evolve: (kept, happened, now) => after(kept as Kept, happened, now),
      async commit({ before, after, events }) {
        const change = changeOf(after, events, storedTime(before, now()))
        const outcome = await commits.submit(before.agent.accountId, change)
        if (outcome === 'closed')
          throw new DomainError('invalid_state', 'The reservation has just been closed')
        // The winner already has the new state and would win every race, so it pauses to let a
        // process that lost read and write.
        if (outcome === 'contended') await Bun.sleep(courtesyMs)
        return outcome !== 'stale'
      },
      mayKeep: ({ waitedMs }) => waitedMs <= maxWaitedMs,
    },
    { now, ...limits },
  )

  function execute(
    accountId: string,
    agentId: string,
    command: Budget.Command,
    { idempotency = null, by = null }: Partial<Beside> = {},
  ): Promise<Kept> {
    return actors.execute(accountId + agentId, { command, idempotency, by })
  }

  async function reserve(accountId: string, wish: Wanted, idempotency: Idempotency | null) {
    const command: Budget.Command = { kind: 'reserve', wish, id: newId() }
    const { agent, made } = await execute(accountId, wish.agentId, command, { idempotency })
    return { kind: 'reserved' as const, reserved: View.reservedOf(agent, wish, made) }
  }

  async function close(
    accountId: string,
    id: string,
    as: 'committed' | 'released',
  ): Promise<View.Closed> {
    const reservation = isUuid(id) ? await store.findReservation(accountId, id) : null
    if (!reservation) throw noSuch('reservation')
    const { agentId } = reservation
    const kept = await execute(accountId, agentId, { kind: 'close', reservation, as })
    const { budget } = at(kept.agent, storedTime(kept, now()))
    if (!budget) throw new Error('a reservation without a budget')
    return View.closedOf(agentId, budget, reservation, as)
  }

  /**
   * Retries once after `invalid_state`: another request may have closed the reservation after it
   * was read here.
   */
  async function closeSurely(accountId: string, id: string, as: 'committed' | 'released') {
    try {
      return await close(accountId, id, as)
    } catch (error) {
      if (hasReason(error, 'invalid_state')) return close(accountId, id, as)
      throw error
    }
  }

  async function look(accountId: string, agentId: string): Promise<Agent> {
    return asRead(await store.load(accountId, agentId))
  }

  return {
    async set(accountId, agentId, change, by) {
      const { agent } = await execute(
        accountId,
        agentId,
        { kind: 'set', change },
        { by: by ?? null },
      )
      return recordOf(agent)
    },
    get: async (accountId, agentId) => recordOf(await look(accountId, agentId)),
    async list(accountId, { after, limit }) {
      const reads = await store.loadPage(accountId, { after, limit: limit + 1 })
      const budgets = reads.slice(0, limit).map((read) => recordOf(asRead(read)))
      return { budgets, hasMore: reads.length > limit }
    },
    async check(accountId, wanted) {
      const agent = await look(accountId, wanted.agentId)
      Budget.admit(agent, wanted)
      return { allowed: true, ...View.standingOf(agent, wanted) }
    },
    reserve: (accountId, wanted, idempotency) =>
      once.unlessAnswered(accountId, idempotency, () => reserve(accountId, wanted, idempotency)),
    commit: (accountId, id) => closeSurely(accountId, id, 'committed'),
    release: (accountId, id) => closeSurely(accountId, id, 'released'),
    async drain() {
      await actors.drain()
      await commits.drain()
    },
  }
}

/**
 * PostgreSQL's time at this process's time `at`: machines whose clocks differ must agree on what is
 * held, and in which period.
 */
function storedTime({ aheadMs }: Kept, at: Date): Date {
  return new Date(at.getTime() - aheadMs)
}

/** The agent as of the time it was read. */
function asRead({ agent, at: readAt }: Read): Agent {
  return at(agent, readAt)
}

/** The state in memory after events that happened at `now` by this process's clock. */
function after(kept: Kept, happened: readonly Happened[], now: Date): Kept {
  const events = happened.map(({ event }) => event)
  const [event] = events
  return {
    ...kept,
    agent: Budget.evolve(kept.agent, events, storedTime(kept, now)),
    made: event?.type === 'held' ? event.reservation : null,
  }
}

function recordOf({ agentId, budget }: Agent): View.BudgetRecord {
  if (!budget) throw new DomainError('not_found', 'This agent has no budget')
  return View.recordOf(agentId, budget)
}

/** The commit for the event that led to `agent`. */
function changeOf({ agent, made }: Kept, [happened]: readonly Happened[], at: Date): Change {
  if (!happened || !agent.budget) throw new Error('a commit without an event or without a budget')
  const { event, idempotency, by } = happened
  const answer = made && View.reservedOf(agent, { ...made, currency: null }, made)
  return {
    after: { ...agent, budget: agent.budget },
    held: made,
    closed:
      event.type === 'committed' || event.type === 'released'
        ? { id: event.reservation.id, as: event.type }
        : null,
    idempotency: idempotency && {
      ...idempotency,
      body: idempotency.wrap(JSON.stringify(answer)),
    },
    by,
    at,
  }
}
