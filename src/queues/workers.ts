import type { Job } from 'bullmq'
import { type Backend, faultLog, type QueueLog, within } from './backends/backend.ts'
import { createFailureLog } from './failure-log.ts'
import { type QueueName, table } from './queues.ts'
import type { Work } from './work.ts'

export type Processors = { readonly [Name in QueueName]?: Work<Name>['process'] }

export type Workers = ReturnType<typeof createWorkers>

const closeLimitMs = 1_000

export function createWorkers(options: {
  backend: Backend
  processors: Processors
  log: QueueLog
}) {
  const { backend, processors, log } = options
  const onFault = faultLog(log, backend.isAway)
  const failureLog = createFailureLog(log)
  const inHand = new Set<Promise<void>>()
  const names = (Object.keys(processors) as QueueName[]).filter((name) => processors[name])
  const workers = names.map((name) => ({
    name,
    worker: backend.openWorker(name, {
      concurrency: table[name].concurrency,
      process: (job) => process(name, job),
      onFailed: (job, error) => logFailure(name, job, error),
    }),
  }))

  async function process(name: QueueName, job: Job): Promise<void> {
    // TypeScript cannot follow the name from payload to processor through the table.
    const processor = processors[name] as (payload: unknown) => Promise<void>
    const work = processor(job.data)
    inHand.add(work)
    try {
      await work
    } finally {
      inHand.delete(work)
    }
  }

  function logFailure(queue: QueueName, job: Job | undefined, error: Error): void {
    const attempt = job?.attemptsMade
    const isLast = attempt === undefined || attempt >= table[queue].attempts
    failureLog({
      err: error,
      of: queue,
      about: { queue, jobId: job?.id, attempt },
      message: isLast ? 'job failed' : 'job failed, will be retried',
    })
  }

  function start(): void {
    for (const { name, worker } of workers) worker.run().catch((error) => onFault(error, name))
  }

  /**
   * Takes no more jobs and waits up to `deadlineMs`, plus at most a second, for the running ones.
   * What still runs when the backend is closed runs again elsewhere. Never rejects.
   */
  async function drain(deadlineMs: number): Promise<void> {
    const closed = Promise.allSettled(workers.map(({ worker }) => worker.close()))
    await within(Promise.allSettled(inHand), deadlineMs).catch(() => {
      log.warn({ jobs: inHand.size }, 'jobs were still running at the deadline')
    })
    await within(closed, closeLimitMs).catch((error) => onFault(error, ''))
  }

  return { start, drain }
}
