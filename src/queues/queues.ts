import { type Network, networks } from '../domain/network.ts'
import { type Backend, faultLog, type JobQueue, type QueueLog, within } from './backend.ts'

type Nothing = Readonly<Record<string, never>>

/** What the jobs of each queue carry: ids, never truth. One that carries nothing says "look for due work". */
export type Payloads = {
  outbox: Nothing
  /** Something is due to these webhooks. */
  deliver: { readonly webhookIds: readonly string[] }
  anchor: Nothing
  expiry:
    | { readonly invoiceId: string }
    | { readonly accountId: string; readonly mandateId: string }
  trust: Nothing
  retention: Nothing
  balances: Nothing
} & { [Name in `watch-${Network}`]: Nothing }

export type QueueName = keyof Payloads
type WakeableName = {
  [Name in QueueName]: Payloads[Name] extends Nothing ? Name : never
}[QueueName]

type Row = {
  /** How often a job is tried before it is dropped; the sweep finds its work again. */
  readonly attempts: number
  /** Before the second attempt; doubles with each one after it. */
  readonly backoffMs: number
  /** Jobs in hand at once in one process. */
  readonly concurrency: number
}

// No second attempt: the next step is due sooner than a retry would be.
const watch: Row = { attempts: 1, backoffMs: 0, concurrency: 1 }

export const table: Readonly<Record<QueueName, Row>> = {
  outbox: { attempts: 5, backoffMs: 250, concurrency: 1 },
  deliver: { attempts: 3, backoffMs: 1_000, concurrency: 8 },
  anchor: { attempts: 5, backoffMs: 1_000, concurrency: 1 },
  expiry: { attempts: 3, backoffMs: 1_000, concurrency: 4 },
  trust: { attempts: 5, backoffMs: 60_000, concurrency: 1 },
  // As with watching: it is asked for again before long.
  retention: { attempts: 1, backoffMs: 0, concurrency: 1 },
  balances: { attempts: 1, backoffMs: 0, concurrency: 1 },
  ...(Object.fromEntries(networks.map((network) => [`watch-${network}`, watch])) as {
    [Name in `watch-${Network}`]: Row
  }),
}

type JobOptions = {
  /** A job whose id is waiting or running already is not added again. Neither an integer nor with a colon. */
  readonly jobId?: string
  readonly delayMs?: number
}

/** Jobs of one queue by state, and for how long the next of them has waited. */
export type Depth = {
  readonly queue: QueueName
  readonly jobs: Readonly<Record<string, number>>
  readonly oldestAgeMs: number
}

/** Nothing here throws or makes a caller wait longer than half a second: false says that no job may have been added. */
export type Queues = {
  add<Name extends QueueName>(
    name: Name,
    payload: Payloads[Name],
    options?: JobOptions,
  ): Promise<boolean>
  /** One job every `everyMs`, the first one now; to be said again by the sweep, as it is forgotten with the rest of the backend. */
  every<Name extends QueueName>(
    name: Name,
    payload: Payloads[Name],
    everyMs: number,
  ): Promise<boolean>
  /** One job every night at two o'clock UTC, to be said again likewise. */
  nightly<Name extends QueueName>(name: Name, payload: Payloads[Name]): Promise<boolean>
  /** A job of this queue will start after this moment. Any number of calls within 50 ms make one job. */
  wake(name: WakeableName): void
  /** What waits in every queue. Rejects when the backend does not answer within half a second. */
  depths(): Promise<readonly Depth[]>
  /** Every queue, opened. */
  all(): readonly JobQueue[]
  close(): Promise<void>
}

export const queueNames = Object.keys(table) as readonly QueueName[]
const answerLimitMs = 400
const shownStates = ['waiting', 'active', 'delayed'] as const
const wakeWindowMs = 50
const wakeRetryMs = 1_000
const night = { pattern: '0 0 2 * * *', tz: 'UTC' }

/** The producers' end of every queue. */
export function createQueues(options: { backend: Backend; log: QueueLog }): Queues {
  const queues = new Map<string, JobQueue>()
  const bells = new Map<string, { again: boolean }>()
  const onFault = faultLog(options.log)
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

  /** Each wake is followed by a job that is added after it: one that comes while a job is being added asks for one more. */
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
    every: (name, data, everyMs) =>
      ask(name, (queue) =>
        queue.upsertJobScheduler(name, { every: everyMs }, { name, data, opts: jobOptions(name) }),
      ),
    nightly: (name, data) =>
      ask(name, (queue) =>
        queue.upsertJobScheduler(name, night, { name, data, opts: jobOptions(name) }),
      ),
    wake,
    all: () => queueNames.map(open),
    depths: () => within(Promise.all(queueNames.map(depthOf)), answerLimitMs),
    async close() {
      isClosed = true
      await Promise.all([...queues.values()].map((queue) => queue.close()))
    },
  }
}

/** One waiting job for all processes, and one more after the one that is running. */
function wakeOptions(name: WakeableName) {
  return { ...jobOptions(name), deduplication: { id: 'wake', keepLastIfActive: true } }
}

function jobOptions(name: QueueName, { jobId, delayMs }: JobOptions = {}) {
  const { attempts, backoffMs } = table[name]
  return {
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    // A finished job that is kept would stand in the way of the next one with its id.
    removeOnComplete: true,
    removeOnFail: true,
    ...(jobId !== undefined && { jobId }),
    ...(delayMs !== undefined && { delay: delayMs }),
  }
}
