import type { CreditNotes } from '../actors/credit-notes/credit-notes.ts'
import type { Invoices } from '../actors/invoices.ts'
import type { Live } from '../actors/live.ts'
import type { Mandates } from '../actors/mandates.ts'
import type { Purchases } from '../actors/purchases/purchases.ts'
import type { OpenSecret } from '../actors/secrets.ts'
import type { PurchaseReaders, SecondNodes } from '../chain/chains.ts'
import type { Config } from '../config/config.ts'
import type { References } from '../domain/invoices/reference.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { Send } from './delivery/attempt.ts'
import type { Payloads, QueueName, Queues } from './queues.ts'
import type { Tasks } from './sweep.ts'

export type Work<Name extends QueueName> = {
  /** Any job may run twice, even concurrently with itself; one that throws is retried. */
  readonly process?: (payload: Payloads[Name]) => Promise<void>
  /** Called at start and by each sweep. */
  readonly schedule?: () => Promise<boolean>
  readonly recoverDue?: Tasks
}

export type WorkParts = {
  readonly config: Config
  readonly anchorPrivateKey: string | null
  readonly log: Log
  readonly sql: Sql
  /** Allows longer statements. */
  readonly patientSql: Sql
  /** Allows statements of any length. */
  readonly unhurriedSql: Sql
  readonly queues: Queues
  readonly invoices: Invoices
  readonly mandates: Mandates
  readonly creditNotes: Pick<CreditNotes, 'proving'>
  readonly purchases: Purchases
  readonly purchaseReaders: PurchaseReaders
  readonly secondNodes: SecondNodes
  readonly live: Live
  readonly metrics: Metrics
  readonly tracing: Tracing | null
  readonly references: References
  readonly openSecret: OpenSecret
  readonly egress: { open(url: string, limitMs: number): Promise<Send> }
  readonly now: () => Date
  /** Monotonic. */
  readonly steadyMs: () => number
  readonly newId: () => string
}
