import { Elysia } from 'elysia'
import type { Accepts } from '../actors/acceptance.ts'
import type { Books } from '../actors/books.ts'
import type { Budgets } from '../actors/budgets.ts'
import type { Claims } from '../actors/claims/claims.ts'
import type { Transfers } from '../actors/claims/transfers.ts'
import type { CreditNotes } from '../actors/credit-notes/credit-notes.ts'
import type { HeldMoney } from '../actors/held-money.ts'
import type { Invoices } from '../actors/invoices.ts'
import type { Keys } from '../actors/keys/keys.ts'
import type { Live } from '../actors/live.ts'
import type { Mandates } from '../actors/mandates.ts'
import type { Profiles } from '../actors/profiles.ts'
import type { PublicInvoices } from '../actors/public-invoices.ts'
import type { Receipts } from '../actors/receipts.ts'
import type { Reports } from '../actors/reports.ts'
import type { Webhooks } from '../actors/webhooks/webhooks.ts'
import { createAdmission } from './admission/admission.ts'
import { createAnswerSlots } from './admission/answer-slots.ts'
import { clientOf, forwardedFor, forwardedNotice } from './admission/client-address.ts'
import type { DashboardTokens } from './admission/dashboard-token.ts'
import type { Connections, Gate } from './admission/gate.ts'
import type { Identity } from './admission/identity.ts'
import type { HostCheck } from './agent-tools/hosts.ts'
import { agentRoutes } from './agent-tools/routes.ts'
import { bookRoutes } from './api/books.ts'
import { budgetRoutes } from './api/budgets.ts'
import { type DocumentParts, documentRoutes } from './api/documents.ts'
import { invoiceRoutes as apiInvoiceRoutes } from './api/invoices.ts'
import { keyRoutes } from './api/keys.ts'
import { profileRoutes } from './api/profile.ts'
import { refundRoutes } from './api/refunds.ts'
import { transferRoutes } from './api/transfers.ts'
import { dashboardRoutes, tokenRoutes } from './api-v1/dashboard.ts'
import { invoiceRoutes as flatInvoiceRoutes } from './api-v1/invoices.ts'
import { type HealthParts, healthRoutes } from './health-routes.ts'
import { docsRoutes } from './openapi/docs-routes.ts'
import { createOperations, type Operations } from './operation.ts'
import { liveRoutes } from './pages/live-routes.ts'
import { pageRoutes } from './pages/pages.ts'
import { sessionRoutes } from './pages/session.ts'
import type { PayerTransactions } from './pages/transaction-routes.ts'
import { type QueueBoard, queueBoardRoutes } from './queue-board-routes.ts'
import { mostLists } from './request/paging.ts'
import { pathOf } from './request/request-url.ts'
import { isForAnyOrigin, readableAnywhere } from './response/cross-origin.ts'
import { answerTo, shapeAt } from './response/errors.ts'
import { unknownPathRefusal } from './response/unknown-path.ts'
import {
  apiNotes,
  creditingRoutes,
  creditNoteRoutes,
  v1Notes,
} from './shared/credit-note-routes.ts'
import type { Taxes } from './shared/invoice-fields.ts'
import { mostExports } from './shared/invoice-routes.ts'
import type { PaidParts } from './shared/paid-orders.ts'
import { taxRoutes } from './shared/tax.ts'
import { apiWebhooks, v1Webhooks, webhookRoutes } from './shared/webhook-routes.ts'
import { claimRoutes } from './v1/claims.ts'
import { invoiceRoutes } from './v1/invoices.ts'
import { mandateRoutes } from './v1/mandates.ts'
import { receiptRoutes } from './v1/receipts.ts'
import { paidRoutes } from './x402/paid-routes.ts'
import { proxyRoutes } from './x402/proxy.ts'
import type { ProxyParts } from './x402/proxy-demand.ts'

/** Everything the routes call; the composition root provides it. */
export type Parts = HealthParts &
  Pick<Gate, 'limits' | 'metrics' | 'log' | 'logAccess' | 'tracing'> & {
    readonly identity: Identity
    readonly trustProxy: boolean
    readonly publicUrl: () => string
    readonly isProduction: boolean
    /** Aborts when the process begins to stop. */
    readonly ending: AbortSignal
    readonly invoices: Invoices
    readonly publicInvoices: PublicInvoices
    readonly transactions: PayerTransactions
    readonly accepts: Accepts
    readonly heldMoney: HeldMoney
    readonly documents: DocumentParts['documents']
    readonly claims: Claims
    readonly creditNotes: CreditNotes
    readonly transfers: Transfers
    readonly budgets: Budgets
    readonly books: Books
    readonly mandates: Mandates
    readonly receipts: Receipts
    readonly webhooks: Webhooks
    readonly accountKeys: Keys
    readonly profiles: Profiles
    readonly proxy: ProxyParts
    readonly x402: PaidParts
    readonly reports: Reports
    readonly tokens: DashboardTokens
    readonly sessions: DashboardTokens
    readonly taxes: Taxes
    readonly live: Live
    readonly board: QueueBoard
    readonly checkHost: HostCheck
  }

