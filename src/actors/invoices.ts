import { invalidField } from '../domain/error.ts'
import { type Idempotency, replay } from '../domain/idempotency.ts'
import { type Command as AnyCommand, decide } from '../domain/invoices/decide.ts'
import { type Event, evolve } from '../domain/invoices/evolve.ts'
import * as Invoice from '../domain/invoices/invoice.ts'
import type { Listed, ListFilter, ListQuery } from '../domain/invoices/list.ts'
import { type Fx, fromRequest, type Request, refuseOverdue } from '../domain/invoices/request.ts'
import type { Terms } from '../domain/invoices/terms.ts'
import { type Entry, type Timeline, timelineOf } from '../domain/invoices/timeline.ts'
import * as View from '../domain/invoices/view.ts'
import * as Mandates from '../domain/mandates/binding.ts'
import type { Change, Inserted, Insertion, TrailEntry } from '../storage/invoices/invoices.ts'
import type { DatabaseClock } from '../storage/postgres/database-clock.ts'
import { isRefusal, selfRefusal } from '../storage/postgres/db.ts'
import type { GroupCommit } from './group-commit.ts'
import type { InvoiceReader } from './invoice-reader.ts'
import type { Once } from './once.ts'
import type { Payees } from './payees.ts'
import { createActors } from './runtime.ts'

/** An invoice as created: by this request or, for a replay, by the first with its key. */
export type Created = { readonly invoice: Invoice.Invoice; readonly isReplay: boolean }

/** An expiry names the time, by PostgreSQL's clock, at which the invoice was found overdue. */
export type Command =
  | Exclude<AnyCommand, { kind: 'expire' }>
  | { readonly kind: 'expire'; readonly at: Date }

export type Invoices = ReturnType<typeof createInvoices>

type Options = {
  readonly store: {
    load(ids: readonly string[]): Promise<readonly Invoice.Invoice[]>
    list(accountId: string, query: ListQuery): Promise<Listed>
    /** What binding an invoice to the account's mandate depends on; undefined: no such mandate. */
    findBindable(accountId: string, mandateId: string): Promise<Mandates.Bindable | undefined>
    pages(accountId: string, filter: ListFilter): AsyncGenerator<readonly Invoice.Invoice[], void>
    /** An invoice's trail, oldest entry first, without its creation. */
    trailOf(id: string): Promise<readonly Entry[]>
  }
  readonly reader: InvoiceReader
  readonly insertions: GroupCommit<Insertion, Inserted>
  readonly changes: GroupCommit<Change, boolean>
  readonly once: Once
  readonly now: () => Date
  /** Due dates are compared by PostgreSQL's clock: processes' clocks may differ. */
  readonly databaseClock: Pick<DatabaseClock, 'now'>
  readonly newId: () => string
  readonly fx: Fx
  /** Where an account's invoices on a chain are paid; null if there is no wallet for that chain. */
  readonly payee: Payees
  /** Called after every commit that left something in the outbox. */
  readonly onCommit: () => void
  /** Called after the creation of an invoice that has a due date, an ISO 8601 instant. */
  readonly onDueDate: (id: string, dueAt: string) => void
}

const limits = { maxMailbox: 64, maxResident: 10_000, idleMs: 60_000 }

/**
 * The invoice actors: invoices are created in group commits, and everything after that goes through
 * one mailbox per invoice.
 */
