import { Elysia } from 'elysia'
import type { Webhooks } from '../../actors/webhooks.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import { toJson, type Webhook } from '../../domain/webhooks/webhook.ts'
import { type AnswerSlots, withSlot } from '../admission/answer-slots.ts'
import { type Answer, byOf, type Docs, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import { pageMembers } from '../request/paging.ts'
import {
  CreateWebhook,
  changeOf,
  cursorOf,
  idOf,
  readLogQuery,
  TestWebhook,
  UpdateWebhook,
} from './webhook-fields.ts'

/** What a family's routes depend on. */
export type WebhookParts = { readonly webhooks: Webhooks; readonly lists: AnswerSlots }

type Name =
  | 'create'
  | 'list'
  | 'get'
  | 'update'
  | 'remove'
  | 'rotateSecret'
  | 'deliveries'
  | 'redeliver'
  | 'test'

/** How one family of paths presents webhooks. */
export type WebhookFamily = {
  /** `/api` or `/v1`. */
  readonly prefix: string
  /** How the invoices of the family's test events are written. */
  readonly form: Form
  /** Writes the answer around the JSON text of one item. */
  wrap(json: string): string
  /** Writes the answer around the members of a list. */
  wrapMembers(members: string): string
  readonly docs: Readonly<Record<Name, Docs>>
}

/** Webhooks and their deliveries (contract §8); families differ only in what wraps an answer. */
export function webhookRoutes(
  operation: Operations,
  { webhooks, lists }: WebhookParts,
  family: WebhookFamily,
) {
  const { prefix, docs, wrap, wrapMembers } = family
  const route = `${prefix}/webhooks`
  const ok = (json: string, status = 200): Answer => ({ status, body: wrap(json) })
  return new Elysia()
    .post(
      route,
      operation(
        { scope: 'webhooks:write', body: CreateWebhook, docs: docs.create },
        async (call) => {
          const value = call.body.value as typeof CreateWebhook.static
          const { url, events, active = true, secret = null } = value
          const wanted = { url, events: [...new Set(events)], active, secret }
          const { accountId } = call.principal
          const created = await webhooks.create(
            accountId,
            wanted,
            idempotencyOf(call, route),
            byOf(call),
          )
          if (created.kind === 'replayed') return replayed(wrap(created.made))
          const { webhook, generatedSecret } = created
          return ok(toJson(webhook, generatedSecret ? { secret: generatedSecret } : {}), 201)
        },
      ),
      unparsed,
    )
    .get(
      route,
      operation({ scope: 'webhooks:read', docs: docs.list }, async ({ principal }) => {
        const found = await webhooks.list(principal.accountId)
        const data = found.map((webhook) => toJson(webhook)).join(',')
        return { status: 200, body: wrapMembers(`"data":[${data}],"total":${found.length}`) }
      }),
    )
    .get(
      `${route}/:id`,
      operation({ scope: 'webhooks:read', docs: docs.get }, async (call) =>
        ok(toJson(await webhooks.get(call.principal.accountId, idOf(call)))),
      ),
    )
    .patch(
      `${route}/:id`,
      operation(
        { scope: 'webhooks:write', body: UpdateWebhook, docs: docs.update },
        async (call) => {
          const change = changeOf(call.body.value as typeof UpdateWebhook.static)
          return ok(
            toJson(await webhooks.update(call.principal.accountId, idOf(call), change, byOf(call))),
          )
        },
      ),
      unparsed,
    )
    .delete(
      `${route}/:id`,
      operation({ scope: 'webhooks:write', docs: docs.remove }, async (call) => {
        await webhooks.remove(call.principal.accountId, idOf(call), byOf(call))
        return { status: 204, body: null }
      }),
    )
    .post(
      `${route}/:id/rotate-secret`,
      operation({ scope: 'webhooks:write', docs: docs.rotateSecret }, async (call) => {
        const id = idOf(call)
        const rotated = await webhooks.rotateSecret(
          call.principal.accountId,
          id,
          idempotencyOf(call, `${route}/${id}/rotate-secret`),
          byOf(call),
        )
        const answer =
          rotated.kind === 'replayed' ? replayed(wrap(rotated.made), 200) : ok(rotatedJson(rotated))
        return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } }
      }),
      unparsed,
    )
    .post(
      `${route}/:id/test`,
      operation({ scope: 'webhooks:write', body: TestWebhook, docs: docs.test }, async (call) => {
        const { event } = call.body.value as typeof TestWebhook.static
        const id = idOf(call)
        const tested = await webhooks.test(
          call.principal.accountId,
          id,
          event,
          family.form,
          idempotencyOf(call, `${route}/${id}/test`),
        )
        return tested.kind === 'replayed'
          ? replayed(wrap(tested.made), 202)
          : ok(JSON.stringify(tested.delivery), 202)
      }),
      unparsed,
    )
    .get(
      `${route}/:id/deliveries`,
      operation({ scope: 'webhooks:read', docs: docs.deliveries }, (call) => {
        const query = readLogQuery(call.request.url)
        return withSlot(lists, call, async () => {
          const found = await webhooks.deliveries(call.principal.accountId, idOf(call), query)
          const shown = { items: found.deliveries, ...found, limit: query.limit }
          return { status: 200, body: wrapMembers(pageMembers(shown, JSON.stringify, cursorOf)) }
        })
      }),
    )
    .post(
      `${prefix}/deliveries/:id/redeliver`,
      operation({ scope: 'webhooks:write', docs: docs.redeliver }, async (call) =>
        ok(JSON.stringify(await webhooks.redeliver(call.principal.accountId, idOf(call))), 202),
      ),
      unparsed,
    )
}

function rotatedJson(rotated: {
  readonly webhook: Webhook
  readonly secret: string
  readonly previousSecretUntil: Date
}): string {
  const { webhook, secret, previousSecretUntil } = rotated
  return toJson(webhook, { secret, previousSecretUntil })
}
