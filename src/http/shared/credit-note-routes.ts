import { Elysia } from 'elysia'
import type { CreditNotes } from '../../actors/credit-notes/credit-notes.ts'
import type { Shown } from '../../domain/credit-notes/list.ts'
import { toJson } from '../../domain/credit-notes/view.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import { type AnswerSlots, withSlot } from '../admission/answer-slots.ts'
import { type Answer, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import { encodeCursor, pageMembers } from '../request/paging.ts'
import { bare, type Envelope, enveloped } from '../response/envelope.ts'
import { docsOf } from './credit-note-docs.ts'
import { CreditInvoice, readNotesQuery, requestOf } from './credit-note-fields.ts'

/** How one family of paths presents credit notes. */
type Family = {
  readonly prefix: string
  readonly form: Form
  readonly envelope: Envelope
}

type Parts = { readonly creditNotes: CreditNotes; readonly lists: AnswerSlots }

export const apiNotes: Family = { prefix: '/api', form: 'api', envelope: bare }

export const v1Notes: Family = { prefix: '/v1', form: 'v1', envelope: enveloped }

/** The route to credit an invoice, in every family. */
export function creditingRoutes(
  operation: Operations,
  { creditNotes }: Parts,
  { prefix, form, envelope }: Family = { ...apiNotes, prefix: '/api/v1' },
) {
  const docs = docsOf(form, envelope)
  const route = `${prefix}/invoices/:id/credit-notes`
  return new Elysia().post(
    route,
    operation(
      { scope: 'invoices:write', body: CreditInvoice, docs: docs.create },
      async (call): Promise<Answer> => {
        const invoiceId = call.params.id ?? ''
        const { note, isReplay } = await creditNotes.issue(
          call.principal.accountId,
          invoiceId,
          requestOf(form, call.body),
          idempotencyOf(call, route.replace(':id', invoiceId)),
        )
        const text = envelope.wrap(toJson(note, form))
        return isReplay ? replayed(text) : { status: 201, body: text }
      },
    ),
    unparsed,
  )
}

/** The routes to credit invoices, and to read and list credit notes. */
export function creditNoteRoutes(operation: Operations, parts: Parts, family: Family) {
  const { creditNotes, lists } = parts
  const { prefix, form, envelope } = family
  const { wrap, wrapMembers } = envelope
  const docs = docsOf(form, envelope)
  const show = ({ note, isPaid }: Shown) => toJson(note, form, isPaid)
  const route = `${prefix}/credit-notes`
  return creditingRoutes(operation, parts, family)
    .get(
      route,
      operation({ scope: 'invoices:read', docs: docs.list }, (call) => {
        const query = readNotesQuery(call.request.url)
        return withSlot(lists, call, async () => {
          const found = await creditNotes.list(call.principal.accountId, query)
          const shown = { items: found.notes, ...found, limit: query.limit }
          return { status: 200, body: wrapMembers(pageMembers(shown, show, cursorOf)) }
        })
      }),
    )
    .get(
      `${route}/:id`,
      operation({ scope: 'invoices:read', docs: docs.get }, async ({ principal, params }) => {
        const found = await creditNotes.get(principal.accountId, params.id ?? '')
        return { status: 200, body: wrap(show(found)) }
      }),
    )
}

function cursorOf({ note }: Shown): string {
  return encodeCursor(note.id)
}
