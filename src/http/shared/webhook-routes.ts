import { Elysia } from 'elysia'
import type { Webhooks } from '../../actors/webhooks/webhooks.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import { toJson } from '../../domain/webhooks/webhook.ts'
import { type AnswerSlots, withSlot } from '../admission/answer-slots.ts'
import { type Answer, byOf, type Call, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import { pageMembers } from '../request/paging.ts'
import { withoutQuery } from '../request/request-url.ts'
import { bare, type Envelope, enveloped } from '../response/envelope.ts'
import { webhookDocs } from './webhook-docs.ts'
import {
  CreateWebhook,
  changeOf,
  cursorOf,
  idOf,
  readLogQuery,
  TestWebhook,
  UpdateWebhook,
} from './webhook-fields.ts'

export type WebhookParts = { readonly webhooks: Webhooks; readonly lists: AnswerSlots }

/** How one family of paths presents webhooks. */
type WebhookFamily = {
  readonly prefix: '/api' | '/v1'
  /** How the invoices of the family's test events are written. */
  readonly form: Form
  readonly envelope: Envelope
}

export const apiWebhooks: WebhookFamily = { prefix: '/api', form: 'api', envelope: bare }

export const v1Webhooks: WebhookFamily = { prefix: '/v1', form: 'v1', envelope: enveloped }

const read = { scope: 'webhooks:read' } as const
const write = { scope: 'webhooks:write' } as const

/** Webhooks and their deliveries (contract §8); families differ only in their envelope. */
export function webhookRoutes(
  operation: Operations,
  { webhooks, lists }: WebhookParts,
  family: WebhookFamily,
) {
  const { prefix, envelope } = family
  const { wrap, wrapMembers } = envelope
  const docs = webhookDocs(envelope)
  const route = `${prefix}/webhooks`
  const ok = (json: string, status = 200): Answer => ({ status, body: wrap(json) })
  return new Elysia()
    .post(
      route,
      operation({ ...write, body: CreateWebhook, docs: docs.create }, (call) =>
        create(webhooks, call, route, envelope),
      ),
      unparsed,
    )
    .get(
      route,
      operation({ ...read, docs: docs.list }, async ({ principal, request }) => {
        withoutQuery(request.url)
        const found = await webhooks.list(principal.accountId)
        const data = found.map((webhook) => toJson(webhook)).join(',')
        return { status: 200, body: wrapMembers(`"data":[${data}],"total":${found.length}`) }
      }),
    )
    .get(
      `${route}/:id`,
      operation({ ...read, docs: docs.get }, async (call) =>
        ok(toJson(await webhooks.get(call.principal.accountId, idOf(call)))),
      ),
    )
    .patch(
      `${route}/:id`,
      operation({ ...write, body: UpdateWebhook, docs: docs.update }, async (call) => {
        const change = changeOf(call.body.value as typeof UpdateWebhook.static)
        const { accountId } = call.principal
        return ok(toJson(await webhooks.update(accountId, idOf(call), change, byOf(call))))
      }),
      unparsed,
    )
    .delete(
      `${route}/:id`,
      operation({ ...write, docs: docs.remove }, async (call) => {
        await webhooks.remove(call.principal.accountId, idOf(call), byOf(call))
        return { status: 204, body: null }
      }),
    )
    .post(
      `${route}/:id/rotate-secret`,
      operation({ ...write, docs: docs.rotateSecret }, (call) =>
        rotateSecret(webhooks, call, route, envelope),
      ),
      unparsed,
    )
    .post(
      `${route}/:id/test`,
      operation({ ...write, body: TestWebhook, docs: docs.test }, (call) =>
        sendTest(webhooks, call, route, family),
      ),
      unparsed,
    )
    .get(
      `${route}/:id/deliveries`,
      operation({ ...read, docs: docs.deliveries }, (call) => {
        const query = readLogQuery(call.request.url)
        return withSlot(lists, call, async () => {
          const found = await webhooks.deliveries(call.principal.accountId, idOf(call), query)
          const shown = { items: found.deliveries, ...found, limit: query.limit }
          return { status: 200, body: wrapMembers(pageMembers(shown, JSON.stringify, cursorOf)) }
        })
      }),
    )
    .get(
      `${prefix}/deliveries/:id`,
      operation({ ...read, docs: docs.delivery }, async (call) => {
        const { delivery, body } = await webhooks.delivery(call.principal.accountId, idOf(call))
        return ok(`${JSON.stringify(delivery).slice(0, -1)},"payload":${body}}`)
      }),
    )
    .post(
      `${prefix}/deliveries/:id/redeliver`,
      operation({ ...write, docs: docs.redeliver }, async (call) =>
        ok(JSON.stringify(await webhooks.redeliver(call.principal.accountId, idOf(call))), 202),
      ),
      unparsed,
    )
}

async function create(
  webhooks: Webhooks,
  call: Call,
  route: string,
  { wrap }: Envelope,
): Promise<Answer> {
  const value = call.body.value as typeof CreateWebhook.static
  const { url, events, active = true, secret = null } = value
  const wanted = { url, events: [...new Set(events)], active, secret }
  const idempotency = idempotencyOf(call, route)
  const created = await webhooks.create(call.principal.accountId, wanted, idempotency, byOf(call))
  if (created.kind === 'replayed') return replayed(wrap(created.made))
  const { webhook, generatedSecret } = created
  const shown = toJson(webhook, generatedSecret ? { secret: generatedSecret } : {})
  return { status: 201, body: wrap(shown) }
}

async function rotateSecret(
  webhooks: Webhooks,
  call: Call,
  route: string,
  { wrap }: Envelope,
): Promise<Answer> {
  const id = idOf(call)
  const idempotency = idempotencyOf(call, `${route}/${id}/rotate-secret`)
  const rotated = await webhooks.rotateSecret(call.principal.accountId, id, idempotency, byOf(call))
  const noStore = { 'cache-control': 'no-store' }
  if (rotated.kind === 'replayed') {
    const answer = replayed(wrap(rotated.made), 200)
    return { ...answer, headers: { ...answer.headers, ...noStore } }
  }
  const { webhook, secret, previousSecretUntil } = rotated
  const shown = toJson(webhook, { secret, previousSecretUntil })
  return { status: 200, body: wrap(shown), headers: noStore }
}

async function sendTest(
  webhooks: Webhooks,
  call: Call,
  route: string,
  { form, envelope: { wrap } }: WebhookFamily,
): Promise<Answer> {
  const { event } = call.body.value as typeof TestWebhook.static
  const id = idOf(call)
  const idempotency = idempotencyOf(call, `${route}/${id}/test`)
  const tested = await webhooks.test(call.principal.accountId, id, event, form, idempotency)
  if (tested.kind === 'replayed') return replayed(wrap(tested.made), 202)
  return { status: 202, body: wrap(JSON.stringify(tested.delivery)) }
}
