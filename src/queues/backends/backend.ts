import type { IQueueBackend, Job, Queue, Worker } from 'bullmq'
import { createThrottle } from '../../telemetry/throttle.ts'

export type JobQueue = Pick<
  Queue,
  'add' | 'upsertJobScheduler' | 'removeJobScheduler' | 'getJobCounts' | 'getJobs' | 'close'
>
type JobWorker = Pick<Worker, 'run' | 'close'>

type WorkerSettings = {
  readonly concurrency: number
  readonly process: (job: Job) => Promise<void>
  /** Called after every failed attempt; without a job when BullMQ gave one up. */
  readonly onFailed: (job: Job | undefined, error: Error) => void
}

export type Backend = {
  openQueue(name: string): JobQueue
  /** Takes jobs once `run` is called. */
  openWorker(name: string, settings: WorkerSettings): JobWorker
  /** Whether its server is away and that is logged. */
  isAway(): boolean
  /** Works whether or not the server answers. */
  close(): Promise<void>
}

export type QueueLog = {
  warn(line: object, message: string): void
  error(line: object, message: string): void
}

export const workerTimes = {
  autorun: false,
  // A dead worker's job is taken up after at most one lock duration and one stalled check.
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // After a refused connection; BullMQ's own 15 s would outlast most outages.
  runRetryDelay: 1_000,
} as const

const restMs = 500

/**
 * Pauses after a failed request for the next job. A BullMQ worker repeats it at once, thousands of
 * times a second, against a server that is full or still starting.
 */
export function restful<Bull extends IQueueBackend>(backend: Bull): Bull {
  const ask = backend.moveToActive.bind(backend)
  backend.moveToActive = async (...which) => {
    try {
      return await ask(...which)
    } catch (error) {
      await Bun.sleep(restMs)
      throw error
    }
  }
  return backend
}

/** Logs one backend error a second, and none while the server is known to be away. */
export function faultLog(
  log: QueueLog,
  isAway: () => boolean = () => false,
): (error: unknown, queue: string) => void {
  const throttle = createThrottle(1_000)
  return (error, queue) => {
    const repeated = isAway() ? null : throttle('')
    if (repeated !== null) log.warn({ err: error, queue, repeated }, 'the queue backend failed')
  }
}

/** Settles like `promise`, or rejects after `limitMs`. */
export function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer in ${limitMs} ms`)), limitMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
