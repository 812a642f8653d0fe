import { Elysia } from 'elysia'
import type { Budgets } from '../actors/budgets.ts'
import type { Claims } from '../actors/claims.ts'
import type { Invoices } from '../actors/invoices.ts'
import type { Keys } from '../actors/keys.ts'
import type { Live } from '../actors/live.ts'
import type { Mandates } from '../actors/mandates.ts'
import type { PublicInvoices } from '../actors/public-invoices.ts'
import type { Reports } from '../actors/reports.ts'
import type { Webhooks } from '../actors/webhooks.ts'
import { DomainError } from '../domain/error.ts'
import { createAnswerSlots } from './admission/answer-slots.ts'
import { clientOf, forwardedFor, forwardedNotice } from './admission/client-address.ts'
import type { DashboardTokens } from './admission/dashboard-token.ts'
import type { Connections, Gate } from './admission/gate.ts'
import type { HostCheck } from './agent-tools/hosts.ts'
import { agentRoutes } from './agent-tools/routes.ts'
import { budgetRoutes } from './api/budgets.ts'
import { type DocumentParts, documentRoutes } from './api/documents.ts'
import { invoiceRoutes as apiInvoiceRoutes } from './api/invoices.ts'
import { keyRoutes } from './api/keys.ts'
import { taxRoutes as apiTaxRoutes } from './api/tax.ts'
import { type TransferParts, transferRoutes } from './api/transfers.ts'
import { webhookRoutes as apiWebhookRoutes } from './api/webhooks.ts'
import { tokenRoutes } from './api-v1/auth.ts'
import { dashboardRoutes } from './api-v1/dashboard.ts'
import { invoiceRoutes as flatInvoiceRoutes } from './api-v1/invoices.ts'
import { taxRoutes } from './api-v1/tax.ts'
import { type HealthParts, healthRoutes } from './health-routes.ts'
import { docsRoutes } from './openapi/docs-routes.ts'
import { createOperations } from './operation.ts'
import { liveRoutes } from './pages/live-routes.ts'
import { pageRoutes } from './pages/pages.ts'
import { sessionRoutes } from './pages/session.ts'
import { type QueueBoard, queueBoardRoutes } from './queue-board-routes.ts'
import { mostLists } from './request/paging.ts'
import { pathOf } from './request/request-url.ts'
import { answerTo, type ErrorShape, shapeAt } from './response/errors.ts'
import { mostExports } from './shared/invoice-routes.ts'
import type { PaidParts } from './shared/paid-orders.ts'
import { claimRoutes } from './v1/claims.ts'
import { invoiceRoutes } from './v1/invoices.ts'
import { type MandateParts, mandateRoutes } from './v1/mandates.ts'
import { type ReceiptReader, receiptRoutes } from './v1/receipts.ts'
import { webhookRoutes } from './v1/webhooks.ts'
import { paidRoutes } from './x402/paid-routes.ts'
import { proxyRoutes } from './x402/proxy.ts'
import type { ProxyParts } from './x402/proxy-parts.ts'

/** Everything the routes call; `app.ts` provides it. */
export type Parts = HealthParts & {
  readonly gate: Gate
  readonly trustProxy: boolean
  readonly invoices: Invoices
  readonly claims: Claims
  readonly transfers: TransferParts['transfers']
  readonly documents: DocumentParts['documents']
  readonly budgets: Budgets
  readonly mandates: Mandates
  readonly ending: MandateParts['ending']
  readonly proxy: ProxyParts
  readonly webhooks: Webhooks
  readonly keys: Keys
  readonly x402: PaidParts
  readonly receipts: ReceiptReader
  readonly board: QueueBoard
  readonly reports: Reports
  readonly tokens: DashboardTokens
  readonly checkHost: HostCheck
  readonly sessions: DashboardTokens
  readonly publicInvoices: PublicInvoices
  readonly live: Live
  publicUrl(): string
  /** Like the gate's `identify`, for paths that take a dashboard token and no key. */
  readonly identifyDashboard: Gate['identify']
  /** Like the gate's `identify`, for paths on which a session authenticates nobody. */
  readonly identifyKey: Gate['identify']
}

/**
 * All routes of the service on one Elysia instance that is not listening yet. The handlers at the
 * end answer what Elysia itself refuses, such as unknown paths.
 */
