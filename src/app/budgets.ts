import { type Budgets, createBudgets } from '../actors/budgets.ts'
import { createGroupCommit } from '../actors/group-commit.ts'
import type { Live } from '../actors/live.ts'
import type { Once } from '../actors/once.ts'
import * as BudgetRows from '../storage/budgets/budgets.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { newId, now } from './clock.ts'
import { type Database, lanes } from './database.ts'
import { told } from './live-flush.ts'

/** The budget actors, committing on the lanes of the database. */
export function budgetActors(
  { sql, lanes: laneSqls }: Database,
  once: Once,
  metrics: Metrics,
  live: Pick<Live, 'touched'>,
): Budgets {
  return createBudgets({
    store: {
      load: (accountId, agentId) => BudgetRows.loadAgent(sql, accountId, agentId),
      loadPage: (accountId, page) => BudgetRows.loadPage(sql, accountId, page),
      findReservation: (accountId, id) => BudgetRows.findReservation(sql, accountId, id),
    },
    commits: createGroupCommit({
      lanes,
      maxBatch: 256,
      maxWaiting: 4_096,
      flush: told(
        live,
        'budgets',
        metrics.batches('budget', (n, changes: readonly BudgetRows.Change[]) =>
          BudgetRows.commitAll(laneSqls[n] as Sql, changes),
        ),
      ),
    }),
    once,
    now,
    newId,
  })
}
