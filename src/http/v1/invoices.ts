import { Elysia } from 'elysia'
import type { Invoices } from '../../actors/invoices.ts'
import { invalidField } from '../../domain/error.ts'
import type { Request as InvoiceRequest } from '../../domain/invoice-terms.ts'
import { toJson } from '../../domain/invoice-view.ts'
import { idempotencyOf, replayed } from '../idempotency.ts'
import { chainOf, countryOf, dueAtOf, metadataOf, payerOf } from '../invoice-fields.ts'
import type { Body } from '../json.ts'
import { nextPage, type Page, readListQuery } from '../listing.ts'
import type { Operations } from '../operation.ts'
import { CreateInvoice, ok, wrap } from './shapes.ts'

const route = '/v1/invoices'

/** `/v1/invoices`: create, read, list. */
export function invoiceRoutes(operation: Operations, invoices: Invoices, now: () => Date) {
  return new Elysia()
    .post(
      route,
      operation({ scope: 'invoices:write', body: CreateInvoice }, async (call) => {
        const created = await invoices.create(
          call.principal.accountId,
          () => requestOf(call.body, now()),
          idempotencyOf(call, route, wrap),
        )
        return created.kind === 'created' ? ok(created.json, 201) : replayed(created)
      }),
      { parse: 'none' },
    )
    .get(
      `${route}/:id`,
      operation({ scope: 'invoices:read' }, ({ principal, params }) => {
        const text = invoices.read(principal.accountId, params.id ?? '', 'v1')
        return typeof text === 'string' ? ok(text) : text.then((json) => ok(json))
      }),
    )
    .get(
      route,
      operation({ scope: 'invoices:read' }, async ({ principal, request }) => {
        const page = readListQuery(request.url, 'v1')
        const found = await invoices.list(principal.accountId, page.query)
        return { status: 200, body: listBody(found, page) }
      }),
    )
}

function requestOf(body: Body, now: Date): InvoiceRequest {
  const value = body.value as CreateInvoice
  const chain = chainOf(value.chain)
  const amountSource = body.source('amount')
  if (amountSource === undefined) throw invalidField('amount', 'is required')
  return {
    form: 'v1',
    amountSource,
    currency: value.currency,
    chain,
    country: countryOf(value),
    buyer: {
      name: value.customerName,
      email: value.customerEmail,
      address: value.buyerAddress ?? null,
      vat: value.buyerVat ?? null,
    },
    seller: {
      name: value.sellerName ?? null,
      email: null,
      address: value.sellerAddress ?? null,
      vat: value.sellerVat ?? null,
      wallet: null,
    },
    description: value.serviceDescription ?? null,
    agentId: value.agentId ?? null,
    mandateId: value.mandateId ?? null,
    payer: payerOf(value.payer, chain),
    dueAt: dueAtOf(value.dueAt, now),
    metadata: metadataOf(body),
  }
}

function listBody(found: Awaited<ReturnType<Invoices['list']>>, page: Page): string {
  const { nextCursor, hasMore } = nextPage(found)
  return (
    `{"success":true,"data":[${found.invoices.map((invoice) => toJson(invoice, 'v1')).join(',')}],` +
    `"total":${found.total},"page":${page.page},"limit":${page.query.limit},"hasMore":${hasMore},` +
    `"nextCursor":${nextCursor === null ? 'null' : `"${nextCursor}"`}}`
  )
}
