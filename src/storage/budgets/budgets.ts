import type { By } from '../../domain/accounts/account.ts'
import type { Agent, Budget, Hold, Reservation } from '../../domain/budgets/count.ts'
import type { Period } from '../../domain/budgets/period.ts'
import { attributed } from '../accounts/audit.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import { type IdempotencyRecord, keyColumns, overOldKey } from '../postgres/idempotency.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'

/** An agent and PostgreSQL's time when it was read, which budgets go by. */
export type Read = { readonly agent: Agent; readonly at: Date }

/** An agent after one event, with the reservation that the event makes or closes. */
export type Change = {
  readonly after: Agent & { readonly budget: Budget }
  readonly held: Reservation | null
  readonly closed: { readonly id: string; readonly as: 'committed' | 'released' } | null
  readonly idempotency: IdempotencyRecord | null
  /** Null when the terms stay. */
  readonly by: By | null
  /** By the process's estimate of PostgreSQL's clock. */
  readonly at: Date
}

/**
 * The outcome of a change:
 * - `written`: stored.
 * - `contended`: stored, and another change came too late since the previous write.
 * - `stale`: not stored; the agent changed, the period is over, or `at` is not within the last ten
 *   seconds.
 * - `closed`: not stored; the reservation was no longer held.
 */
export type Outcome = 'written' | 'contended' | 'stale' | 'closed'

/** An unknown agent has no budget. */
export async function loadAgent(sql: Sql, accountId: string, agentId: string): Promise<Read> {
  const [row] = await statement<[(Row | { version: null }) & { at: Date }]>(sql)`
    select clock.at, budgets.* from (select clock_timestamp() as at) as clock
    left join budgets on account_id = ${accountId} and agent_id = ${agentId}`
  const agent =
    row.version === null ? { accountId, agentId, version: 0, budget: null } : decode(row)
  return { agent, at: row.at }
}

