import { type Network, networks } from '../domain/network.ts'
import type { TracedEvent } from '../storage/webhooks/outbox.ts'
import type { QueueDepth } from '../telemetry/metrics.ts'
import { type Backend, faultLog, type JobQueue, type QueueLog, within } from './backends/backend.ts'

type Nothing = Readonly<Record<string, never>>

/** The payload of each queue's jobs: ids, never state. An empty one means "look for due work". */
export type Payloads = {
  outbox: Nothing
  /** Webhooks that have due deliveries, and which of their events are traced. */
  deliver: { readonly webhookIds: readonly string[]; readonly traced?: readonly TracedEvent[] }
  anchor: Nothing
  expiry:
    | { readonly invoiceId: string }
    | { readonly accountId: string; readonly mandateId: string }
  trust: Nothing
  retention: Nothing
  balances: Nothing
  rates: Nothing
} & { [Name in `watch-${Network}`]: Nothing }

export type QueueName = keyof Payloads
type WakeableName = {
  [Name in QueueName]: Payloads[Name] extends Nothing ? Name : never
}[QueueName]

type Row = {
  /** Attempts before a job is dropped; the sweep finds its work again. */
  readonly attempts: number
  /** The delay before the second attempt; it doubles with each further one. */
  readonly backoffMs: number
  /** Most jobs running at once in one process. */
  readonly concurrency: number
}

// A single attempt: the next job comes soon anyway.
const watch: Row = { attempts: 1, backoffMs: 0, concurrency: 1 }

export const table: Readonly<Record<QueueName, Row>> = {
  outbox: { attempts: 5, backoffMs: 250, concurrency: 1 },
  deliver: { attempts: 3, backoffMs: 1_000, concurrency: 8 },
  anchor: { attempts: 5, backoffMs: 1_000, concurrency: 1 },
  expiry: { attempts: 3, backoffMs: 1_000, concurrency: 4 },
  trust: { attempts: 1, backoffMs: 0, concurrency: 1 },
  retention: { attempts: 1, backoffMs: 0, concurrency: 1 },
  balances: { attempts: 1, backoffMs: 0, concurrency: 1 },
  rates: { attempts: 1, backoffMs: 0, concurrency: 1 },
  ...(Object.fromEntries(networks.map((network) => [`watch-${network}`, watch])) as {
    [Name in `watch-${Network}`]: Row
  }),
}

type JobOptions = {
  /** A job is not added while one with its id waits or runs. No integer, no colon. */
  readonly jobId?: string
  readonly delayMs?: number
}

type Depth = QueueDepth & { readonly queue: QueueName }

/**
 * The producers' side. Except for `depths`, nothing here throws or takes longer than half a second;
 * false means that the job may not have been added.
 */
export type Queues = {
  add<Name extends QueueName>(
    name: Name,
    payload: Payloads[Name],
    options?: JobOptions,
  ): Promise<boolean>
  /**
   * Schedules a job every `everyMs`, the first one now. The sweep repeats the call, because a
   * backend may lose its data, and a process whose clock is ahead may put the schedule off.
   */
  every<Name extends QueueName>(
    name: Name,
    payload: Payloads[Name],
    everyMs: number,
  ): Promise<boolean>
  /**
   * Ensures that a job of this queue starts after this moment. Calls within 50 ms share one job.
   */
  wake(name: WakeableName): void
  /** Rejects when the backend does not answer within half a second. */
  depths(): Promise<readonly Depth[]>
  all(): readonly JobQueue[]
  close(): Promise<void>
}

export const queueNames = Object.keys(table) as readonly QueueName[]
const answerLimitMs = 400
const shownStates = ['waiting', 'active', 'delayed'] as const
const wakeWindowMs = 50
const wakeRetryMs = 1_000
/** Clocks always differ a little. */
const clockMarginMs = 3_000

