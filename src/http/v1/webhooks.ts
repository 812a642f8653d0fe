import type { Operations } from '../operation.ts'
import { wrap, wrapMembers, wrapped, wrappedMembers } from '../response/envelope.ts'
import { webhookDocs } from '../shared/webhook-docs.ts'
import { webhookRoutes as routesOf, type WebhookParts } from '../shared/webhook-routes.ts'

/** `/v1/webhooks` and `/v1/deliveries`. */
export function webhookRoutes(operation: Operations, parts: WebhookParts) {
  return routesOf(operation, parts, {
    prefix: '/v1',
    form: 'v1',
    wrap,
    wrapMembers,
    docs: webhookDocs(wrapped, wrappedMembers),
  })
}
