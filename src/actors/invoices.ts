import { invalidField } from '../domain/error.ts'
import { type Idempotency, replay } from '../domain/idempotency.ts'
import { dayOf } from '../domain/instant.ts'
import { type Command as AnyCommand, decide } from '../domain/invoices/decide.ts'
import { type Event, evolve } from '../domain/invoices/evolve.ts'
import * as Invoice from '../domain/invoices/invoice.ts'
import {
  type ListFilter,
  type ListQuery,
  wantsAll,
  withReference,
} from '../domain/invoices/list.ts'
import type { References } from '../domain/invoices/reference.ts'
import { fromRequest, type Request, refuseOverdue } from '../domain/invoices/request.ts'
import type { Terms } from '../domain/invoices/terms.ts'
import { type Timeline, timelineOf } from '../domain/invoices/timeline.ts'
import { entryOf } from '../domain/invoices/trail.ts'
import * as Mandates from '../domain/mandates/binding.ts'
import type { TaxTable } from '../domain/money/tax-rates.ts'
import * as Rows from '../storage/invoices/invoices.ts'
import * as Lists from '../storage/invoices/lists.ts'
import { trailsOf } from '../storage/invoices/trails.ts'
import { findBindable } from '../storage/mandates/bindings.ts'
import { listenForChanges } from '../storage/postgres/changes.ts'
import { isRefusal, type Sql, selfRefusal } from '../storage/postgres/db.ts'
import type { Database } from '../storage/postgres/pools.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { tracedCommit } from './commit-traces.ts'
import type { FxOf } from './exchange-rates.ts'
import { createGroupCommit } from './group-commit.ts'
import { createInvoiceReader, type InvoiceReader } from './invoice-reader.ts'
import { expireLater, type Jobs } from './jobs.ts'
import type { Live } from './live.ts'
import type { Once } from './once.ts'
import type { Payees } from './payees.ts'
import type { Profiles } from './profiles.ts'
import { createActors } from './runtime.ts'

export type Created = { readonly invoice: Invoice.Invoice; readonly isReplay: boolean }

/** An expiry names the time at which the invoice was found overdue. */
export type Command =
  | Exclude<AnyCommand, { kind: 'expire' }>
  | { readonly kind: 'expire'; readonly at: Date }

export type Invoices = ReturnType<typeof createInvoices>

type Parts = Pick<Database, 'sql' | 'changesSql' | 'lanes' | 'list' | 'listFurther'> & {
  readonly once: Once
  readonly payees: Payees
  readonly profiles: Pick<Profiles, 'of'>
  readonly references: Pick<References, 'read'>
  readonly jobs: Jobs
  readonly live: Pick<Live, 'changed' | 'missed'>
  readonly metrics: Pick<Metrics, 'batches'>
  readonly tracing: Tracing | null
  readonly log: Pick<Log, 'warn'>
  readonly fxOf: FxOf
  readonly taxTable: TaxTable
  /** Unique among the processes that share the database. */
  readonly processId: string
  /** PostgreSQL's clock: processes' clocks may differ. */
  readonly now: () => Date
  readonly steadyMs: () => number
  readonly newId: () => string
}

const limits = { maxMailbox: 64, maxResident: 10_000, idleMs: 60_000 }
const cached = { most: 20_000, mostCharacters: 100_000_000 }
/** By then the chain has mostly been read to the due date; if not, the sweep comes later. */
const untilReadMs = 5_000

/** The invoice actors: creation is a group commit; later commands use one mailbox per invoice. */
export function createInvoices(parts: Parts) {
  const { sql, once, jobs, live, now } = parts
  const { insertions, changes } = commitsOf(parts)
  const actors = mailboxes(parts, changes)
  const reader = createInvoiceReader({ sql, isFresh: () => feed.isFresh(), ...cached })
  const feed = listenForChanges(parts.changesSql, {
    name: parts.processId,
    steadyMs: parts.steadyMs,
    onChanged(ids) {
      forget(ids)
      live.changed(ids)
    },
    onGap() {
      reader.forgetAll()
      live.missed()
    },
    onFault: (error) => parts.log.warn({ err: error }, 'changes are not being received'),
  })

  /**
   * Creates an invoice, with a new id unless the caller passes one; that of a purchase with its
   * quote, and sent at once.
   */
  async function create(
    accountId: string,
    request: Request,
    idempotency: Idempotency | null,
    id = parts.newId(),
    quote: Rows.Quote | null = null,
  ): Promise<Created> {
    const outcome = await once.run(accountId, idempotency, () =>
      insert(id, accountId, request, { idempotency, quote }),
    )
    if (outcome.kind === 'created') return { invoice: outcome.invoice, isReplay: false }
    const invoice = await reader.get(accountId, outcome.subjectId)
    return { invoice: Invoice.asCreated(invoice), isReplay: true }
  }

  async function insert(
    id: string,
    accountId: string,
    request: Request,
    { idempotency, quote }: Pick<Rows.Insertion, 'idempotency'> & { quote: Rows.Quote | null },
  ) {
    const at = now()
    refuseOverdue(request, at)
    const { terms, binding } = await termsOf(id, accountId, request, at)
    const events = decide(undefined, { kind: 'create', id, accountId, terms }, at)
    const sent: Event[] = quote ? [{ type: 'invoice.sent' }] : []
    const invoice = evolve(undefined, [...events, ...sent], at) as Invoice.Invoice
    const insertion = { invoice, ...(binding && { binding }), ...(quote && { quote }), idempotency }
    const outcome = await insertions.submit(accountId, insertion).catch(async (error) => {
      if (!isRefusal(error, selfRefusal)) throw error
      // If the mandate is no longer active, `bind` throws; else it had too little left.
      const { use, payment } = await bind(sql, accountId, terms)
      throw Mandates.tooMuch(use, payment)
    })
    if (outcome.kind === 'used') return replay(outcome, idempotency)
    jobs.wake('outbox')
    if (terms.dueAt !== null)
      expireLater(jobs, now(), id, terms.dueAt, { invoiceId: id }, untilReadMs)
    // Other processes hold no copy of a new invoice; notifying them would make commits wait.
    live.changed([id])
    return { kind: 'created' as const, invoice: { ...invoice, number: outcome.number } }
  }

  /** The terms of a request. Errors: as of `create`. */
  async function termsOf(id: string, accountId: string, request: Request, at: Date) {
    const found = parts.payees(accountId, request.chain, id, request.purchase?.payTo)
    const payee = found instanceof Promise ? await found : found
    if (!payee) throw invalidField('chain', `no wallet is configured for ${request.chain}`)
    const kept = parts.profiles.of(accountId)
    const profile = kept instanceof Promise ? await kept : kept
    const fx = await parts.fxOf(request.currency)
    const rates = { day: dayOf(at), fx, taxTable: parts.taxTable }
    const terms = fromRequest(request, payee, rates, profile)
    // A purchase is bound by its payment.
    if (terms.mandateId === null || request.purchase) return { terms, binding: null }
    const { mandateHash, binding } = await bind(sql, accountId, terms)
    return { terms: { ...terms, mandateHash }, binding }
  }

  async function execute(id: string, command: Command): Promise<Invoice.Invoice> {
    const invoice = await actors.execute(id, command)
    reader.forget([id])
    jobs.wake('outbox')
    return invoice
  }

  /** Drops invoices that somebody else changed from memory. */
  function forget(ids: readonly string[]): void {
    actors.forget(ids)
    reader.forget(ids)
  }

  async function drain(): Promise<void> {
    await actors.drain()
    await Promise.all([insertions.drain(), changes.drain()])
    await feed.close()
  }

  return { create, termsOf, execute, forget, drain, ...readsOf(parts, reader) }
}

