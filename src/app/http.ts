import { createAcceptance } from '../actors/acceptance.ts'
import { createHeldMoney } from '../actors/held-money.ts'
import { createKeyRing } from '../actors/keys/key-ring.ts'
import { createPublicInvoices } from '../actors/public-invoices.ts'
import type { createReadiness } from '../actors/readiness.ts'
import { createReceipts } from '../actors/receipts.ts'
import { anchorFactsFrom } from '../chain/anchor/facts.ts'
import { readSignedTransfer } from '../chain/solana/message.ts'
import { solanaPayments } from '../chain/solana/payer-transaction.ts'
import type { Config } from '../config/config.ts'
import { createRenderer, startThread } from '../documents/pdf/render.ts'
import { evmPayment } from '../domain/invoices/payer-transaction.ts'
import type { Terms } from '../domain/invoices/terms.ts'
import { caip2Of, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { Token } from '../domain/x402/requirements.ts'
import { createIdentity } from '../http/admission/identity.ts'
import { hostCheck } from '../http/agent-tools/hosts.ts'
import { drainServer } from '../http/drain.ts'
import { listen } from '../http/listen.ts'
import type { PayerTransactions } from '../http/pages/transaction-routes.ts'
import { createServer } from '../http/server.ts'
import type { Database } from '../storage/postgres/pools.ts'
import type { RedisNamespace } from '../storage/redis/connection.ts'
import type { RedisHealth } from '../storage/redis/health.ts'
import type { Log } from '../telemetry/log.ts'
import { steadyMs } from './clock.ts'
import { requestLimits } from './request-limits.ts'
import type { Service } from './service.ts'

type HttpParts = {
  readonly config: Config
  readonly log: Log
  readonly database: Database
  readonly redisNamespace: RedisNamespace | null
  readonly redisHealth: RedisHealth
  readonly service: Service
  readonly readiness: ReturnType<typeof createReadiness>
  readonly ending: AbortSignal
}

/** `maxWaitMs` exceeds `deadlineMs`: the next in line gets its turn. */
const pdfLimits = { maxWaiting: 32, maxWaitingPerAccount: 8, maxWaitMs: 10_000, deadlineMs: 8_000 }

/** The HTTP server with keys, rate limits and routes, and its shutdown. */
export function serveHttp(parts: HttpParts) {
  const { config, log, database, redisNamespace, redisHealth, service, readiness, ending } = parts
  const { sql, pollSql } = database
  const { databaseClock, invoices, purchases, paywall, egress, tokens, sessions, live } = service
  const counting = requestLimits({ pollSql, redisNamespace, redisHealth, log })
  const onFault = (error: unknown) => log.warn({ err: error }, 'a background task failed')
  const keys = createKeyRing({ sql, pollSql, clock: databaseClock, steadyMs, onFault })
  const documents = createRenderer({ ...pdfLimits, startThread })
  const { accepts, close } = createAcceptance({ sql: pollSql, steadyMs, onFault })
  const heldMoney = createHeldMoney({ sql, pollSql, steadyMs, onFault })
  const publicInvoices = createPublicInvoices({
    sql,
    accepts,
    profiles: service.profiles,
  })
  const { rpcUrls, contract } = config.anchor
  const readAnchor = rpcUrls.length > 0 ? anchorFactsFrom(rpcUrls) : null
  const server = createServer({
    ...service,
    log,
    logAccess: config.accessLog ? (line) => log.info(line, 'request') : undefined,
    ending,
    limits: counting.limits,
    identity: createIdentity({ keys, tokens, sessions, publicUrl }),
    readiness,
    trustProxy: config.trustProxy,
    checkHost: hostCheck(config.publicUrl),
    publicUrl,
    isProduction: config.isProduction,
    documents,
    publicInvoices,
    accepts,
    heldMoney,
    transactions: transactionsOf(config),
    receipts: createReceipts({ sql, contract, readAnchor, steadyMs }),
    proxy: {
      purchases,
      invoices,
      documents,
      egress,
      taxes: service.taxes,
      tokens: tokensIn(config),
      readTransfer: (transaction) =>
        readSignedTransfer(transaction, config.networks.solana.usdcAddress),
      publicUrl,
      log,
    },
    x402: {
      paywall,
      publicUrl,
      fxOf: service.fxOf,
      taxes: service.taxes,
      accepts,
      chains: service.payableNetworks,
      idKeys: service.keys.derived.map(({ boughtIds }) => boughtIds),
      find: publicInvoices.find,
    },
  })
  listen(server, { hostname: config.host, port: config.port, variable: 'PORT' }, connectionLimits)
  return {
    url: localUrl(),
    warmUp: documents.start,
    async stop() {
      live.close()
      close()
      heldMoney.close()
      await drainServer(server)
      documents.close()
      await Promise.all([counting.close(), keys.close()])
    },
  }

  function localUrl(): string {
    return `http://localhost:${server.server?.port ?? config.port}`
  }

  function publicUrl(): string {
    return config.publicUrl ?? localUrl()
  }
}

const connectionLimits = {
  // Operations that take longer declare it (`maxSeconds`).
  idleTimeout: 10,
  // Above this limit Bun answers a bare 413; below, operations refuse bodies with our error object.
  maxRequestBodySize: 67_108_864,
}

function transactionsOf(config: Config): PayerTransactions {
  const paymentBy = solanaPayments(config.networks.solana.rpcUrls, steadyMs)
  const paid = (terms: Terms, dueUsdcBase: bigint) => ({ ...terms, dueUsdcBase })
  return {
    evm: ({ terms }, usdcBase) => evmPayment(terms.chain, paid(terms, usdcBase)),
    solana: ({ terms }, usdcBase, payer) => paymentBy(payer, paid(terms, usdcBase)),
  }
}

function tokensIn(config: Config): readonly Token[] {
  return networks.map((network) => {
    const { usdcAddress } = config.networks[network]
    const { usdcDomain: domain } = registry[network]
    return { network, names: [caip2Of(network), network], usdcAddress, domain }
  })
}
