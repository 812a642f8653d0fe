import type { TObject } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Accepts } from '../../actors/acceptance.ts'
import type { HeldMoney } from '../../actors/held-money.ts'
import type { Invoices } from '../../actors/invoices.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Request as InvoiceRequest } from '../../domain/invoices/request.ts'
import * as Table from '../../domain/invoices/table.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import { toJson } from '../../domain/invoices/view.ts'
import { type AnswerSlots, withSlot } from '../admission/answer-slots.ts'
import { type Answer, type Docs, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import type { Body } from '../request/json.ts'
import { pageMembers } from '../request/paging.ts'
import { needing } from '../request/validation.ts'
import { csvAnswer, type Rows, wantsCsv } from '../response/csv.ts'
import type { Envelope } from '../response/envelope.ts'
import type { Taxes } from './invoice-fields.ts'
import { cursorOf, readListQuery } from './invoice-listing.ts'

/** How one family of paths presents invoices. */
export type InvoiceFamily = {
  readonly route: string
  readonly form: Form
  /** With `amount` and `lines`, of which one must be there. */
  readonly body: TObject
  readonly docs: { readonly create: Docs; readonly get: Docs; readonly list: Docs }
  readonly envelope: Envelope
  request(body: Body, taxes: Taxes): InvoiceRequest
  /** JSON text of an invoice in a list. */
  item(invoice: Invoice, accepting: boolean): string
}

/** Longer than a page of an export takes. */
export const exportSilentSeconds = 50

/** A page of an export, up to eight megabytes, is in memory until its caller reads it. */
export const mostExports = {
  total: 32,
  perAccount: 8,
  maxWaitMs: 5_000,
  maxStreamMs: 600_000,
  refusal: 'Too many exports are under way; try again shortly',
}

/** All families share the slots for exports and for lists. */
export type InvoiceParts = {
  readonly invoices: Invoices
  readonly accepts: Accepts
  readonly heldMoney: HeldMoney
  readonly taxes: Taxes
  readonly exports: AnswerSlots
  readonly lists: AnswerSlots
}

/** The routes to create, read, list and export invoices; families differ only in vocabulary. */
export function invoiceRoutes(
  operation: Operations,
  { invoices, accepts, heldMoney, taxes, exports, lists }: InvoiceParts,
  family: InvoiceFamily,
) {
  const { route, form, docs } = family
  const body = needing('amount', 'lines', family.body)
  const { wrap, wrapMembers } = family.envelope
  // Whether a chain is read is found at each request; the texts of either answer are cached.
  const showAccepting = (invoice: Invoice) => wrap(toJson(invoice, form, true))
  const showWaiting = (invoice: Invoice) => wrap(toJson(invoice, form, false))
  const showOf = ({ terms }: Invoice) => (accepts(terms.chain) ? showAccepting : showWaiting)
  const show = (invoice: Invoice) => showOf(invoice)(invoice)
  const withHeld = (invoice: Invoice) =>
    heldMoney
      .of(invoice)
      ?.then((held) => ok(wrap(toJson(invoice, form, accepts(invoice.terms.chain), held)))) ?? null
  const item = (invoice: Invoice) => family.item(invoice, accepts(invoice.terms.chain))
  const ok = (text: string): Answer => ({ status: 200, body: text })
  return new Elysia()
    .post(
      route,
      operation({ scope: 'invoices:write', body, docs: docs.create }, async (call) => {
        const { invoice, isReplay } = await invoices.create(
          call.principal.accountId,
          family.request(call.body, taxes),
          idempotencyOf(call, route),
        )
        return isReplay ? replayed(show(invoice)) : { status: 201, body: show(invoice) }
      }),
      unparsed,
    )
    .get(
      `${route}/:id`,
      operation({ scope: 'invoices:read', docs: docs.get }, ({ principal, params }) => {
        let found = null as ReturnType<typeof withHeld>
        const text = invoices.read(principal.accountId, params.id ?? '', (invoice) => {
          found = withHeld(invoice)
          return showOf(invoice)
        })
        if (typeof text === 'string') return found ?? ok(text)
        return text.then((shown) => found ?? ok(shown))
      }),
    )
    .get(
      route,
      operation({ scope: 'invoices:read', docs: docs.list }, async (call) => {
        const { principal, request } = call
        const isExport = wantsCsv(request)
        const { page, query } = readListQuery(request.url, form, isExport)
        if (isExport) {
          call.keepOpen(exportSilentSeconds)
          return withSlot(exports, call, ({ ended }) => {
            const found = rowsOf(invoices.pages(principal.accountId, query), form)
            return csvAnswer('invoices', Table.header, found, ended)
          })
        }
        return withSlot(lists, call, async () => {
          const found = await invoices.list(principal.accountId, query)
          const shown = { items: found.invoices, ...found, page, limit: query.limit }
          return ok(wrapMembers(pageMembers(shown, item, cursorOf)))
        })
      }),
    )
}

async function* rowsOf(
  pages: AsyncGenerator<readonly Invoice[], void>,
  form: Form,
): AsyncGenerator<Rows, void> {
  for await (const page of pages) yield page.map((invoice) => Table.row(invoice, form))
}