function readsOf(parts: Parts, { get, read }: InvoiceReader) {
  const { sql } = parts

  function list(accountId: string, query: ListQuery) {
    // Without a filter the list goes by number, which is fast however many there are.
    if (wantsAll(query)) return Lists.list(sql, accountId, query)
    return parts.list(accountId, (listSql) => Lists.list(listSql, accountId, resolved(query)))
  }

  function pages(accountId: string, filter: ListFilter) {
    return Lists.pages(parts, accountId, resolved(filter))
  }

  function resolved<Filter extends ListFilter>(filter: Filter): Filter {
    const { search } = filter
    return { ...filter, search: search && withReference(search, parts.references.read) }
  }

  /** What has happened to an invoice so far. Errors: `not_found`. */
  async function timeline(accountId: string, id: string): Promise<Timeline> {
    const invoice = await get(accountId, id)
    return timelineOf(invoice, (await trailsOf(sql, [id])).get(id) ?? [])
  }

  return { get, read, list, pages, timeline }
}

function commitsOf({ lanes, metrics, tracing }: Parts) {
  const commit = { lanes: lanes.length, maxBatch: 256, maxWaiting: 4_096 }
  const sqlOf = (lane: number) => lanes[lane] as Sql
  return {
    insertions: createGroupCommit<Rows.Insertion, Rows.Inserted>({
      ...commit,
      ...tracedCommit(tracing, {
        name: 'new_invoice',
        sqlOf,
        subjectOf: ({ invoice }) => invoice.id,
        flush: metrics.batches('new_invoice', (n, rows) => Rows.insertAll(sqlOf(n), rows)),
      }),
    }),
    changes: createGroupCommit<Rows.Change, boolean>({
      ...commit,
      ...tracedCommit(tracing, {
        name: 'invoice',
        sqlOf,
        subjectOf: ({ after }) => after.id,
        flush: metrics.batches('invoice', (n, changes) => Rows.updateAll(sqlOf(n), changes)),
      }),
    }),
  }
}

function mailboxes({ sql, now }: Parts, changes: ReturnType<typeof commitsOf>['changes']) {
  const loads = createGroupCommit<string, Invoice.Invoice | undefined>({
    lanes: 2,
    maxBatch: 256,
    maxWaiting: 4_096,
    async flush(_, ids) {
      const found = new Map((await Rows.loadMany(sql, ids)).map((one) => [one.id, one]))
      return ids.map((id) => found.get(id))
    },
  })
  return createActors<Invoice.Invoice, Command, Event>(
    {
      load: (id) => loads.submit(id, id),
      decide: (before, command, at) =>
        decide(before, command, command.kind === 'expire' ? command.at : at),
      evolve,
      commit: ({ before, after, events }) =>
        changes.submit(before.accountId, changeOf(before, after, events)),
    },
    { now, ...limits },
  )
}

/**
 * Checks that an invoice may be bound to its mandate. Errors: `mandate_not_active`,
 * `mandate_currency_mismatch`, `mandate_limit_exceeded`.
 */
async function bind(sql: Sql, accountId: string, terms: Terms) {
  const mandateId = terms.mandateId ?? ''
  const payment = Mandates.paymentOf(terms)
  const mandate = await findBindable(sql, accountId, mandateId)
  const { mandateHash, ...use } = Mandates.admit(mandate, payment)
  const { amountMicro } = payment
  const binding = { accountId, mandateId, amountMicro, capMicro: use.cap.amountMicro }
  return { mandateHash, binding, use, payment }
}

/** The change for `events`, which turned `before` into `after`. */
export function changeOf(
  before: Invoice.Invoice,
  after: Invoice.Invoice,
  events: readonly Event[],
): Rows.Change {
  return { before, after, entry: entryOf(before, events, new Date(after.updatedAt)) }
}
