import type { Invoices } from '../actors/invoices.ts'
import type { Live } from '../actors/live.ts'
import type { Mandates } from '../actors/mandates.ts'
import type { Purchases } from '../actors/purchases/purchases.ts'
import type { OpenSecret } from '../actors/secrets.ts'
import type { PurchaseReaders } from '../chain/chains.ts'
import type { Config } from '../config/config.ts'
import type { References } from '../domain/invoices/reference.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Send } from './delivery/attempt.ts'
import type { Payloads, QueueName, Queues } from './queues.ts'
import type { Tasks } from './sweep.ts'

/** What is done for a queue, by the processes that serve it. */
export type Work<Name extends QueueName> = {
  /** Any job may run twice, even concurrently with itself; one that throws is retried. */
  readonly process?: (payload: Payloads[Name]) => Promise<void>
  /** Puts its jobs on their schedule, which the sweep repeats. */
  readonly schedule?: () => Promise<boolean>
  /** What the sweep does in case jobs were lost. */
  readonly recoverDue?: Tasks
}

/** What works are made of. */
export type WorkParts = {
  readonly config: Config
  readonly anchorPrivateKey: string | null
  readonly log: Log
  readonly sql: Sql
  /** For what a chain waits for, and takes longer than statements may. */
  readonly patientSql: Sql
  /** For work that takes as long as it takes. */
  readonly unhurriedSql: Sql
  readonly queues: Queues
  readonly invoices: Invoices
  readonly mandates: Mandates
  readonly purchases: Purchases
  readonly purchaseReaders: PurchaseReaders
  readonly live: Live
  readonly metrics: Metrics
  readonly references: References
  readonly openSecret: OpenSecret
  readonly egress: { open(url: string, limitMs: number): Promise<Send> }
  readonly now: () => Date
  /** Monotonic milliseconds; only differences are meaningful. */
  readonly steadyMs: () => number
  readonly newId: () => string
}