export function createQueues(options: { backend: Backend; log: QueueLog }): Queues {
  const queues = new Map<string, JobQueue>()
  const bells = new Map<string, { again: boolean }>()
  const begunAnewMs = new Map<string, number>()
  const onFault = faultLog(options.log, options.backend.isAway)
  let isClosed = false

  function open(name: QueueName): JobQueue {
    const known = queues.get(name)
    if (known) return known
    const queue = options.backend.openQueue(name)
    queues.set(name, queue)
    return queue
  }

  async function ask(name: QueueName, question: (queue: JobQueue) => Promise<unknown>) {
    try {
      await within(question(open(name)), answerLimitMs)
      return true
    } catch (error) {
      onFault(error, name)
      return false
    }
  }

  function wake(name: WakeableName): void {
    const bell = bells.get(name)
    if (bell) bell.again = true
    else void ring(name)
  }

  /**
   * Adds jobs until every wake, also one that arrives meanwhile, is followed by a job added after
   * it.
   */
  async function ring(name: WakeableName): Promise<void> {
    const bell = { again: true }
    bells.set(name, bell)
    try {
      while (bell.again && !isClosed) {
        bell.again = false
        const [isAdded] = await Promise.all([
          ask(name, (queue) => queue.add(name, {}, wakeOptions(name))),
          Bun.sleep(wakeWindowMs),
        ])
        if (isAdded) continue
        bell.again = true
        await Bun.sleep(wakeRetryMs)
      }
    } finally {
      bells.delete(name)
    }
  }

  /**
   * BullMQ schedules each run by the clock of the process that began the one before. After one
   * whose clock was ahead, nothing would run until the others' clocks catch up. A schedule more
   * than an interval away is therefore begun anew, at most once per interval: it then runs at once.
   */
  async function keepPace(name: QueueName, data: object, everyMs: number): Promise<void> {
    const queue = open(name)
    const template = { name, data, opts: jobOptions(name) }
    const schedule = () => queue.upsertJobScheduler(name, { every: everyMs }, template)
    const next = await schedule()
    const isFar = next.delay > everyMs + clockMarginMs
    const nowMs = performance.now()
    if (!isFar || nowMs < (begunAnewMs.get(name) ?? Number.NEGATIVE_INFINITY) + everyMs) return
    begunAnewMs.set(name, nowMs)
    await queue.removeJobScheduler(name)
    await schedule()
  }

  async function depthOf(name: QueueName): Promise<Depth> {
    const queue = open(name)
    const [jobs, [next]] = await Promise.all([
      queue.getJobCounts(...shownStates),
      queue.getJobs(['waiting'], 0, 0, true),
    ])
    const dueAtMs = next ? next.timestamp + next.delay : Date.now()
    return { queue: name, jobs, oldestAgeMs: Math.max(0, Date.now() - dueAtMs) }
  }

  return {
    add: (name, payload, job = {}) =>
      ask(name, (queue) => queue.add(name, payload, jobOptions(name, job))),
    every: (name, data, everyMs) => ask(name, () => keepPace(name, data, everyMs)),
    wake,
    all: () => queueNames.map(open),
    depths: () => within(Promise.all(queueNames.map(depthOf)), answerLimitMs),
    async close() {
      isClosed = true
      await Promise.all([...queues.values()].map((queue) => queue.close()))
    },
  }
}

/** At most one waiting job across all processes, besides the running one. */
function wakeOptions(name: WakeableName) {
  return { ...jobOptions(name), deduplication: { id: 'wake', keepLastIfActive: true } }
}

function jobOptions(name: QueueName, { jobId, delayMs }: JobOptions = {}) {
  const { attempts, backoffMs } = table[name]
  return {
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    // A finished job, if kept, would block the next one with its id.
    removeOnComplete: true,
    removeOnFail: true,
    ...(jobId !== undefined && { jobId }),
    ...(delayMs !== undefined && { delay: delayMs }),
  }
}
