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
      Type.String({ description: 'Why the service switched it off, if it did.' }),
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
    eventId: like('5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f'),
    type: oneOf(types),
    state: oneOf(deliveryStates),
    isTest: Type.Boolean(),
    attempts: Type.Array(attempt),
    nextAttemptAt: nullable(instant),
    createdAt: instant,
  },
  { $id: 'Delivery' },
)

const payload = nullable(
  Type.Object(
    {
      id: like('5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f'),
      type: oneOf(types),
      createdAt: instant,
      sequence: Type.Integer({ examples: [3] }),
      data: Type.Object({}, { additionalProperties: Type.Unknown() }),
    },
    { description: 'The body of each attempt; null where the event is no longer kept.' },
  ),
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
        'Without `secret` one is generated and shown in this answer only, not when it is replayed for the same `Idempotency-Key`. With `active: false` nothing is delivered until it is activated.',
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
      refusals: ['invalid_request'],
    },
    get: { summary: 'Read a webhook', answers: { 200: one(webhook) } },
    update: {
      summary: 'Change a webhook',
      description:
        'Activating a webhook resumes its pending deliveries. Events that occurred while it was off are not delivered later: read the lists of invoices and mandates to catch up.',
      exampleBody: { active: true },
      answers: { 200: one(webhook) },
    },
    remove: {
      summary: 'Remove a webhook',
      description: 'Its pending deliveries are cancelled.',
      answers: { 204: null },
    },
    rotateSecret: {
      summary: 'Change the signing secret',
      description:
        'Until `previousSecretUntil`, 24 hours later, deliveries carry signatures by both the new and the previous secret. Send an `Idempotency-Key`: if the answer is lost, the same request shows the same secret again.',
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
        'Signed, retried and logged like any other event, about an invoice or mandate that does not exist. It has the header `X-Service-Test: true`, and its invoice number is 0, or `INV-<year>-0000`. The invoice has the form of this family of paths.',
      exampleBody: { event: 'invoice.settled' },
      idempotent: true,
      answers: { 202: one(delivery) },
      refusals: ['invalid_state'],
    },
    deliveries: {
      summary: 'List the deliveries of a webhook, newest first',
      description:
        'A page has at most about 1 MiB of attempts, and then fewer deliveries than `limit`: follow `nextCursor`.',
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
    delivery: {
      summary: 'Read a delivery, with what it sends',
      answers: { 200: one(Type.Object({ ...delivery.properties, payload })) },
    },
    redeliver: {
      summary: 'Redeliver',
      description:
        'The delivery is due at once, whatever its state, until the log of its attempts holds 128 KiB. One that succeeded before stays `delivered` even if this attempt fails.',
      answers: { 202: one(delivery) },
      refusals: ['invalid_state', 'limit_reached'],
    },
  } as const satisfies Record<string, Docs>
}
