import {
  type Invoice,
  isPayable,
  newProgress,
  type Progress,
  type Terms,
} from '../domain/invoice.ts'
import type { Listed, ListQuery } from '../domain/invoice-list.ts'
import { addressKey, type Network } from '../domain/network.ts'
import { type Candidate, candidateOf } from '../domain/settlement.ts'
import { array, jsonTexts, type Scalar, type Sql, within } from './db.ts'
import type { FirstAnswer, IdempotencyRecord } from './idempotency.ts'

/** One row of the trail, the `data` of a public event being what subscribers read; `isPublic` puts it into the outbox. */
export type TrailEntry = {
  readonly type: string
  readonly data: string
  readonly isPublic: boolean
}

export type Insertion = {
  readonly invoice: Invoice
  readonly idempotency: IdempotencyRecord | null
}

/** `replayed`: the key had been used; this is what was answered then. */
export type Inserted = { readonly kind: 'created'; readonly number: number } | FirstAnswer

/** An invoice as it was loaded, as it is to be, and what happened in between. */
export type Change = {
  readonly before: Invoice
  readonly after: Invoice
  readonly entries: readonly TrailEntry[]
}

/**
 * Inserts invoices, their numbers, first trail entries (which are outbox entries) and idempotency keys in one statement. Numbers
 * are gapless per account and year because the counter moves in the statement that inserts. Outcomes in the order given.
 * Rejects as a whole when any row is bad; the caller tries again one by one.
 */
export async function insertAll(
  sql: Sql,
  rows: readonly Insertion[],
): Promise<readonly Inserted[]> {
  const column = (read: (row: Insertion) => Scalar) => array(rows.map(read))
  const [answer] = await within(
    () => sql<[{ numbers: (number | null)[]; replays: Replay[] | null }]>`
    with input as (
      select * from unnest(
        ${column((row) => row.invoice.id)}::uuid[],
        ${column((row) => row.invoice.accountId)}::uuid[],
        ${column((row) => row.invoice.year)}::smallint[],
        ${column((row) => row.invoice.terms.form)}::text[],
        ${column((row) => row.invoice.terms.chain)}::text[],
        ${column((row) => addressKey(row.invoice.terms.payTo))}::text[],
        ${column((row) => row.invoice.terms.dueUsdcBase)}::bigint[],
        ${column((row) => row.invoice.terms.agentId)}::text[],
        ${column((row) => row.invoice.terms.dueAt)}::timestamptz[],
        ${column((row) => row.invoice.createdAt)}::timestamptz[],
        string_to_array(${jsonTexts(rows.map((row) => encodeTerms(row.invoice.terms)))}, chr(30)),
        ${column((row) => row.idempotency?.route ?? null)}::text[],
        ${column((row) => row.idempotency?.key ?? null)}::text[],
        ${column((row) => row.idempotency && `\\x${Buffer.from(row.idempotency.requestHash).toString('hex')}`)}::bytea[],
        ${column((row) => row.idempotency?.status ?? null)}::smallint[],
        string_to_array(${jsonTexts(rows.map((row) => row.idempotency?.body ?? null))}, chr(30), '')
      ) with ordinality as input (
        id, account_id, year, form, chain, pay_to, due_base, agent_id, due_at, created_at, terms,
        route, key, request_hash, status, body, at
      )
    ),
    known as (
      select input.at, used.request_hash, used.status, used.body
      from input join idempotency_keys used using (account_id, route, key)
    ),
    fresh as (
      select *, row_number() over same_account as place, count(*) over (partition by account_id, year) as total
      from input
      where at not in (select at from known)
      window same_account as (partition by account_id, year order by at)
    ),
    counters as (
      insert into invoice_numbers as counter (account_id, year, last_number)
      select distinct account_id, year, total from fresh order by account_id, year
      on conflict (account_id, year) do update set last_number = counter.last_number + excluded.last_number
      returning account_id, year, last_number
    ),
    numbered as (
      select fresh.*, (last_number - total + place)::integer as number
      from fresh join counters using (account_id, year)
    ),
    invoice_rows as (
      insert into invoices (id, account_id, year, number, version, state, payable, chain, pay_to, due_base,
        agent_id, due_at, created_at, updated_at, terms, progress)
      select id, account_id, year, number, 1, 'draft', true, chain, pay_to, due_base,
        agent_id, due_at, created_at, created_at, terms, ${encodedNewProgress}
      from numbered
    ),
    trail as (
      insert into events (subject_id, sequence, account_id, type, data, created_at, pending)
      select id, 1, account_id, 'invoice.created', null, created_at, true from numbered
    ),
    keys as (
      insert into idempotency_keys (account_id, route, key, request_hash, status, body, subject_id, created_at)
      select account_id, route, key, request_hash, status,
        overlay(body placing '"invoiceNumber":' || case form
          when 'v1' then number::text
          else '"INV-' || year || '-' || lpad(number::text, greatest(4, length(number::text)), '0') || '"'
        end from position(${unnumbered} in body) for ${unnumbered.length}), id, created_at
      from numbered where key is not null
    )
    -- One row whatever the batch: a client takes longer to read many small rows than one with arrays.
    select array(select number from input left join numbered using (at) order by input.at) as numbers,
      (select json_agg(json_build_object('at', at, 'hash', encode(request_hash, 'hex'), 'status', status, 'body', body)) from known) as replays`,
  )
  const replays = new Map(answer.replays?.map((replay) => [replay.at, replay]))
  return rows.map((_, index): Inserted => {
    const number = answer.numbers[index]
    if (number) return { kind: 'created', number }
    const { hash, status, body } = replays.get(index + 1) as Replay
    return { kind: 'replayed', requestHash: Buffer.from(hash, 'hex'), status, body }
  })
}

