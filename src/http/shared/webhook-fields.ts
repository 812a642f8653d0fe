import { Type } from '@sinclair/typebox'
import { invalidField } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import { type Delivery, deliveryStates, type LogQuery } from '../../domain/webhooks/delivery.ts'
import { types } from '../../domain/webhooks/events.ts'
import type { WebhookChange } from '../../domain/webhooks/webhook.ts'
import type { Call } from '../operation.ts'
import { cursorPageIn } from '../request/paging.ts'
import { parametersOf, stateFilter } from '../request/request-url.ts'
import { meant } from '../request/validation.ts'

/** What callers send about webhooks, and how it is read. */

const EventName = Type.Union(
  types.map((type) => Type.Literal(type)),
  { description: `must be one of ${types.join(', ')}` },
)
const url = meant(
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'must be a URL of 1 to 2048 characters',
  }),
  'Where events are delivered: an http or https URL without credentials, which the service can reach.',
)
const events = meant(
  Type.Array(EventName, {
    minItems: 1,
    maxItems: 20,
    description: 'must be a list of 1 to 20 event names',
  }),
  'The events to deliver.',
)

const active = Type.Optional(
  meant(
    Type.Boolean({ description: 'must be true or false' }),
    'Whether events are delivered; false pauses the webhook. What occurs meanwhile is never delivered to it.',
  ),
)

// Unused bits at the end must be zero: otherwise some libraries refuse the text, and others read
// bytes that would be encoded differently.
const wholeBase64 =
  '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)'

export const CreateWebhook = Type.Object({
  url,
  events,
  active,
  secret: Type.Optional(
    meant(
      Type.String({
        minLength: 16,
        maxLength: 256,
        pattern: `^(?:(?!whsec_)[\\x21-\\x7e]+|whsec_${wholeBase64})$`,
        description:
          'must be a text of 16 to 256 printable ASCII characters without spaces; whsec_ must be followed by whole base64',
      }),
      'The secret that deliveries are signed with: 16 to 256 printable ASCII characters without spaces, or `whsec_` and base64. One is made where it is left out.',
    ),
  ),
})

export const UpdateWebhook = Type.Object({
  url: Type.Optional(url),
  events: Type.Optional(events),
  active,
})

export const TestWebhook = Type.Object({
  event: meant(EventName, 'The event to deliver a sample of.'),
})

/** The change that a body asks for. Errors: `invalid_request` where it names none. */
export function changeOf(wanted: typeof UpdateWebhook.static): WebhookChange {
  const { url = null, events = null, active = null } = wanted
  if (url === null && events === null && active === null)
    throw invalidField('body', 'must hold url, events or active')
  return { url, events: events && [...new Set(events)], active }
}

/** The page of the delivery log that a caller asked for. Errors: `invalid_request`. */
export function readLogQuery(requestUrl: string): LogQuery {
  const parameter = parametersOf(requestUrl)
  const place = cursorPageIn(parameter, (cursor) => (isUuid(cursor) ? cursor : null))
  return { ...place, state: stateFilter(parameter, deliveryStates) }
}

/** The cursor of what follows a delivery in the log. */
export function cursorOf({ id }: Delivery): string {
  return id
}

/** The id in the path; anything that is not a UUID becomes an id that nothing has. */
export function idOf({ params }: Call): string {
  const { id = '' } = params
  return isUuid(id) ? id : nothing
}

const nothing = '00000000-0000-0000-0000-000000000000'