/** Agents that have had a budget, by name, after `after`. */
export async function loadPage(
  sql: Sql,
  accountId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly Read[]> {
  const rows = await statement<(Row & { at: Date })[]>(sql)`
    select *, clock_timestamp() as at from budgets
    where account_id = ${accountId} ${after === null ? sql`` : sql`and agent_id > ${after}`}
    order by agent_id limit ${limit}`
  return rows.map((row) => ({ agent: decode(row), at: row.at }))
}

export async function findReservation(
  sql: Sql,
  accountId: string,
  id: string,
): Promise<(Reservation & { readonly agentId: string }) | null> {
  const [row] = await statement<ReservationRow[]>(sql)`
    select id, agent_id as "agentId", amount_minor as "amountMinor", period_number as "periodNumber",
      expires_at as "expiresAt", state
    from budget_reservations where id = ${id} and account_id = ${accountId}`
  return row ? { ...row, expiresAt: row.expiresAt.toISOString() } : null
}

/**
 * Writes changes of different agents, each if its agent is as loaded, its reservation still held,
 * and it was made just now. Returns the outcomes in the order given. Rejects as a whole when an
 * idempotency key has been used.
 */
export async function commitAll(sql: Sql, changes: readonly Change[]): Promise<readonly Outcome[]> {
  const authors = changes.map(({ after: { accountId, agentId }, by }) => ({
    accountId,
    subjectId: agentId,
    by,
  }))
  const rows = await statement<{ outcome: Outcome }[]>(sql)`
    with input as materialized (select * from ${rowsOf(sql, changes, inputColumns)}),
    -- Locked in one order everywhere, here and below, against deadlocks.
    open as materialized (
      select reservation.id from budget_reservations as reservation join input on reservation.id = input.closed_id
      where reservation.state = 'held' order by reservation.id for update of reservation
    ),
    possible as materialized (
      select * from input where (closed_id is null or closed_id in (select id from open))
        -- A process whose clock is wrong could release what is held, or begin a period, too early.
        and at between clock_timestamp() - interval '10 seconds' and clock_timestamp()
        -- A count in a period that is over would be forgotten at once.
        and (period_end is null or period_end > clock_timestamp())
    ),
    written as (
      insert into budgets (account_id, agent_id, version, currency, period, limit_minor, per_transaction_minor, active,
        period_number, period_start, period_end, spent_minor, holds, held_minor, created_at, updated_at)
      select account_id, agent_id, version, currency, period, limit_minor, per_transaction_minor, active,
        period_number, period_start, period_end, spent_minor, holds, held_minor, at, at
      from possible where ${attributed(sql, authors)} order by account_id, agent_id
      on conflict (account_id, agent_id) do update set version = excluded.version, currency = excluded.currency,
        period = excluded.period, limit_minor = excluded.limit_minor, per_transaction_minor = excluded.per_transaction_minor,
        active = excluded.active, period_number = excluded.period_number, period_start = excluded.period_start,
        period_end = excluded.period_end, spent_minor = excluded.spent_minor, holds = excluded.holds, held_minor = excluded.held_minor,
        updated_at = excluded.updated_at
      where budgets.version = excluded.version - 1
      returning account_id, agent_id, contended_version = version - 1 as is_contended
    ),
    late as (
      update budgets set contended_version = budgets.version from possible left join written using (account_id, agent_id)
      where written.agent_id is null and budgets.account_id = possible.account_id and budgets.agent_id = possible.agent_id
    ),
    kept as (
      select possible.* from possible join written using (account_id, agent_id)
    ),
    held as (
      insert into budget_reservations (id, account_id, agent_id, period_number, amount_minor, state, created_at, expires_at)
      select held_id, account_id, agent_id, period_number, reserved_minor, 'held', at, expires_at from kept where held_id is not null
    ),
    closed as (
      update budget_reservations as reservation set state = closed_as, closed_at = at from kept where reservation.id = closed_id
    ),
    keys as (
      insert into idempotency_keys (account_id, route, key, request_hash, subject_id, made, created_at)
      select account_id, route, key, request_hash, held_id, made, now() from kept where key is not null
      ${overOldKey(sql)}
    )
    select case
        when input.closed_id is not null and open.id is null then 'closed'
        when written.agent_id is null then 'stale'
        when is_contended then 'contended'
        else 'written'
      end as outcome
    from input left join open on open.id = input.closed_id left join written using (account_id, agent_id)
    order by place`
  return rows.map(({ outcome }) => outcome)
}

/**
 * Counts a purchase in the budget of its agent, which is as `loadAgent` read it. No row: the budget
 * has changed, or its period is over.
 */
export function holdFor(sql: Sql, { accountId, agentId, version, budget }: Agent): Fragment {
  if (!budget) return sql`select 1`
  const { periodNumber, span, spentMinor, holds, heldMinor } = budget
  return sql`
    update budgets set version = ${version}, period_number = ${periodNumber}, period_start = ${span.start},
      period_end = ${span.end}, spent_minor = ${spentMinor}, holds = ${encodeHolds(holds)}, held_minor = ${heldMinor},
      updated_at = now()
    where account_id = ${accountId} and agent_id = ${agentId} and version = ${version - 1}
      and (${span.end}::timestamptz is null or ${span.end}::timestamptz > clock_timestamp())
    returning 1`
}

/** How the counts of an agent's budget change in a period; they may be negative. */
export type Move = {
  readonly accountId: string
  readonly agentId: string
  readonly periodNumber: number
  readonly heldMinor: bigint
  readonly spentMinor: bigint
}

/**
 * Moves what purchases count in budgets. What a period that is over has counted is forgotten, and
 * what the chain shows counts even above the limit.
 */
export function move(sql: Sql, moves: readonly Move[]): Fragment {
  const rows = rowsOf(sql, moves, {
    account_id: ['uuid', ({ accountId }) => accountId],
    agent_id: ['text', ({ agentId }) => agentId],
    period_number: ['integer', ({ periodNumber }) => periodNumber],
    held: ['bigint', ({ heldMinor }) => heldMinor],
    spent: ['bigint', ({ spentMinor }) => spentMinor],
  })
  return sql`
    update budgets set held_minor = greatest(0, held_minor + held), spent_minor = greatest(0, spent_minor + spent),
      version = version + 1, updated_at = now()
    from (
      select account_id, agent_id, period_number, sum(held)::bigint as held, sum(spent)::bigint as spent
      from ${rows} group by account_id, agent_id, period_number
    ) as moved
    where (budgets.account_id, budgets.agent_id, budgets.period_number) = (moved.account_id, moved.agent_id, moved.period_number)`
}

/** Marks expired reservations, and deletes unspent ones a day later. Returns how many rows. */
export async function sweepReservations(sql: Sql, limit: number): Promise<number> {
  const [row] = await statement<[{ count: number }]>(sql)`
    with expired as (
      update budget_reservations set state = 'expired', closed_at = now() where id in (
        select id from budget_reservations where state = 'held' and expires_at < now()
        limit ${limit} for update skip locked
      ) returning 1
    ),
    forgotten as (
      delete from budget_reservations where id in (
        select id from budget_reservations where state in ('released', 'expired') and expires_at < now() - interval '1 day'
        limit ${limit} for update skip locked
      ) returning 1
    )
    select ((select count(*) from expired) + (select count(*) from forgotten))::integer as count`
  return row.count
}

type Row = {
  account_id: string
  agent_id: string
  version: number
  currency: string
  period: Period
  limit_minor: bigint
  per_transaction_minor: bigint | null
  active: boolean
  period_number: number
  period_start: Date
  period_end: Date | null
  spent_minor: bigint
  holds: string
  held_minor: bigint
}

type ReservationRow = Omit<Reservation, 'expiresAt'> & { agentId: string; expiresAt: Date }

function decode(row: Row): Agent {
  return {
    accountId: row.account_id,
    agentId: row.agent_id,
    version: row.version,
    budget: {
      terms: {
        limitMinor: row.limit_minor,
        period: row.period,
        currency: row.currency,
        perTransactionMinor: row.per_transaction_minor,
        active: row.active,
      },
      periodNumber: row.period_number,
      span: {
        start: row.period_start.toISOString(),
        end: row.period_end?.toISOString() ?? null,
      },
      spentMinor: row.spent_minor,
      holds: decodeHolds(row.holds),
      heldMinor: row.held_minor,
    },
  }
}

const inputColumns: Columns<Change> = {
  place: ['integer', (_, place) => place],
  at: ['timestamptz', ({ at }) => at],
  account_id: ['uuid', ({ after }) => after.accountId],
  agent_id: ['text', ({ after }) => after.agentId],
  version: ['integer', ({ after }) => after.version],
  currency: ['text', ({ after }) => after.budget.terms.currency],
  period: ['text', ({ after }) => after.budget.terms.period],
  limit_minor: ['bigint', ({ after }) => after.budget.terms.limitMinor],
  per_transaction_minor: ['bigint', ({ after }) => after.budget.terms.perTransactionMinor],
  active: ['boolean', ({ after }) => after.budget.terms.active],
  period_number: ['integer', ({ after }) => after.budget.periodNumber],
  period_start: ['timestamptz', ({ after }) => after.budget.span.start],
  period_end: ['timestamptz', ({ after }) => after.budget.span.end],
  spent_minor: ['bigint', ({ after }) => after.budget.spentMinor],
  holds: ['json text', ({ after }) => encodeHolds(after.budget.holds)],
  held_minor: ['bigint', ({ after }) => after.budget.heldMinor],
  held_id: ['uuid', ({ held }) => held?.id ?? null],
  reserved_minor: ['bigint', ({ held }) => held?.amountMinor ?? null],
  expires_at: ['timestamptz', ({ held }) => held?.expiresAt ?? null],
  closed_id: ['uuid', ({ closed }) => closed?.id ?? null],
  closed_as: ['text', ({ closed }) => closed?.as ?? null],
  ...keyColumns(({ idempotency }) => idempotency),
}

function encodeHolds(holds: readonly Hold[]): string {
  return JSON.stringify(holds.map((hold) => ({ ...hold, amountMinor: `${hold.amountMinor}` })))
}

function decodeHolds(text: string): readonly Hold[] {
  const holds = JSON.parse(text) as { expiresAt: string; amountMinor: string }[]
  return holds.map((hold) => ({ ...hold, amountMinor: BigInt(hold.amountMinor) }))
}