/** All routes of the service on one Elysia instance that is not listening yet. */
export function createServer(parts: Parts) {
  const { identity, limits, metrics, log, logAccess, tracing } = parts
  const { findKey } = identity
  const connections = connectionsOf(parts, () => app.server)
  const counted = { limits, metrics, log, logAccess, tracing }
  const gate: Gate = { identify: identity.byKeyOrSession, findKey, ...counted }
  const { showWindow } = createAdmission(gate, connections)
  const api = createOperations(gate, 'api', connections, 'any')
  const v1 = createOperations(gate, 'v1', connections, 'any')
  const rpc = createOperations(gate, 'rpc', connections)
  const keyedGate = { ...gate, identify: identity.byKey }
  const keyed = createOperations(keyedGate, 'api', connections, 'any')
  // What follows is for pages of the service alone.
  const own = createOperations(gate, 'api', connections)
  const ownKeyed = createOperations(keyedGate, 'api', connections)
  const dashboardGate = { ...gate, identify: identity.byTokenOrSession }
  const dashboard = createOperations(dashboardGate, 'api', connections)
  const listed = { ...parts, lists: createAnswerSlots(mostLists) }
  const invoiceParts = { ...listed, exports: createAnswerSlots(mostExports) }
  // By default, Elysia looks for the path after 11 characters; a client's `Host` may be shorter.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(healthRoutes(parts, showWindow))
    .use(invoiceRoutes(v1, invoiceParts))
    .use(apiInvoiceRoutes(api, { ...invoiceParts, purchases: parts.proxy.purchases }))
    .use(flatInvoiceRoutes(api, invoiceParts))
    .use(creditNoteRoutes(api, listed, apiNotes))
    .use(refundRoutes(api, parts.creditNotes))
    .use(creditingRoutes(api, listed))
    .use(creditNoteRoutes(v1, listed, v1Notes))
    .use(claimRoutes(v1, parts.claims))
    .use(transferRoutes(api, parts))
    .use(documentRoutes(api, parts))
    .use(webhookRoutes(v1, listed, v1Webhooks))
    .use(webhookRoutes(api, listed, apiWebhooks))
    .use(keyRoutes(api, parts.accountKeys))
    .use(profileRoutes(api, parts))
    .use(receiptRoutes(v1, parts.receipts))
    .use(mandateRoutes(v1, listed))
    .use(budgetRoutes(api, parts.budgets))
    .use(bookRoutes(api, { ...parts, ...invoiceParts }))
    .use(proxyRoutes(ownKeyed, parts.proxy))
    .use(paidRoutes(api, parts))
    .use(taxRoutes(api, parts.taxes))
    .use(tokenRoutes(keyed, parts.tokens))
    .use(queueBoardRoutes(gate, connections, parts.board))
    .use(dashboardRoutes(dashboard, parts.reports))
    .use(agentRoutes({ rpc, api }, parts))
    .use(sessionRoutes(own, ownKeyed, parts))
    .use(pageRoutes(own, parts))
    .use(liveRoutes(own, parts.live, identity))
  app.use(docsRoutes(own, app.routes))
  const refusalOf = unknownPathRefusal(app.routes)
  const refusing = { api: refuseAll(api), v1: refuseAll(v1), rpc: refuseAll(rpc) }
  const refusingOwn = refuseAll(own)
  const refusingDashboard = refuseAll(dashboard)

  function refuseAll(operation: Operations) {
    return operation({ scope: null }, ({ request }) => {
      throw refusalOf(request)
    })
  }

  return app
    .all('/*', ({ request, params, route }) => {
      const path = pathOf(request.url)
      // Other operations would count a dashboard token as a wrong key.
      if (path.startsWith('/api/v1/dashboard/'))
        return refusingDashboard({ request, params, route })
      const shape = shapeAt(path)
      const isOwn = shape === 'api' && !isForAnyOrigin(path)
      return (isOwn ? refusingOwn : refusing[shape])({ request, params, route })
    })
    .onError(({ error, code, request }) => {
      const path = pathOf(request.url)
      const known = code === 'PARSE' || code === 'VALIDATION' || code === 'NOT_FOUND'
      if (!known) log.error({ path, err: error }, 'request failed')
      const { status, body } = answerTo(known ? refusalOf(request) : error, shapeAt(path))
      const headers = {
        'content-type': 'application/json',
        ...(isForAnyOrigin(path) && readableAnywhere),
      }
      showWindow(request, headers)
      return new Response(body, { status, headers })
    })
}

/** What Bun knows about connections; `server` is set once the service listens. */
function connectionsOf(
  { trustProxy, log }: Pick<Parts, 'trustProxy' | 'log'>,
  server: () => Server | null,
): Connections {
  const forwardedIn = trustProxy ? forwardedFor : forwardedNotice(log)
  return {
    addressOf: (request) =>
      clientOf(forwardedIn(request) ?? server()?.requestIP(request)?.address ?? 'unknown'),
    keepOpen: (request, seconds) => server()?.timeout(request, seconds),
    // Bun knows no address of a request that is over.
    isOver: (request) => !server()?.requestIP(request),
  }
}

type Server = NonNullable<Elysia['server']>

/** The routes with nothing behind them, for the API document. */
export function allRoutes() {
  return createServer(unbound('parts') as Parts).routes
}

/** Can be handed on like a real part; calling it throws. */
function unbound(path: string): unknown {
  return new Proxy(
    () => {
      throw new Error(`${path} is not bound: this server has routes and nothing behind them`)
    },
    {
      // Without `then`, nobody takes it for a promise.
      get: (_, name) =>
        typeof name === 'symbol' || name === 'then' ? undefined : unbound(`${path}.${name}`),
    },
  )
}
