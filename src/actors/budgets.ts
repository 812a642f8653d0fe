import type { By } from '../domain/accounts/account.ts'
import * as Budget from '../domain/budgets/budget.ts'
import { type Agent, at, type Reservation } from '../domain/budgets/count.ts'
import * as View from '../domain/budgets/view.ts'
import { DomainError, hasReason, noSuch } from '../domain/error.ts'
import { isUuid } from '../domain/id.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import * as Rows from '../storage/budgets/budgets.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Live } from './live.ts'
import type { Once } from './once.ts'
import { createActors } from './runtime.ts'

export type Budgets = ReturnType<typeof createBudgets>

export type Wanted = View.Wish & { readonly agentId: string }

/** One page of agents, ordered by name; `after` is the last name of the previous page. */
export type Page = { readonly after: string | null; readonly limit: number }

type Parts = {
  readonly sql: Sql
  /** Each runs one statement at a time. */
  readonly lanes: readonly Sql[]
  readonly once: Once
  readonly metrics: Pick<Metrics, 'batches'>
  readonly live: Pick<Live, 'touched'>
  readonly now: () => Date
  readonly newId: () => string
}

/** What is stored with an event: the idempotency key of its command, and the caller. */
type Beside = { readonly idempotency: Idempotency | null; readonly by: By | null }
type Submission = Beside & { readonly command: Budget.Command }
type Happened = Beside & { readonly event: Budget.Event }

type Kept = {
  readonly agent: Agent
  /**
   * How far this process's clock was ahead of PostgreSQL's at the read. Up to `waitedMs`, the time
   * the read took, too much; never too little, which would date events in the future.
   */
  readonly aheadMs: number
  readonly waitedMs: number
  /** The reservation made by the last command. */
  readonly made: Reservation | null
}

const limits = { maxMailbox: 1_024, maxResident: 10_000, idleMs: 60_000 }
// An actor's id is the account's id followed by the agent's.
const uuidLength = 36
// Time for another process to read an agent and write it.
const courtesyMs = 5
// As long as an agent stays in memory, its reservations end too early by up to this.
const maxWaitedMs = 500

export function createBudgets(parts: Parts) {
  const { sql, once, now, newId } = parts
  const commits = commitsOf(parts)
  const actors = mailboxes(parts, commits)

  function execute(
    accountId: string,
    agentId: string,
    command: Budget.Command,
    { idempotency = null, by = null }: Partial<Beside> = {},
  ): Promise<Kept> {
    return actors.execute(accountId + agentId, { command, idempotency, by })
  }

  /**
   * Sets the terms in `change`. Errors: `invalid_request` for a new budget without a limit,
   * `invalid_state` for another currency while amounts are reserved.
   */
  async function set(
    accountId: string,
    agentId: string,
    change: Budget.Change,
    by: By | null = null,
  ): Promise<View.BudgetRecord> {
    const { agent } = await execute(accountId, agentId, { kind: 'set', change }, { by })
    return recordOf(agent)
  }

  /** Errors: `not_found`. */
  async function get(accountId: string, agentId: string): Promise<View.BudgetRecord> {
    return recordOf(asRead(await Rows.loadAgent(sql, accountId, agentId)))
  }

  async function list(accountId: string, { after, limit }: Page) {
    const reads = await Rows.loadPage(sql, accountId, { after, limit: limit + 1 })
    const budgets = reads.slice(0, limit).map((read) => recordOf(asRead(read)))
    return { budgets, hasMore: reads.length > limit }
  }

  /**
   * Whether the agent could spend this now; reserves nothing. Errors: `budget_exceeded`,
   * `invalid_request` for another currency.
   */
  async function check(accountId: string, wanted: Wanted): Promise<View.Allowance> {
    const agent = asRead(await Rows.loadAgent(sql, accountId, wanted.agentId))
    Budget.admit(agent, wanted)
    return { allowed: true, ...View.usageOf(agent, wanted) }
  }

  /** Checks like `check`, and reserves the amount for 60 s. Errors as of `check`. */
  function reserve(accountId: string, wanted: Wanted, idempotency: Idempotency | null) {
    return once.unlessUsed(accountId, idempotency, async () => {
      const command: Budget.Command = { kind: 'reserve', wish: wanted, id: newId() }
      const { agent, made } = await execute(accountId, wanted.agentId, command, { idempotency })
      return { kind: 'reserved' as const, reserved: View.reservedOf(agent, wanted, made) }
    })
  }

  /** Spends a reservation. Errors: `not_found`; `invalid_state` once it expired or was released. */
  function commit(accountId: string, reservationId: string): Promise<View.Closed> {
    return close(accountId, reservationId, 'committed')
  }

  /** Frees a reservation. Errors: `not_found`; `invalid_state` once it was committed. */
  function release(accountId: string, reservationId: string): Promise<View.Closed> {
    return close(accountId, reservationId, 'released')
  }

  async function close(accountId: string, id: string, as: 'committed' | 'released') {
    const attempt = async () => {
      const reservation = isUuid(id) ? await Rows.findReservation(sql, accountId, id) : null
      if (!reservation) throw noSuch('reservation')
      const { agentId } = reservation
      const kept = await execute(accountId, agentId, { kind: 'close', reservation, as })
      const { budget } = at(kept.agent, storedTime(kept, now()))
      if (!budget) throw new Error('a reservation without a budget')
      return View.closedOf(agentId, budget, reservation, as)
    }
    // Another request may have closed the reservation after it was read.
    return attempt().catch((error) => {
      if (hasReason(error, 'invalid_state')) return attempt()
      throw error
    })
  }

  async function drain(): Promise<void> {
    await actors.drain()
    await commits.drain()
  }

  return { set, get, list, check, reserve, commit, release, drain }
}

function commitsOf({ lanes, metrics, live }: Parts) {
  async function flush(lane: number, changes: readonly Rows.Change[]) {
    const outcomes = await Rows.commitAll(lanes[lane] as Sql, changes)
    for (const { after } of changes) live.touched(after.accountId, 'budgets')
    return outcomes
  }
  return createGroupCommit({
    lanes: lanes.length,
    maxBatch: 256,
    maxWaiting: 4_096,
    flush: metrics.batches('budget', flush),
  })
}

function mailboxes({ sql, now }: Parts, commits: ReturnType<typeof commitsOf>) {
  return createActors<Kept, Submission, Happened>(
    {
      async load(id) {
        const askedMs = now().getTime()
        const { agent, at } = await Rows.loadAgent(
          sql,
          id.slice(0, uuidLength),
          id.slice(uuidLength),
        )
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
        // The winner has the new state and would win every race: it pauses for a process that lost.
        if (outcome === 'contended') await Bun.sleep(courtesyMs)
        return outcome !== 'stale'
      },
      mayKeep: ({ waitedMs }) => waitedMs <= maxWaitedMs,
    },
    { now, ...limits },
  )
}

/** PostgreSQL's time at this process's time `at`: machines must agree on holds and periods. */
function storedTime({ aheadMs }: Kept, at: Date): Date {
  return new Date(at.getTime() - aheadMs)
}

function asRead({ agent, at: readAt }: Rows.Read): Agent {
  return at(agent, readAt)
}

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

function changeOf({ agent, made }: Kept, [happened]: readonly Happened[], at: Date): Rows.Change {
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
    idempotency: idempotency && { ...idempotency, made: JSON.stringify(answer) },
    by,
    at,
  }
}
