import { fromText, toText } from '../../domain/codec.ts'
import type { FirstUse, Idempotency } from '../../domain/idempotency.ts'
import { dueUsdcBase, owedUsdcBase } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Placed } from '../../domain/invoices/list.ts'
import { newProgress, type Progress, progress } from '../../domain/invoices/progress.ts'
import { type Kind, kindOf, type Terms, terms } from '../../domain/invoices/terms.ts'
import { type Entry, schema } from '../../domain/invoices/trail.ts'
import { boundMicro } from '../../domain/mandates/binding.ts'
import { addressKey } from '../../domain/network.ts'
import type { Purchase } from '../../domain/purchases/purchase.ts'
import { type Binding, bind, mandatesOf, type Release, release } from '../mandates/bindings.ts'
import { notifyChanges } from '../postgres/changes.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { isOver, overOldKey } from '../postgres/idempotency.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'
import { quoteRows } from '../purchases/quotes.ts'
import { announceTrail } from '../webhooks/outbox.ts'
import { addressRows } from './payment-addresses.ts'

export type Insertion = {
  readonly invoice: Invoice
  readonly binding?: Binding
  readonly quote?: Quote
  readonly idempotency: Idempotency | null
}

/** The purchase behind an invoice, and the one that no longer answers asks. */
export type Quote = { readonly purchase: Purchase; readonly replaces: string | null }

export type Inserted =
  | { readonly kind: 'created'; readonly number: number }
  | ({ readonly kind: 'used' } & FirstUse)

/** An invoice as loaded, as it is to be stored, and the events between, as `entryOf` puts them. */
export type Change = {
  readonly before: Invoice
  readonly after: Invoice
  readonly entry: Pick<Entry, 'types' | 'data'>
}

/**
 * Inserts invoices with numbers, outbox entry and idempotency keys in one statement. Returns the
 * outcomes in the order given. Rejects as a whole when any row is bad; the caller then retries one
 * by one.
 */
export async function insertAll(
  sql: Sql,
  rows: readonly Insertion[],
): Promise<readonly Inserted[]> {
  const used = await firstUses(sql, rows)
  const fresh = used.size === 0 ? rows : rows.filter((row) => !used.has(row))
  const numbers = fresh.length === 0 ? [] : await insertNumbered(sql, fresh)
  let at = 0
  return rows.map((row) => used.get(row) ?? { kind: 'created', number: numbers[at++] as number })
}