export function createServer(parts: Parts) {
  const { gate } = parts
  const forwardedIn = parts.trustProxy ? forwardedFor : forwardedNotice(gate.log)
  const connections: Connections = {
    addressOf: (request) =>
      clientOf(forwardedIn(request) ?? app.server?.requestIP(request)?.address ?? 'unknown'),
    keepOpen: (request, seconds) => app.server?.timeout(request, seconds),
    // All that Bun tells of it: a request that is over has no address any more.
    isOver: (request) => !app.server?.requestIP(request),
  }
  const v1 = createOperations(gate, 'v1', connections)
  const rpc = createOperations(gate, 'rpc', connections)
  const operations = { api: createOperations(gate, 'api', connections), v1, rpc }
  const dashboardGate = { ...gate, identify: parts.identifyDashboard }
  const dashboard = createOperations(dashboardGate, 'api', connections)
  const keyed = createOperations({ ...gate, identify: parts.identifyKey }, 'api', connections)
  const listed = { ...parts, lists: createAnswerSlots(mostLists) }
  const invoiceParts = { ...listed, exports: createAnswerSlots(mostExports) }
  // A client may send a host of any length; by default, Elysia seeks the path after 11 characters.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(healthRoutes(parts))
    .use(invoiceRoutes(v1, invoiceParts))
    .use(apiInvoiceRoutes(operations.api, { ...invoiceParts, purchases: parts.proxy.purchases }))
    .use(flatInvoiceRoutes(operations.api, invoiceParts))
    .use(claimRoutes(v1, parts.claims))
    .use(transferRoutes(operations.api, parts))
    .use(documentRoutes(operations.api, parts))
    .use(webhookRoutes(v1, listed))
    .use(apiWebhookRoutes(operations.api, listed))
    .use(keyRoutes(operations.api, parts.keys))
    .use(receiptRoutes(v1, parts.receipts))
    .use(mandateRoutes(v1, listed))
    .use(budgetRoutes(operations.api, parts.budgets))
    .use(proxyRoutes(keyed, parts.proxy))
    .use(paidRoutes(operations.api, parts))
    .use(apiTaxRoutes(operations.api))
    .use(taxRoutes(operations.api))
    .use(tokenRoutes(keyed, parts.tokens))
    .use(queueBoardRoutes(gate, connections, parts.board))
    .use(dashboardRoutes(dashboard, parts.reports))
    .use(agentRoutes(operations, parts))
    .use(sessionRoutes(operations.api, keyed, parts.sessions, parts.publicUrl))
    .use(pageRoutes(operations.api, parts.publicInvoices))
    .use(liveRoutes(operations.api, parts.live, (request) => gate.identify(request)))
  app.use(docsRoutes(operations.api, app.routes))
  const paths = routeTable(app.routes)
  return app
    .all('/*', ({ request, params, route }) => {
      // What is a token there would be a wrong key to the others.
      const isDashboard = pathOf(request.url).startsWith('/api/v1/dashboard/')
      const operation = isDashboard ? dashboard : operations[shapeOf(request.url)]
      const refuse = operation({ scope: null }, () => {
        throw refusalOf(request, paths)
      })
      return refuse({ request, params, route })
    })
    .onError(({ error, code, request }) => {
      const known = code === 'PARSE' || code === 'VALIDATION' || code === 'NOT_FOUND'
      if (!known) gate.log.error({ path: pathOf(request.url), err: error }, 'request failed')
      const { status, body } = answerTo(
        known ? refusalOf(request, paths) : error,
        shapeOf(request.url),
      )
      return new Response(body, { status, headers: { 'content-type': 'application/json' } })
    })
}

function shapeOf(url: string): ErrorShape {
  return shapeAt(pathOf(url))
}

type Path = { readonly look: RegExp; readonly method: string }

function routeTable(routes: readonly { method: string; path: string }[]): readonly Path[] {
  return routes.map(({ method, path }) => ({
    method,
    look: new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`),
  }))
}

function refusalOf(request: Request, paths: readonly Path[]): DomainError {
  const path = pathOf(request.url)
  const methods = paths
    .filter(({ look }) => look.test(path))
    // Elysia answers HEAD wherever it answers GET.
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  if (methods.length === 0) return new DomainError('not_found', 'There is nothing at this path')
  const allow = [...new Set(methods)].join(', ')
  return new DomainError('method_not_allowed', `This path takes ${allow}`, { headers: { allow } })
}
