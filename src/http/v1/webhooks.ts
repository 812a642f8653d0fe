import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { invalidField } from '../../domain/error.ts'
import { types } from '../../domain/event.ts'
import type { Webhook, WebhookChange } from '../../domain/webhook.ts'
import type { Call, Operations } from '../operation.ts'
import * as Docs from './answers.ts'
import { ok } from './shapes.ts'

/** What the routes need of storage and of the egress guard; `app.ts` hands it over. */
export type Webhooks = {
  /** Answers with the secret only when it was generated here. */
  create(
    accountId: string,
    wanted: { url: string; events: readonly string[]; secret: string | null },
  ): Promise<{ webhook: Webhook; generatedSecret: string | null }>
  list(accountId: string): Promise<readonly Webhook[]>
  get(accountId: string, id: string): Promise<Webhook>
  update(accountId: string, id: string, change: WebhookChange): Promise<Webhook>
  remove(accountId: string, id: string): Promise<void>
}

const EventName = Type.Union(
  types.map((type) => Type.Literal(type)),
  { description: `must be one of ${types.join(', ')}` },
)
const url = Type.String({ minLength: 1, maxLength: 2_048 })
const events = Type.Array(EventName, { minItems: 1, maxItems: 20 })

const CreateWebhook = Type.Object({
  url,
  events,
  secret: Type.Optional(
    Type.String({ minLength: 16, maxLength: 256, pattern: '^[\\x21-\\x7e]+$' }),
  ),
})

const UpdateWebhook = Type.Object({
  url: Type.Optional(url),
  events: Type.Optional(events),
  active: Type.Optional(Type.Boolean()),
})

const route = '/v1/webhooks'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `/v1/webhooks`: contract §8. */
export function webhookRoutes(operation: Operations, webhooks: Webhooks) {
  return new Elysia()
    .post(
      route,
      operation(
        { scope: 'webhooks:write', body: CreateWebhook, docs: Docs.createWebhook },
        async ({ principal, body }) => {
          const { url, events, secret = null } = body.value as typeof CreateWebhook.static
          const wanted = { url, events: [...new Set(events)], secret }
          const { webhook, generatedSecret } = await webhooks.create(principal.accountId, wanted)
          return ok(json(webhook, generatedSecret === null ? {} : { secret: generatedSecret }), 201)
        },
      ),
      { parse: 'none' },
    )
    .get(
      route,
      operation({ scope: 'webhooks:read', docs: Docs.listWebhooks }, async ({ principal }) => {
        const found = await webhooks.list(principal.accountId)
        const data = found.map((webhook) => json(webhook)).join(',')
        return { status: 200, body: `{"success":true,"data":[${data}],"total":${found.length}}` }
      }),
    )
    .get(
      `${route}/:id`,
      operation({ scope: 'webhooks:read', docs: Docs.getWebhook }, async (call) =>
        ok(json(await webhooks.get(call.principal.accountId, idOf(call)))),
      ),
    )
    .patch(
      `${route}/:id`,
      operation(
        { scope: 'webhooks:write', body: UpdateWebhook, docs: Docs.updateWebhook },
        async (call) => {
          const {
            url = null,
            events = null,
            active = null,
          } = call.body.value as typeof UpdateWebhook.static
          if (url === null && events === null && active === null)
            throw invalidField('body', 'must hold url, events or active')
          const change = { url, events: events && [...new Set(events)], active }
          return ok(json(await webhooks.update(call.principal.accountId, idOf(call), change)))
        },
      ),
      { parse: 'none' },
    )
    .delete(
      `${route}/:id`,
      operation({ scope: 'webhooks:write', docs: Docs.removeWebhook }, async (call) => {
        await webhooks.remove(call.principal.accountId, idOf(call))
        return { status: 204, body: null }
      }),
    )
}

/** The id in the path; what cannot be one becomes one that nothing has. */
function idOf({ params }: Call): string {
  const { id = '' } = params
  return uuid.test(id) ? id : '00000000-0000-0000-0000-000000000000'
}

function json(webhook: Webhook, extra: { secret?: string } = {}): string {
  return JSON.stringify({ ...webhook, ...extra })
}
