import { Type } from '@sinclair/typebox'
import { wrapped } from '../doc-schemas.ts'
import type { Operations } from '../operation.ts'
import { webhookDocs } from '../webhook-docs.ts'
import { webhookRoutes as routesOf, type Webhooks } from '../webhook-routes.ts'
import { wrap } from './shapes.ts'

/** `/v1/webhooks` and `/v1/deliveries`. */
export function webhookRoutes(operation: Operations, webhooks: Webhooks) {
  return routesOf(operation, webhooks, {
    prefix: '/v1',
    form: 'v1',
    wrap,
    wrapList: (members) => `{"success":true,${members}}`,
    docs: webhookDocs(wrapped, (members) =>
      Type.Object({ success: Type.Literal(true), ...members }),
    ),
  })
}