/** What was answered when the key of the row at this place (from 1) was first used. */
type Replay = {
  readonly at: number
  readonly hash: string
  readonly status: number
  readonly body: string
}

const unnumbered = '"invoiceNumber":null'

/** Writes changes whose invoices are still as they were loaded, each with its trail; answers which ones those were. */
export async function updateAll(sql: Sql, changes: readonly Change[]): Promise<readonly boolean[]> {
  const column = (read: (change: Change) => Scalar) => array(changes.map(read))
  const trail = trailOf(changes)
  const updated = await within(
    () => sql<{ id: string }[]>`
    with input as (
      select * from unnest(
        ${column(({ after }) => after.id)}::uuid[],
        ${column(({ before }) => before.version)}::integer[],
        ${column(({ after }) => after.version)}::integer[],
        ${column(({ after }) => after.state)}::text[],
        ${column(({ after }) => isPayable(after))}::boolean[],
        ${column(({ after }) => after.updatedAt)}::timestamptz[],
        string_to_array(${jsonTexts(changes.map(({ after }) => encodeProgress(after.progress)))}, chr(30))
      ) as input (id, expected, version, state, payable, updated_at, progress)
    ),
    updated as (
      update invoices set version = input.version, state = input.state, payable = input.payable,
        updated_at = input.updated_at, progress = input.progress
      from input where invoices.id = input.id and invoices.version = input.expected
      returning invoices.id
    ),
    trail as (
      insert into events (subject_id, sequence, account_id, type, data, created_at, pending)
      select entry.* from unnest(
        ${trail.subjectIds}::uuid[], ${trail.sequences}::integer[], ${trail.accountIds}::uuid[],
        ${trail.types}::text[], string_to_array(${trail.data}, chr(30)), ${trail.createdAt}::timestamptz[], ${trail.isPublic}::boolean[]
      ) as entry (subject_id, sequence, account_id, type, data, created_at, pending)
      join updated on updated.id = entry.subject_id
    )
    select id from updated`,
  )
  const won = new Set(updated.map((row) => row.id))
  return changes.map((change) => won.has(change.after.id))
}

