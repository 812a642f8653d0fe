import { Type } from '@sinclair/typebox'
import { deliveryStates } from '../../domain/webhooks/delivery.ts'
import { types } from '../../domain/webhooks/events.ts'
import { cursorQuery, instant, like, nullable, oneOf, uuid } from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'
import type { Envelope } from '../response/envelope.ts'

const webhook = Type.Object(
  {
    id: uuid,
    url: like('https://example.com/hooks'),
    events: Type.Array(oneOf(types)),
    active: Type.Boolean(),
    disabledReason: nullable(
      Type.String({ description: 'Why it was switched off, where the service did so.' }),
    ),
    createdAt: instant,
    updatedAt: instant,
  },
  { $id: 'Webhook' },
)

const attempt = Type.Object({
  attempt: Type.Integer({ examples: [1] }),
  startedAt: instant,
  durationMs: Type.Integer({ examples: [41] }),
  statusCode: nullable(Type.Integer({ examples: [200] })),
  error: nullable(Type.String()),
  responseExcerpt: nullable(Type.String()),
})

const delivery = Type.Object(
  {
    id: uuid,
    webhookId: uuid,
    eventId: like('evt_5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f'),
    type: oneOf(types),
    state: oneOf(deliveryStates),
    isTest: Type.Boolean(),
    attempts: Type.Array(attempt),
    nextAttemptAt: nullable(instant),
    createdAt: instant,
  },
  { $id: 'Delivery' },
)

const logQuery = Type.Object({
  state: Type.Optional(oneOf(deliveryStates)),
  status: Type.Optional({ ...oneOf(deliveryStates), description: 'The same as `state`.' }),
  ...cursorQuery,
})

/** What `/openapi.json` says about a family's webhooks. */
export function webhookDocs({ schema: one, listSchema: list }: Envelope) {
  return {
    create: {
      summary: 'Create a webhook',
      description:
        'Without `secret` one is made, and shown in this answer only: not when it is repeated for the same `Idempotency-Key`. With `active: false` nothing is delivered until it is activated.',
      exampleBody: { url: 'https://example.com/hooks', events: ['invoice.settled'] },
      idempotent: true,
      answers: {
        201: one(Type.Object({ ...webhook.properties, secret: Type.Optional(like('whsec_…')) })),
      },
      refusals: ['limit_reached'],
    },
    list: {
      summary: 'List webhooks',
      answers: { 200: list({ data: Type.Array(webhook), total: Type.Integer({ examples: [1] }) }) },
    },
    get: { summary: 'Read a webhook', answers: { 200: one(webhook) } },
    update: {
      summary: 'Change a webhook',
      description:
        'Activating one that was switched off resumes what is still to be delivered. Events that occurred while it was off are never delivered to it: read the lists of invoices and mandates to catch up.',
      exampleBody: { active: true },
      answers: { 200: one(webhook) },
    },
    remove: {
      summary: 'Remove a webhook',
      description: 'What was still to be delivered is cancelled.',
      answers: { 204: null },
    },
    rotateSecret: {
      summary: 'Change the signing secret',
      description:
        'Until `previousSecretUntil`, 24 hours on, deliveries carry a signature of this one and of the one before. Send an `Idempotency-Key`: should the answer get lost, asking again with it shows the same secret.',
      idempotent: true,
      answers: {
        200: one(
          Type.Object({
            ...webhook.properties,
            secret: like('whsec_…'),
            previousSecretUntil: instant,
          }),
        ),
      },
    },
    test: {
      summary: 'Deliver a sample event',
      description:
        'Signed, retried and logged like any other; what it tells of does not exist. It comes with `X-Service-Test: true`, and the number of its invoice is 0, or `INV-<year>-0000`. An invoice is written as those made in this family of paths.',
      exampleBody: { event: 'invoice.settled' },
      idempotent: true,
      answers: { 202: one(delivery) },
      refusals: ['invalid_state'],
    },
    deliveries: {
      summary: 'List the deliveries of a webhook, newest first',
      description:
        'A page has about 1 MiB of attempts at most, and fewer deliveries than `limit` where they are many: follow `nextCursor`.',
      query: logQuery,
      answers: {
        200: list({
          data: Type.Array(delivery),
          limit: Type.Integer({ examples: [10] }),
          hasMore: Type.Boolean(),
          nextCursor: nullable(Type.String()),
        }),
      },
      refusals: ['overloaded'],
    },
    redeliver: {
      summary: 'Deliver once more',
      description:
        'Due at once, whatever became of it before, until the log of its attempts holds 128 KiB. What got through once is `delivered` in the end, even if this fails.',
      answers: { 202: one(delivery) },
      refusals: ['invalid_state', 'limit_reached'],
    },
  } as const satisfies Record<string, Docs>
}