/** Numbers and places have no gaps: their counters move in the statement that inserts. */
async function insertNumbered(sql: Sql, rows: readonly Insertion[]): Promise<readonly number[]> {
  const { counters, placed } = countUp(rows)
  const invoices = rows.map(({ invoice }) => invoice)
  const bindings = rows.flatMap(({ binding }) => binding ?? [])
  const quotes = rows.flatMap(({ quote }) => quote ?? [])
  const isQuoting = quotes.length > 0
  // The statement aborts itself when a mandate does not allow its payment.
  const allBound =
    bindings.length === 0
      ? sql``
      : sql`, 1 / ((select count(*) from bound) = ${mandatesOf(bindings)})::integer as all_bound`
  const [answer] = await statement<[{ sale: number[]; purchase: number[] }]>(sql)`
    with counters as (
      insert into invoice_numbers as counter (account_id, year, last_sale, last_purchase)
      select * from ${rowsOf(sql, counters, {
        account_id: ['uuid', ({ accountId }) => accountId],
        year: ['smallint', ({ year }) => year],
        sales: ['integer', ({ sale }) => sale],
        purchases: ['integer', ({ purchase }) => purchase],
      })}
      on conflict (account_id, year) do update set last_sale = counter.last_sale + excluded.last_sale,
        last_purchase = counter.last_purchase + excluded.last_purchase
      returning account_id, year, last_sale, last_purchase
    ),
    invoice_rows as (
      insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base,
        agent_id, payer, due_at, created_at, updated_at, terms, progress)
      select id, account_id, year, is_purchase, case when is_purchase then last_purchase else last_sale end - behind,
        last_sale + last_purchase - places_behind, ${isQuoting ? sql`version, state` : sql`1, 'draft'`}, owed_base, chain, pay_to, due_base,
        agent_id, payer, due_at, created_at, created_at, terms, ${isQuoting ? sql`progress` : encodedNewProgress}
      from ${rowsOf(sql, invoices, {
        id: ['uuid', ({ id }) => id],
        account_id: ['uuid', ({ accountId }) => accountId],
        year: ['smallint', ({ year }) => year],
        is_purchase: ['boolean', ({ terms }) => kindOf(terms) === 'purchase'],
        behind: ['integer', (_, at) => placed[at]?.behind ?? 0],
        places_behind: ['integer', (_, at) => placed[at]?.placesBehind ?? 0],
        owed_base: ['bigint', owedUsdcBase],
        chain: ['text', ({ terms }) => terms.chain],
        pay_to: ['text', ({ terms }) => addressKey(terms.payTo)],
        due_base: ['bigint', dueUsdcBase],
        agent_id: ['text', ({ terms }) => terms.agentId],
        payer: ['text', ({ terms }) => terms.payer],
        due_at: ['timestamptz', ({ terms }) => terms.dueAt],
        created_at: ['timestamptz', ({ createdAt }) => createdAt],
        terms: ['json text', ({ terms }) => encodeTerms(terms)],
        ...(isQuoting && sentColumns),
      })}
      join counters using (account_id, year)
      returning id, account_id
    ),
    announced as (
      insert into outbox (subject_ids, sequences, account_ids, types)
      select array_agg(id), array_agg(1), array_agg(account_id), array_agg('invoice.created'::text) from invoice_rows
    )
    ${isQuoting ? quoteRows(sql, quotes) : sql``}
    ${addressRows(sql, invoices)}
    ${keyRows(sql, rows)}
    ${bindings.length === 0 ? sql`` : sql`, bound as (${bind(sql, bindings)})`}
    -- One row: a client takes longer to read many small rows than an array.
    select array_agg(last_sale order by at) as sale, array_agg(last_purchase order by at) as purchase${allBound}
    from counters join ${rowsOf(sql, counters, {
      account_id: ['uuid', ({ accountId }) => accountId],
      year: ['smallint', ({ year }) => year],
      at: ['integer', (_, at) => at],
    })} using (account_id, year)`
  const at = new Map(counters.map((counter, at) => [counter, at]))
  return placed.map(
    ({ kind, counter, behind }) => (answer[kind][at.get(counter) ?? 0] ?? 0) - behind,
  )
}

const sentColumns: Columns<Invoice> = {
  version: ['integer', ({ version }) => version],
  state: ['text', ({ state }) => state],
  progress: ['json text', ({ progress }) => encodeProgress(progress)],
}

/** How many of each kind of invoice a batch has, of an account and year. */
type Counter = { readonly accountId: string; readonly year: number } & Record<Kind, number>

function countUp(rows: readonly Insertion[]) {
  const known = new Map<string, Counter>()
  // From the last to the first, which counts what follows each.
  const placed = rows.toReversed().map(({ invoice: { accountId, year, terms } }) => {
    const key = accountId + year
    const counter = known.get(key) ?? { accountId, year, sale: 0, purchase: 0 }
    known.set(key, counter)
    const [kind, placesBehind] = [kindOf(terms), counter.sale + counter.purchase]
    return { counter, kind, placesBehind, behind: counter[kind]++ }
  })
  // In one order everywhere, against deadlocks.
  const counters = [...known.keys()].sort().map((key) => known.get(key) as Counter)
  return { counters, placed: placed.reverse() }
}

function keyRows(sql: Sql, rows: readonly Insertion[]) {
  const keyed = keyedOf(rows)
  if (keyed.length === 0) return sql``
  return sql`,
    keys as (
      insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
      select *, now() from ${rowsOf(sql, keyed, {
        account_id: ['uuid', ({ invoice }) => invoice.accountId],
        route: ['text', ({ idempotency }) => idempotency.route],
        key: ['text', ({ idempotency }) => idempotency.key],
        request_hash: ['bytea', ({ idempotency }) => idempotency.requestHash],
        subject_id: ['uuid', ({ invoice }) => invoice.id],
      })}
      ${overOldKey(sql)}
    )`
}