/** The trail entries of several changes as columns, ready for `unnest`. */
export function trailOf(changes: readonly Change[]) {
  const entries = changes.flatMap(({ before, after, entries }) =>
    entries.map((entry, at) => ({ ...entry, after, sequence: before.version + at + 1 })),
  )
  return {
    subjectIds: array(entries.map(({ after }) => after.id)),
    sequences: array(entries.map(({ sequence }) => sequence)),
    accountIds: array(entries.map(({ after }) => after.accountId)),
    types: array(entries.map(({ type }) => type)),
    data: jsonTexts(entries.map(({ data }) => data)),
    createdAt: array(entries.map(({ after }) => after.updatedAt)),
    isPublic: array(entries.map(({ isPublic }) => isPublic)),
  }
}

export async function loadMany(sql: Sql, ids: readonly string[]): Promise<readonly Invoice[]> {
  if (ids.length === 0) return []
  const rows = await within(
    () => sql<Row[]>`select ${columns(sql)} from invoices where id = any(${array(ids)}::uuid[])`,
  )
  return rows.map(decode)
}

/** One page of an account's invoices, newest first, how many match in all, and whether there are more behind it. */
export async function list(sql: Sql, accountId: string, query: ListQuery): Promise<Listed> {
  const matching = sql`account_id = ${accountId}
    ${query.states ? sql`and state = any(${array(query.states)}::text[])` : sql``}
    ${query.createdAfter ? sql`and created_at > ${query.createdAfter}` : sql``}
    ${query.createdBefore ? sql`and created_at < ${query.createdBefore}` : sql``}
    ${query.agentId === null ? sql`` : sql`and agent_id = ${query.agentId}`}`
  const after = query.after
    ? sql`and (year, number) < (${query.after.year}, ${query.after.number})`
    : sql``
  const [rows, [count]] = await within(() =>
    Promise.all([
      sql<Row[]>`select ${columns(sql)} from invoices where ${matching} ${after}
        order by year desc, number desc limit ${query.limit + 1} offset ${query.offset}`,
      sql<{ total: number }[]>`select count(*)::integer as total from invoices where ${matching}`,
    ]),
  )
  const invoices = rows.slice(0, query.limit).map(decode)
  return { invoices, total: count?.total ?? 0, hasMore: rows.length > query.limit }
}

/** Which addresses of a chain any invoice has asked to be paid at, as transfers spell them. */
export async function paymentAddresses(sql: Sql, chain: Network): Promise<readonly string[]> {
  const rows = await within(
    () => sql<{ address: string }[]>`select address from payment_addresses where chain = ${chain}`,
  )
  return rows.map((row) => row.address)
}

export async function rememberPaymentAddress(
  sql: Sql,
  chain: Network,
  address: string,
): Promise<void> {
  await within(
    () =>
      sql`insert into payment_addresses (chain, address) values (${chain}, ${addressKey(address)}) on conflict do nothing`,
  )
}

/**
 * The invoices a batch of transfers could mean: those they name, and for each amount at an address the oldest payable
 * ones of every account, as many as there are transfers of that amount.
 */
export async function candidates(
  sql: Sql,
  chain: Network,
  named: readonly string[],
  amounts: readonly { readonly to: string; readonly usdcBase: bigint; readonly times: number }[],
): Promise<readonly Candidate[]> {
  const rows = await within(
    () => sql<Row[]>`
    with recursive slot as (
      select * from unnest(
        ${array(amounts.map(({ to }) => to))}::text[], ${array(amounts.map(({ usdcBase }) => usdcBase))}::bigint[],
        ${array(amounts.map(({ times }) => times))}::integer[]
      ) as slot (pay_to, due_base, times)
    ),
    -- A loose index scan: one probe per account, however many invoices it has open.
    account as (
      select slot.*, (${firstAccount(sql, chain, sql`slot`, sql``)}) as account_id from slot
      union all
      select account.pay_to, account.due_base, account.times,
        (${firstAccount(sql, chain, sql`account`, sql`and open.account_id > account.account_id`)})
      from account where account.account_id is not null
    )
    select ${columns(sql, sql`open`)} from account
    cross join lateral (
      select * from invoices
      where payable and chain = ${chain} and pay_to = account.pay_to and due_base = account.due_base
        and account_id = account.account_id
      order by state = 'failed', id limit account.times
    ) as open
    union
    select ${columns(sql, sql`named`)} from invoices as named where id = any(${array(named)}::uuid[])`,
  )
  return rows.map((row) => candidateOf(decode(row)))
}

