import { createKeyRing } from '../actors/key-ring.ts'
import { createPublicInvoices } from '../actors/public-invoices.ts'
import { createReadiness } from '../actors/readiness.ts'
import { paymentUri } from '../chain/payment-uri.ts'
import type { Config } from '../config/config.ts'
import { createRenderer, startThread } from '../documents/pdf/render.ts'
import { derive } from '../domain/accounts/secret.ts'
import { registry } from '../domain/registry.ts'
import { identify } from '../http/admission/auth.ts'
import { identifyDashboard } from '../http/admission/dashboard-token.ts'
import type { Caller } from '../http/admission/gate.ts'
import { hostCheck } from '../http/agent-tools/hosts.ts'
import { drainServer } from '../http/drain.ts'
import { listen } from '../http/listen.ts'
import { identifySession } from '../http/pages/session.ts'
import { createServer } from '../http/server.ts'
import { loadMany } from '../storage/invoices/invoices.ts'
import type { RedisPlace } from '../storage/limits/redis-place.ts'
import type { RedisStanding } from '../storage/limits/redis-standing.ts'
import type { Database } from '../storage/postgres/pools.ts'
import { findReceipt } from '../storage/settlement/receipts.ts'
import type { Log } from '../telemetry/log.ts'
import { now, steadyMs } from './clock.ts'
import { requestLimits } from './request-limits.ts'
import type { Service } from './service.ts'

type HttpParts = {
  readonly config: Config
  readonly log: Log
  readonly database: Database
  /** Null without Redis. */
  readonly redisPlace: RedisPlace | null
  readonly standing: RedisStanding
  readonly service: Service
  /** Aborts when the process begins to stop. */
  readonly ending: AbortSignal
}

/**
 * The queue of PDFs holds a few seconds' worth, at most a quarter of one account. `maxWaitMs`
 * exceeds `deadlineMs`: the next in line gets its turn however long the current job takes.
 */
const pdfLimits = { maxWaiting: 32, maxWaitingPerAccount: 8, maxWaitMs: 10_000, deadlineMs: 8_000 }

/** The HTTP server with keys, rate limits and routes, and its shutdown. */
export function serveHttp(parts: HttpParts) {
  const { config, log, database, redisPlace, standing, service, ending } = parts
  const {
    databaseClock,
    metrics,
    board,
    invoices,
    claims,
    budgets,
    mandates,
    paywall,
    purchases,
    webhooks,
    reports,
    sessions,
    live,
    tokens,
    accountKeys,
    egress,
    sealKey,
  } = service
  const { sql, pollSql } = database
  const counting = requestLimits({ pollSql, redisPlace, standing, log })
  const keys = createKeyRing({
    sql,
    pollSql,
    clock: databaseClock,
    steadyMs,
    onFault: (error) => log.warn({ err: error }, 'a background task failed'),
  })
  const documents = createRenderer({ ...pdfLimits, startThread })
  const inSession = (caller: Caller) => identifySession(caller, sessions, keys, publicUrl)
  const server = createServer({
    gate: {
      identify: (request, beforeAsking) =>
        identify(request, keys, beforeAsking) ?? inSession(request),
      findKey: keys.find,
      limits: counting.limits,
      metrics,
      log,
      newRequestId: () => crypto.randomUUID(),
    },
    trustProxy: config.trustProxy,
    metrics,
    invoices,
    claims,
    transfers: service.transfers,
    documents,
    budgets,
    mandates,
    ending,
    proxy: {
      purchases,
      invoices,
      documents,
      egress,
      tokens: purchases.tokens,
      readTransfer: purchases.readTransfer,
      isTaken: purchases.isTaken,
      publicUrl,
      log,
    },
    x402: {
      paywall,
      publicUrl,
      fx: config.fx,
      chains: paywall.networks,
      idKey: derive(sealKey, 'ids of bought invoices'),
      find: async (id) => (await loadMany(sql, [id]))[0],
    },
    webhooks,
    keys: accountKeys,
    receipts: { find: (receiptId) => findReceipt(sql, receiptId) },
    board,
    reports,
    tokens,
    checkHost: hostCheck(config.publicUrl),
    sessions,
    live,
    publicInvoices: createPublicInvoices({
      sql,
      now,
      paymentUri: (chain, payment) => paymentUri(registry[chain], payment),
    }),
    publicUrl,
    identifyDashboard: (request) => inSession(request) ?? identifyDashboard(request, tokens, keys),
    identifyKey: (request, beforeAsking) => identify(request, keys, beforeAsking),
    readiness: createReadiness(config, pollSql, standing, ending),
  })
  listen(
    server,
    { hostname: config.host, port: config.port, variable: 'PORT' },
    {
      // A client that stalls in mid-request is disconnected; operations that take longer declare
      // it (`maxSeconds`).
      idleTimeout: 10,
      // A body must reach our code to be refused with our error object; above this limit Bun
      // answers a bare 413. Operations read at most 1 MiB.
      maxRequestBodySize: 67_108_864,
    },
  )
  return {
    url: localUrl(),
    warmUp: documents.start,
    async stop() {
      live.close()
      await drainServer(server)
      documents.close()
      await Promise.all([counting.close(), keys.close()])
    },
  }

  // The actual port may be known only once the server listens.
  function localUrl(): string {
    return `http://localhost:${server.server?.port ?? config.port}`
  }

  function publicUrl(): string {
    return config.publicUrl ?? localUrl()
  }
}
