import type { Agent } from '../../domain/budgets/count.ts'
import type { Network } from '../../domain/network.ts'
import { attemptLimitMs, countedOf, type Purchase } from '../../domain/purchases/purchase.ts'
import { holdFor, type Move, move } from '../budgets/budgets.ts'
import { type Binding, bind, unbind } from '../mandates/bindings.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import {
  ago,
  array,
  type Fragment,
  type Sql,
  selfRefusal,
  statement,
  uniqueViolation,
  unlessRefused,
} from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import type { Cursor } from '../settlement/cursors.ts'
import { arePaymentsWhole, type Payments, writePayments } from '../settlement/settlements.ts'
import { type Place, type Use, unuse, use } from '../settlement/uses.ts'
import { quoteLife } from './quotes.ts'
import { changing, decode, purchasesIn, type Row } from './rows.ts'

/** A purchase as loaded, and as a command leaves it. */
export type Change = { readonly before: Purchase; readonly after: Purchase }

/** What purchases change together: their invoices, and what transfers pay. */
export type Changes = {
  readonly purchases: readonly Change[]
  readonly payments: Payments
  /** What a claim holds: of the budget, as it is afterwards, and of the mandate. */
  readonly claim?: { readonly agent: Agent | null; readonly binding: Binding | null }
  /** What the chain has shown, up to a cursor of the watcher that must not have moved. */
  readonly shown?: {
    readonly chain: Network
    readonly cursor: Cursor
    readonly used: readonly Use[]
    readonly freed: readonly Place[]
  }
}

/**
 * Commits in one statement what purchases change, and with them what budgets and mandates count.
 * False, with nothing stored: a purchase, invoice, budget or mandate has changed since it was read,
 * lacks the room, another purchase has the payment, or another use the transfer.
 */
export async function commit(sql: Sql, changes: Changes): Promise<boolean> {
  const { purchases, payments, claim, shown } = changes
  const { moves, freedMandates } = movesOf(purchases)
  const isBound = claim?.binding ? sql`and (select count(*) from bound) = 1` : sql``
  return unlessRefused(
    statement(sql)`
    with written as (${writeRows(sql, purchases)}),
    ${claim ? sql`budgeted as (${claim.agent ? holdFor(sql, claim.agent) : sql`select 1`}),` : sql``}
    ${claim?.binding ? sql`bound as (${bind(sql, [claim.binding])}),` : sql``}
    ${moves.length > 0 ? sql`moved as (${move(sql, moves)}),` : sql``}
    ${freedMandates.length > 0 ? sql`unbound as (${unbind(sql, freedMandates)}),` : sql``}
    ${shown ? usesOf(sql, shown) : sql``}
    ${writePayments(sql, payments)}
    select 1 / (
      (select count(*) from written) = ${purchases.length}
      ${claim ? sql`and (select count(*) from budgeted) = 1 ${isBound}` : sql``}
      ${shown ? sql`and (select count(*) from at_cursor) = 1 and (select count(*) from used) = ${shown.used.length}` : sql``}
      and ${arePaymentsWhole(sql, payments)}
    )::integer`,
    selfRefusal,
    uniqueViolation,
  )
}

/** A reorganisation that is noticed at the same time moves the cursor: one of both is refused. */
function usesOf(sql: Sql, { chain, cursor, used, freed }: NonNullable<Changes['shown']>): Fragment {
  return sql`
    at_cursor as (
      update cursors set version = version + 1 where chain = ${chain} and version = ${cursor.version} returning 1
    ),
    used as (${use(sql, chain, used)}),
    freed as (${unuse(sql, chain, freed)}),`
}

function movesOf(changes: readonly Change[]) {
  const moves: Move[] = []
  const freedMandates: { mandateId: string; amountMicro: bigint }[] = []
  for (const { before, after } of changes) {
    const [was, is] = [countedOf(before), countedOf(after)]
    const { accountId, agentId, mandateId, hold } = before
    // What a claim holds is held by its own guards.
    if (hold !== null && agentId !== null) {
      const heldMinor = is.heldMinor - was.heldMinor
      const spentMinor = is.spentMinor - was.spentMinor
      const { periodNumber } = hold
      if (heldMinor !== 0n || spentMinor !== 0n)
        moves.push({ accountId, agentId, periodNumber, heldMinor, spentMinor })
    }
    if (mandateId !== null && was.boundBase > is.boundBase)
      freedMandates.push({ mandateId, amountMicro: was.boundBase - is.boundBase })
  }
  return { moves, freedMandates }
}

/** Writes purchases that are still as loaded; one whose payment is open is due at once. */
function writeRows(sql: Sql, changes: readonly Change[]): Fragment {
  const afters = changes.map(({ after }) => after)
  const columns = {
    invoice_id: ['uuid', ({ invoiceId }: Purchase) => invoiceId],
    ...changing,
  } as const
  const assigned = Object.keys(changing).map((name) => `${name} = input.${name}`)
  return sql`
    update purchases set ${sql.unsafe(assigned.join(', '))},
      due_at = case
        when input.state in ('held', 'paid') then now()
        when input.state = 'replaced' then now() + ${quoteLife}::interval
        else 'infinity'
      end
    from ${rowsOf(sql, afters, columns)}
    where purchases.invoice_id = input.invoice_id and purchases.version = input.version - 1
    returning 1`
}

export async function load(sql: Sql, invoiceId: string): Promise<Purchase | null> {
  const rows = await statement<Row[]>(sql)`
    ${purchasesIn(sql)} where purchases.invoice_id = ${invoiceId}`
  return rows.map(decode)[0] ?? null
}

