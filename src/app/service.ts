import { createBudgets } from '../actors/budgets.ts'
import { createClaims, createTransfers } from '../actors/claims.ts'
import { createInvoices } from '../actors/invoices.ts'
import { createKeys } from '../actors/keys.ts'
import { createLive } from '../actors/live.ts'
import { createMandates } from '../actors/mandates.ts'
import { createOnce } from '../actors/once.ts'
import { createPayees } from '../actors/payees.ts'
import { createPaywall } from '../actors/paywall/paywall.ts'
import { createPurchases } from '../actors/purchases/purchases.ts'
import { createReports } from '../actors/reports.ts'
import { createSigningSecrets, secretOpener } from '../actors/secrets.ts'
import { createWebhooks } from '../actors/webhooks.ts'
import { purchaseReaderOf } from '../chain/chains.ts'
import { depositAddresses } from '../chain/evm/deposits.ts'
import { payableNetworks, paymentNetworks } from '../chain/facilitator/networks.ts'
import { isSignedByPayer } from '../chain/facilitator/payer-signature.ts'
import { paymentUri } from '../chain/payment-uri.ts'
import { spelt } from '../chain/wallets.ts'
import type { Config } from '../config/config.ts'
import { isWatched } from '../config/notes.ts'
import type { Secrets } from '../config/secrets.ts'
import type { SealKey } from '../domain/accounts/secret.ts'
import { type References, referencesUnder } from '../domain/invoices/reference.ts'
import { invoiceChains } from '../domain/network.ts'
import { dashboardTokens } from '../http/admission/dashboard-token.ts'
import { createEgress } from '../http/egress/egress.ts'
import { boardPath } from '../http/queue-board-routes.ts'
import { createBoard } from '../queues/board.ts'
import type { Queues } from '../queues/queues.ts'
import { createDatabaseClock } from '../storage/postgres/database-clock.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Database } from '../storage/postgres/pools.ts'
import type { Log } from '../telemetry/log.ts'
import { newId, now, steadyMs } from './clock.ts'
import { serviceMetrics } from './metrics.ts'

export type Service = ReturnType<typeof createService>

type ServiceParts = {
  readonly config: Config
  readonly log: Log
  readonly secrets: Secrets
  readonly sealKey: SealKey
  readonly database: Database
  readonly queues: Queues
}

/** Creates the actors and what they depend on; identical in every role. */
export function createService(parts: ServiceParts) {
  const { config, log, secrets, sealKey, database, queues } = parts
  const databaseClock = createDatabaseClock(() => now().getTime(), steadyMs)
  const openSecret = secretOpener(sealKey, log)
  const references = referencesUnder(sealKey)
  const egress = createEgress({ allowPrivate: config.allowPrivateTargets })
  const once = createOnce(database.sql)
  const live = createLive({
    sql: database.sql,
    onFault: (error) => log.warn({ err: error }, 'dashboards are not notified of changes'),
  })
  const metrics = serviceMetrics(config, database.sql, queues)
  const invoices = createInvoices({
    ...database,
    once,
    payees: payeesOf(config, secrets, database.sql, references),
    references,
    jobs: queues,
    live,
    metrics,
    log,
    fx: config.fx,
    processId: config.processId,
    now,
    steadyMs,
    databaseClock,
    newId,
  })
  const { sql, lanes, list } = database
  const budgets = createBudgets({ sql, lanes, once, metrics, live, now, newId })
  const purchaseReaders = readersOf(config)
  const mandates = createMandates({
    sql,
    lanes,
    list,
    once,
    signingSecrets: createSigningSecrets({
      sql,
      openSecret,
      deploymentSecret: secrets.mandateSigningSecret,
    }),
    jobs: queues,
    live,
    now,
    newId,
  })
  return {
    databaseClock,
    metrics,
    invoices,
    claims: createClaims({
      sql,
      invoices,
      jobs: queues,
      isSignedByPayer,
      feeBasisPoints: config.feeBasisPoints,
      now,
      newId,
    }),
    transfers: createTransfers({ sql, list }),
    budgets,
    mandates,
    purchaseReaders,
    purchases: createPurchases({
      sql,
      invoices,
      budgets,
      readers: purchaseReaders,
      fx: config.fx,
      now,
      log,
    }),
    payableNetworks: payableNetworks(config, secrets),
    paywall: createPaywall({
      sql,
      networks: paymentNetworks({ config, secrets, now, log }),
      isReference: (nonce) => references.read(nonce) !== null,
      isSignedByPayer,
      steadyMs,
      log,
    }),
    webhooks: createWebhooks({
      sql: database.sql,
      list: database.list,
      sealKey,
      egress,
      once,
      jobs: queues,
      now,
      newId,
    }),
    accountKeys: createKeys({ sql: database.sql, once, now: databaseClock.now, newId }),
    board: createBoard(boardPath, queues.all),
    reports: createReports(database.sql, now, steadyMs),
    tokens: dashboardTokens(secrets.jwtSecret, databaseClock.now),
    live,
    sessions: dashboardTokens(secrets.jwtSecret, databaseClock.now, 'session'),
    egress,
    sealKey,
    openSecret,
    references,
    async drain() {
      await Promise.all([invoices.drain(), budgets.drain(), mandates.drain()])
    },
  }
}

/** Determines where invoices are paid, by the configuration. */
function payeesOf(config: Config, secrets: Secrets, sql: Sql, references: References) {
  const { networks, depositXpub } = config
  return createPayees({
    sql,
    wallets: secrets.wallets,
    networks,
    depositAddress: depositXpub === null ? null : depositAddresses(depositXpub),
    spelt,
    paymentUri,
    references,
    steadyMs,
  })
}

/** What can be asked about the payments of purchases, on each chain that is watched. */
function readersOf(config: Config) {
  return new Map(
    invoiceChains
      .filter((network) => isWatched(config, network))
      .map((network) => {
        const { rpcUrls, usdcAddress: usdc, maxRangeBlocks } = config.networks[network]
        return [network, purchaseReaderOf({ network, rpcUrls, usdc, maxRangeBlocks })] as const
      }),
  )
}