async function firstUses(
  sql: Sql,
  rows: readonly Insertion[],
): Promise<ReadonlyMap<Insertion, Inserted>> {
  const keyed = keyedOf(rows)
  if (keyed.length === 0) return new Map()
  const found = await statement<({ at: number } & FirstUse)[]>(sql)`
    select at, request_hash as "requestHash", subject_id as "subjectId", made
    from ${rowsOf(sql, keyed, {
      account_id: ['uuid', ({ invoice }) => invoice.accountId],
      route: ['text', ({ idempotency }) => idempotency.route],
      key: ['text', ({ idempotency }) => idempotency.key],
      at: ['integer', (_, at) => at],
    })}
    join idempotency_keys using (account_id, route, key) where not ${isOver(sql)}`
  return new Map(
    found.map(({ at, ...use }) => [(keyed[at] as Keyed).row, { kind: 'used', ...use }]),
  )
}

type Keyed = {
  readonly row: Insertion
  readonly invoice: Invoice
  readonly idempotency: Idempotency
}

function keyedOf(rows: readonly Insertion[]): readonly Keyed[] {
  return rows.flatMap((row) =>
    row.idempotency ? [{ row, invoice: row.invoice, idempotency: row.idempotency }] : [],
  )
}

/** Writes the changes whose invoices are still as loaded. Returns which were written. */
export async function updateAll(sql: Sql, changes: readonly Change[]): Promise<readonly boolean[]> {
  const releases = releasesOf(changes)
  const updated = await statement<{ id: string }[]>(sql)`
    with updated as (${updateRows(sql, changes)}),
    trail as (
      insert into events (subject_id, sequence, account_id, types, data, created_at, schema)
      select entry.* from ${trailEntries(sql, changes)} join updated on updated.id = entry.subject_id
      returning subject_id, sequence, account_id, types
    ),
    announced as (${announceTrail(sql)}),
    notified as (${notifyChanges(sql)})
    ${releases.length === 0 ? sql`` : sql`, released as (${release(sql, releases)})`}
    select id, (select count(*) from notified) from updated`
  const won = new Set(updated.map((row) => row.id))
  return changes.map((change) => won.has(change.after.id))
}

/**
 * Voided invoices give back what credit notes have not. Expired ones may still be paid. An unpaid
 * purchase counts nothing.
 */
function releasesOf(changes: readonly Change[]): readonly Release[] {
  return changes.flatMap(({ before, after }) => {
    const { mandateId } = after.terms
    const isVoided = after.progress.failure === 'voided' && before.progress.failure !== 'voided'
    if (mandateId === null || !isVoided || after.terms.isPurchase) return []
    return [{ invoiceId: after.id, mandateId, amountMicro: boundMicro(after) }]
  })
}

/** Updates invoices that are as loaded; returns their ids. Only purchases are amended. */
export function updateRows(sql: Sql, changes: readonly Change[]) {
  const isAmending = changes.some(({ before, after }) => before.terms !== after.terms)
  const amended = sql`terms = input.terms, chain = input.chain, pay_to = input.pay_to, agent_id = input.agent_id,`
  return sql`
    update invoices set ${isAmending ? amended : sql``} version = input.version, state = input.state, owed_base = input.owed_base, due_base = input.due_base,
      updated_at = input.updated_at, settled_at = input.settled_at, progress = input.progress
    from ${rowsOf(sql, changes, {
      id: ['uuid', ({ after }) => after.id],
      expected: ['integer', ({ before }) => before.version],
      version: ['integer', ({ after }) => after.version],
      state: ['text', ({ after }) => after.state],
      owed_base: ['bigint', ({ after }) => owedUsdcBase(after)],
      due_base: ['bigint', ({ after }) => dueUsdcBase(after)],
      updated_at: ['timestamptz', ({ after }) => after.updatedAt],
      settled_at: ['timestamptz', ({ after }) => after.progress.settlement?.settledAt ?? null],
      progress: ['json text', ({ after }) => encodeProgress(after.progress)],
      ...(isAmending && amendedColumns),
    })}
    where invoices.id = input.id and invoices.version = input.expected
    returning invoices.id`
}