/** When the first invoice on a chain was made; null when there is none. */
export async function firstInvoiceAt(sql: Sql, chain: Network): Promise<Date | null> {
  const [row] = await within(
    () =>
      sql<
        { created_at: Date }[]
      >`select created_at from invoices where chain = ${chain} order by id limit 1`,
  )
  return row?.created_at ?? null
}

/** Open invoices whose due date has passed. */
export async function expired(sql: Sql, limit: number): Promise<readonly string[]> {
  const rows = await within(
    () => sql<{ id: string }[]>`select id from invoices
      where due_at <= now() and state in ('draft', 'sent') order by due_at limit ${limit}`,
  )
  return rows.map((row) => row.id)
}

function firstAccount(sql: Sql, chain: Network, of: unknown, further: unknown) {
  return sql`select open.account_id from invoices as open
    where open.payable and open.chain = ${chain} and open.pay_to = ${of as never}.pay_to
      and open.due_base = ${of as never}.due_base ${further as never}
    order by open.account_id limit 1`
}

type Row = {
  id: string
  account_id: string
  year: number
  number: number
  version: number
  state: Invoice['state']
  created_at: Date
  updated_at: Date
  terms: string
  progress: string
}

function columns(sql: Sql, of: unknown = sql`invoices`) {
  const table = of as never
  return sql`${table}.id, ${table}.account_id, ${table}.year, ${table}.number, ${table}.version, ${table}.state,
    ${table}.created_at, ${table}.updated_at, ${table}.terms, ${table}.progress`
}

function decode(row: Row): Invoice {
  return {
    id: row.id,
    accountId: row.account_id,
    year: row.year,
    number: row.number,
    version: row.version,
    state: row.state,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    terms: decodeTerms(row.terms),
    progress: decodeProgress(row.progress),
  }
}

type Texts<T, Keys extends keyof T> = Omit<T, Keys> & Record<Keys, string>

/** Terms as the `terms` column holds them. */
export function encodeTerms(terms: Terms): string {
  return JSON.stringify({
    ...terms,
    subtotalUnits: `${terms.subtotalUnits}`,
    totalUnits: `${terms.totalUnits}`,
    dueUsdcBase: `${terms.dueUsdcBase}`,
    tax: { ...terms.tax, taxUnits: `${terms.tax.taxUnits}` },
  })
}

function decodeTerms(text: string): Terms {
  const terms = JSON.parse(text) as Texts<Terms, 'subtotalUnits' | 'totalUnits' | 'dueUsdcBase'>
  return {
    ...terms,
    subtotalUnits: BigInt(terms.subtotalUnits),
    totalUnits: BigInt(terms.totalUnits),
    dueUsdcBase: BigInt(terms.dueUsdcBase),
    tax: { ...terms.tax, taxUnits: BigInt(terms.tax.taxUnits) },
  }
}

export function encodeProgress(progress: Progress): string {
  const payments = progress.payments.map((payment) => ({
    ...payment,
    usdcBase: `${payment.usdcBase}`,
  }))
  return JSON.stringify({ ...progress, payments })
}

function decodeProgress(text: string): Progress {
  const progress = JSON.parse(text) as Progress
  const payments = progress.payments.map((payment) => ({
    ...payment,
    usdcBase: BigInt(payment.usdcBase),
  }))
  return { ...progress, payments }
}

// One parameter for the whole batch instead of one text a row.
const encodedNewProgress = encodeProgress(newProgress)
