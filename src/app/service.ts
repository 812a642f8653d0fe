import { createOnce } from '../actors/once.ts'
import type { Config } from '../config.ts'
import { references } from '../domain/reference.ts'
import { derive, keyFrom } from '../domain/secret.ts'
import { dashboardTokens } from '../http/dashboard-token.ts'
import { createEgress } from '../http/egress.ts'
import type { Log } from '../log.ts'
import type { Queues } from '../queues/queues.ts'
import type { Secrets } from '../secrets.ts'
import { firstAnswer } from '../storage/idempotency.ts'
import { budgetActors } from './budgets.ts'
import { claimService } from './claims.ts'
import { now } from './clock.ts'
import type { Database } from './database.ts'
import { invoiceActors } from './invoices.ts'
import { mandateActors } from './mandates.ts'
import { reports } from './reports.ts'
import { webhookService } from './webhooks.ts'

export type Service = ReturnType<typeof createService>

/** The actors and what they stand on: the same in every role. */
export function createService(
  config: Config,
  log: Log,
  secrets: Secrets,
  database: Database,
  queues: Queues,
) {
  const sealKey = keyFrom(secrets.secretsKey)
  const invoiceReferences = references(derive(sealKey, 'invoice references'))
  const egress = createEgress({ allowPrivate: config.allowPrivateTargets })
  const once = createOnce({
    firstAnswer: (accountId, route, key) => firstAnswer(database.sql, accountId, route, key),
  })
  const invoices = invoiceActors({
    config,
    log,
    secrets,
    database,
    queues,
    once,
    references: invoiceReferences,
  })
  const budgets = budgetActors(database, once)
  const mandates = mandateActors({ secrets, sealKey, database, queues, once })
  return {
    invoices,
    claims: claimService({ config, sql: database.sql, queues, invoices }),
    budgets,
    mandates,
    webhooks: webhookService({ sql: database.sql, sealKey, egress, once, queues }),
    reports: reports(database.sql),
    tokens: dashboardTokens(secrets.jwtSecret, now),
    sessions: dashboardTokens(secrets.jwtSecret, now, 'session'),
    egress,
    sealKey,
    references: invoiceReferences,
    async drain() {
      await Promise.all([invoices.drain(), budgets.drain(), mandates.drain()])
    },
  }
}