/** Who asks for a resource, and under which mandate. */
export type Asker = Pick<Purchase, 'accountId' | 'resource' | 'agentId' | 'mandateId'>

/** The one open quote for each of these. */
export async function findQuotes(
  sql: Sql,
  askers: readonly Asker[],
): Promise<readonly (Purchase | undefined)[]> {
  const rows = await statement<Row[]>(sql)`
    ${purchasesIn(sql)} join ${rowsOf(
      sql,
      askers,
      {
        account: ['uuid', ({ accountId }) => accountId],
        asked: ['bytea', ({ resource }) => toBytes(resource)],
        agent: ['text', ({ agentId }) => agentId ?? ''],
        mandate: ['text', ({ mandateId }) => mandateId ?? ''],
      },
      'asker',
    )} on account_id = asker.account and resource = asker.asked
      and coalesce(agent_id, '') = asker.agent and coalesce(mandate_id, '') = asker.mandate
    where state = 'quoted'`
  const found = new Map(rows.map(decode).map((quote) => [askerKey(quote), quote]))
  return askers.map((asker) => found.get(askerKey(asker)))
}

function askerKey({ accountId, resource, agentId, mandateId }: Asker): string {
  return JSON.stringify([accountId, resource, agentId, mandateId])
}

/** A payment that is sent for a resource, and the buyer's names for the purchase. */
export type Sent = Pick<Purchase, 'accountId' | 'resource'> & {
  readonly key: string
  readonly paymentId: string | null
  readonly idempotencyKey: string | null
  readonly invoiceId: string | null
  readonly agentId: string | null
}

const mostQuotes = 100

/**
 * The purchase that knows a payment, by its own key or a name of the buyer, and what can be paid
 * otherwise: quotes of this agent first, then the newest.
 */
export async function findFor(
  sql: Sql,
  sent: Sent,
): Promise<{ readonly known: Purchase | null; readonly quotes: readonly Purchase[] }> {
  const { accountId, key, paymentId, idempotencyKey, invoiceId, agentId } = sent
  const resource = toBytes(sent.resource)
  const rows = await statement<Row[]>(sql)`
    (${purchasesIn(sql)} where account_id = ${accountId} and (
        purchases.payment_key = ${key}
        or idempotency_key = ${idempotencyKey}::text and ${isKeyed(sql)}
        or resource = ${resource} and payment_id = ${paymentId}::text)
      order by idempotency_key = ${idempotencyKey}::text desc nulls last limit 1)
    union all
    (${purchasesIn(sql)} where account_id = ${accountId} and resource = ${resource} and state in ('quoted', 'replaced')
      and ${invoiceId === null ? sql`true` : sql`purchases.invoice_id = ${invoiceId}`}
      order by agent_id is not distinct from ${agentId}::text desc, purchases.invoice_id desc limit ${mostQuotes})`
  const found = rows.map(decode)
  return {
    known: found.find(({ payment }) => payment !== null) ?? null,
    quotes: found.filter(({ payment }) => payment === null),
  }
}

/** The purchase that an `Idempotency-Key` names. */
export async function findKeyed(
  sql: Sql,
  accountId: string,
  idempotencyKey: string,
): Promise<Purchase | null> {
  const rows = await statement<Row[]>(sql)`
    ${purchasesIn(sql)} where account_id = ${accountId} and idempotency_key = ${idempotencyKey} and ${isKeyed(sql)}`
  return rows.map(decode)[0] ?? null
}

/** Frees a key that was used more than 24 hours ago. */
export async function freeKey(sql: Sql, accountId: string, idempotencyKey: string): Promise<void> {
  await statement(sql)`
    update purchases set idempotency_key = null, version = version + 1
    where account_id = ${accountId} and idempotency_key = ${idempotencyKey} and not (${isKeyed(sql)})`
}

function isKeyed(sql: Sql): Fragment {
  return sql`first_forwarded_at > now() - interval '24 hours'`
}

/**
 * Due purchases on a chain whose payment is open, one of each account first, without those in
 * `looked` and attempts under way. Each is due again after an eighth of its age.
 */
export async function nextOpen(
  sql: Sql,
  chain: Network,
  limit: number,
  looked: readonly string[],
): Promise<readonly Purchase[]> {
  const isDue = sql`chain = ${chain} and due_at <= now() and state in ('held', 'paid')
    and not (is_forwarding and forwarded_at > ${ago(sql, attemptLimitMs)})
    and invoice_id <> all(${array(looked)}::uuid[])`
  const rows = await statement<Row[]>(sql)`
    with due as (
      select invoice_id, due_at, row_number() over (partition by account_id order by due_at) as turn
      from purchases where ${isDue}
    ),
    taken as (
      update purchases set due_at = now() + greatest(now() - forwarded_at, interval '1 second') / 8
      where invoice_id in (
        select invoice_id from purchases
        where invoice_id in (select invoice_id from due order by turn, due_at limit ${limit}) and ${isDue}
        for update skip locked
      )
      returning invoice_id
    )
    ${purchasesIn(sql)} where purchases.invoice_id in (select invoice_id from taken)`
  return rows.map(decode)
}

/** Purchases settled by a payment in `block` or later. */
export async function settledSince(
  sql: Sql,
  chain: Network,
  block: number,
): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    ${purchasesIn(sql)} where chain = ${chain} and state = 'settled' and settled_in >= ${block}`
  return rows.map(decode)
}

/** Purchases that nobody has paid in time, by PostgreSQL's clock. */
export async function findUnpaid(sql: Sql, limit: number): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    ${purchasesIn(sql)} where state in ('quoted', 'replaced') and due_at <= now() order by due_at limit ${limit}`
  return rows.map(decode)
}
