import { createKeys } from '../actors/keys.ts'
import { createLive } from '../actors/live.ts'
import { createOnce } from '../actors/once.ts'
import { secretOpener } from '../actors/secret-opener.ts'
import { createWebhooks } from '../actors/webhooks.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { SealKey } from '../domain/accounts/secret.ts'
import { referencesUnder } from '../domain/invoices/reference.ts'
import { dashboardTokens } from '../http/admission/dashboard-token.ts'
import { createEgress } from '../http/egress/egress.ts'
import { boardPath } from '../http/queue-board-routes.ts'
import { createBoard } from '../queues/board.ts'
import type { Queues } from '../queues/queues.ts'
import { ownersOf } from '../storage/invoices/owners.ts'
import { createDatabaseClock } from '../storage/postgres/database-clock.ts'
import { firstAnswer } from '../storage/postgres/idempotency.ts'
import type { Log } from '../telemetry/log.ts'
import { budgetActors } from './budgets.ts'
import { claimService } from './claims.ts'
import { newId, now, steadyMs } from './clock.ts'
import type { Database } from './database.ts'
import { invoiceActors } from './invoices.ts'
import { mandateActors } from './mandates.ts'
import { serviceMetrics } from './metrics.ts'
import { purchaseService } from './purchases.ts'
import { reports } from './reports.ts'
import { paywall } from './x402.ts'

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
  const invoiceReferences = referencesUnder(sealKey)
  const egress = createEgress({ allowPrivate: config.allowPrivateTargets })
  const once = createOnce({
    firstAnswer: (accountId, route, key) => firstAnswer(database.sql, accountId, route, key),
  })
  const live = createLive({
    ownersOf: (ids) => ownersOf(database.sql, ids),
    onFault: (error) => log.warn({ err: error }, 'changes are not being told'),
  })
  const metrics = serviceMetrics(config, database.sql, queues)
  const invoices = invoiceActors({
    config,
    metrics,
    log,
    secrets,
    database,
    queues,
    once,
    references: invoiceReferences,
    live,
  })
  const budgets = budgetActors(database, once, metrics, live)
  const mandates = mandateActors({ secrets, openSecret, database, queues, once, live })
  return {
    databaseClock,
    metrics,
    invoices,
    claims: claimService({ config, sql: database.sql, queues, invoices }),
    budgets,
    mandates,
    purchases: purchaseService(config, log, database.sql, { invoices, budgets }),
    paywall: paywall({ config, secrets, sql: database.sql, references: invoiceReferences, log }),
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
    reports: reports(database.sql),
    tokens: dashboardTokens(secrets.jwtSecret, databaseClock.now),
    live,
    sessions: dashboardTokens(secrets.jwtSecret, databaseClock.now, 'session'),
    egress,
    sealKey,
    openSecret,
    references: invoiceReferences,
    async drain() {
      await Promise.all([invoices.drain(), budgets.drain(), mandates.drain()])
    },
  }
}
