import { Type } from '@sinclair/typebox'
import type { Operations } from '../operation.ts'
import { webhookDocs } from '../shared/webhook-docs.ts'
import { webhookRoutes as routesOf, type WebhookParts } from '../shared/webhook-routes.ts'

/** `/api/webhooks` and `/api/deliveries`: answers are not wrapped. */
export function webhookRoutes(operation: Operations, parts: WebhookParts) {
  return routesOf(operation, parts, {
    prefix: '/api',
    form: 'api',
    wrap: (json) => json,
    wrapMembers: (members) => `{${members}}`,
    docs: webhookDocs((schema) => schema, Type.Object),
  })
}