const amendedColumns: Columns<Change> = {
  terms: ['json text', ({ after }) => encodeTerms(after.terms)],
  chain: ['text', ({ after }) => after.terms.chain],
  pay_to: ['text', ({ after }) => addressKey(after.terms.payTo)],
  agent_id: ['text', ({ after }) => after.terms.agentId],
}

/** The trail of several changes as rows of `events`, named `entry`. */
export function trailEntries(sql: Sql, changes: readonly Change[]) {
  return rowsOf(
    sql,
    changes,
    {
      subject_id: ['uuid', ({ after }) => after.id],
      sequence: ['integer', ({ before }) => before.version + 1],
      account_id: ['uuid', ({ after }) => after.accountId],
      types: ['text', ({ entry }) => entry.types],
      data: ['json text', ({ entry }) => entry.data],
      created_at: ['timestamptz', ({ after }) => after.updatedAt],
      schema: ['smallint', () => schema],
    },
    'entry',
  )
}

/** Of any account. */
export async function load(sql: Sql, id: string): Promise<Invoice | undefined> {
  const [invoice] = await loadMany(sql, [id])
  return invoice
}

/** Of any account, in no order; unknown ids are left out. */
export async function loadMany(sql: Sql, ids: readonly string[]): Promise<readonly Invoice[]> {
  if (ids.length === 0) return []
  const rows = await statement<Row[]>(
    sql,
  )`select ${columns(sql)} from invoices where id = any(${array(ids)}::uuid[])`
  return rows.map(decode)
}

/** The ids of some invoices of one account. */
export type Owned = { readonly accountId: string; readonly ids: readonly string[] }

/** Groups invoices by their account, in no particular order; unknown ids are left out. */
export async function ownersOf(sql: Sql, ids: readonly string[]): Promise<readonly Owned[]> {
  return statement<Owned[]>(sql)`
    select account_id as "accountId", json_agg(id) as ids from invoices where id = any(${array(ids)}::uuid[]) group by account_id`
}

/** `at`: when it was found overdue, by PostgreSQL's clock. */
export type Overdue = { readonly id: string; readonly at: Date }

/** Open invoices that are overdue, the longest overdue first. */
export async function overdue(sql: Sql, limit: number): Promise<readonly Overdue[]> {
  return statement<Overdue[]>(sql)`select id, now() as at from invoices
    where ${isOverdue(sql)} order by due_at limit ${limit}`
}

export async function findOverdue(sql: Sql, invoiceId: string): Promise<Overdue | null> {
  const [found] = await statement<Overdue[]>(sql)`select id, now() as at from invoices
    where id = ${invoiceId} and ${isOverdue(sql)}`
  return found ?? null
}

/** How long an overdue invoice waits for its chain to be read. */
const lateReading = '10 minutes'

/**
 * Whether an open invoice is past its due date, by PostgreSQL's clock. It may have been paid in
 * blocks not read yet, so it waits for a chain that was ever watched.
 */
function isOverdue(sql: Sql) {
  return sql`due_at <= now() and state in ('draft', 'sent') and (
    due_at <= now() - ${lateReading}::interval or not exists (
      select from chain_watches as watch
      where watch.chain = invoices.chain and (caught_up_at >= due_at) is not true
    ))`
}

export type Row = {
  id: string
  account_id: string
  year: number
  number: number
  place: number
  version: number
  state: Invoice['state']
  created_at: Date
  updated_at: Date
  terms: string
  progress: string
}

export function columns(sql: Sql) {
  return sql`id, account_id, year, number, place, version, state, created_at, updated_at, terms, progress`
}

export function decode(row: Row): Placed {
  return {
    id: row.id,
    accountId: row.account_id,
    year: row.year,
    number: row.number,
    place: row.place,
    version: row.version,
    state: row.state,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    terms: fromText(terms, row.terms),
    progress: fromText(progress, row.progress),
  }
}

export function encodeTerms(value: Terms): string {
  return toText(terms, value)
}

function encodeProgress(value: Progress): string {
  return toText(progress, value)
}

const encodedNewProgress = encodeProgress(newProgress)