export function createInvoices(options: Options) {
  const { store, reader, insertions, changes, once, now, onCommit } = options
  const actors = createActors<Invoice.Invoice, Command, Event>(
    {
      load: async (id) => (await store.load([id]))[0],
      decide: (before, command, at) =>
        decide(before, command, command.kind === 'expire' ? command.at : at),
      evolve: evolve,
      commit: ({ before, after, events }) =>
        changes.submit(before.accountId, changeOf(before, after, events, now())),
    },
    { now, ...limits },
  )

  /** Creates an invoice, with a new id unless the caller passes one. */
  async function create(
    accountId: string,
    request: Request,
    idempotency: Idempotency | null,
    id = options.newId(),
  ): Promise<Created> {
    const outcome = await once.run(accountId, idempotency, () =>
      insert(id, accountId, request, idempotency),
    )
    if (outcome.kind === 'created') return { invoice: outcome.invoice, isReplay: false }
    const invoice = await reader.get(accountId, outcome.subjectId)
    return { invoice: Invoice.asCreated(invoice), isReplay: true }
  }

  async function insert(
    id: string,
    accountId: string,
    request: Request,
    idempotency: Idempotency | null,
  ) {
    refuseOverdue(request, options.databaseClock.now())
    const found = options.payee(accountId, request.chain, id, request.purchase?.payTo)
    const payee = found instanceof Promise ? await found : found
    if (!payee) throw invalidField('chain', `no wallet is configured for ${request.chain}`)
    const at = now()
    const asked = fromRequest(request, payee, options.fx)
    const bound = asked.mandateId === null ? null : await bind(accountId, asked)
    const terms = bound ? { ...asked, mandateHash: bound.mandateHash } : asked
    const events = decide(undefined, { kind: 'create', id, accountId, terms }, at)
    const invoice = evolve(undefined, events, at) as Invoice.Invoice
    const insertion = { invoice, ...(bound && { binding: bound.binding }), idempotency }
    const outcome = await insertions.submit(accountId, insertion).catch(async (error) => {
      if (!isRefusal(error, selfRefusal)) throw error
      // The mandate is no longer active, which is final and makes `bind` throw; or it had too
      // little left, which may have changed since.
      const { use, payment } = await bind(accountId, terms)
      throw Mandates.tooMuch(use, payment)
    })
    if (outcome.kind === 'used') return replay(outcome, idempotency)
    onCommit()
    if (terms.dueAt !== null) options.onDueDate(id, terms.dueAt)
    return { kind: 'created' as const, invoice: { ...invoice, number: outcome.number } }
  }

  /**
   * Checks that the invoice may be bound to its mandate. Errors: `mandate_not_active`,
   * `mandate_currency_mismatch`, `mandate_limit_exceeded`.
   */
  async function bind(accountId: string, terms: Terms) {
    const mandateId = terms.mandateId ?? ''
    const payment = Mandates.paymentOf(terms)
    const mandate = await store.findBindable(accountId, mandateId)
    const { mandateHash, ...use } = Mandates.admit(mandate, payment)
    const { amountMicro } = payment
    const binding = { accountId, mandateId, amountMicro, capMicro: use.cap.amountMicro }
    return { mandateHash, binding, use, payment }
  }

  /** What has happened to an invoice so far; rejects with `not_found`. */
  async function timeline(accountId: string, id: string): Promise<Timeline> {
    return timelineOf(await reader.get(accountId, id), await store.trailOf(id))
  }

  async function execute(id: string, command: Command): Promise<Invoice.Invoice> {
    const invoice = await actors.execute(id, command)
    reader.forget([id])
    onCommit()
    return invoice
  }

  /** Drops these invoices from memory because somebody else changed them. */
  function forget(ids: readonly string[]): void {
    actors.forget(ids)
    reader.forget(ids)
  }

  async function drain(): Promise<void> {
    await actors.drain()
    await Promise.all([insertions.drain(), changes.drain()])
  }

  const { get, read } = reader
  const { list, pages } = store
  return { create, get, read, list, pages, timeline, execute, forget, drain }
}

/** The commit for `events`, which turned `before` into `after` at `now`. */
export function changeOf(
  before: Invoice.Invoice,
  after: Invoice.Invoice,
  events: readonly Event[],
  now: Date,
): Change {
  let invoice = before
  const entries = events.map((event) => {
    invoice = evolve(invoice, [event], now) as Invoice.Invoice
    return entryOf(event, invoice)
  })
  return { before, after, entries }
}

/** The trail entry of an event; `invoice` is the invoice right after it. */
export function entryOf(event: Event, invoice: Invoice.Invoice): TrailEntry {
  return { type: event.type, data: View.eventData(event, invoice) ?? internalData(event) }
}

function internalData(event: Event): string {
  if (event.type !== 'payment.credited') return JSON.stringify(event)
  const { payment } = event
  return JSON.stringify({ ...event, payment: { ...payment, usdcBase: `${payment.usdcBase}` } })
}
