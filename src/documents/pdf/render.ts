import { DomainError } from '../../domain/error.ts'
import { createExpiry } from '../../scheduling/expiry.ts'
import { createFairQueue } from '../../scheduling/fair-queue.ts'
import type { Job } from './pdf.tsx'
import type { Answer, Drawn } from './pdf-worker.ts'

export type Caller = {
  readonly accountId: string
  /** Aborted when the caller has gone: its job is not drawn if it is still waiting. */
  readonly signal?: AbortSignal
}

type Waiting = {
  readonly accountId: string
  readonly job: Job
  readonly dueMs: number
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void
  readonly reject: (error: Error) => void
}

type Options = {
  /** How many jobs may wait, in total and of one account. */
  readonly maxWaiting: number
  readonly maxWaitingPerAccount: number
  /** How long a job may wait until the thread takes it. */
  readonly maxWaitMs: number
  /** How long drawing one job may take; a caller waits at most this plus `maxWaitMs`. */
  readonly deadlineMs: number
  readonly startThread: () => Worker
}

/**
 * How long a thread may take to start. One given up sooner, on a busy machine, would only be
 * replaced by another that takes as long.
 */
const startLimitMs = 60_000

export type Renderer = ReturnType<typeof createRenderer>

/**
 * Draws PDFs on a separate thread: each takes tens of milliseconds, or even seconds, that would
 * otherwise block requests. The thread starts with the first job, unless it was started before, and
 * is kept; one that dies or misses a deadline is replaced for the next job. Jobs wait while it
 * starts; accounts take turns.
 */
export function createRenderer(options: Options) {
  const queue = createFairQueue<Waiting>({
    maxLength: options.maxWaiting,
    maxPerOwner: options.maxWaitingPerAccount,
  })
  const expiry = createExpiry<Waiting>(giveUp)
  let thread: Thread | null = null
  let current: Waiting | null = null

  /**
   * Draws a PDF. Errors: `overloaded` if too many jobs wait, this one has waited too long, or the
   * caller has gone; `unavailable` if drawing takes too long or the thread dies.
   */
  function render(job: Job, { accountId, signal }: Caller): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      const dueMs = performance.now() + options.maxWaitMs
      const waiting = { accountId, job, dueMs, resolve, reject }
      if (signal?.aborted || !queue.add(accountId, waiting)) return reject(overloaded())
      expiry.add(waiting)
      signal?.addEventListener('abort', () => giveUp(waiting), { once: true })
      next()
    })
  }

  function giveUp(waiting: Waiting): void {
    if (leave(waiting)) waiting.reject(overloaded())
  }

  /** Removes a job from its account's line; false if it is no longer queued. */
  function leave(waiting: Waiting): boolean {
    expiry.remove(waiting)
    return queue.remove(waiting.accountId, waiting)
  }

  function next(): void {
    const first = queue.next()
    if (current !== null || !first) return
    start()
    if (!thread?.isReady()) return
    leave(first)
    current = first
    thread.draw(first.job)
  }

  /** Starts the thread, so that the first job finds it ready. */
  function start(): void {
    thread ??= openThread(options, { onReady: next, onDrawn, onLost })
  }

  function onDrawn(drawn: Drawn): void {
    const done = endCurrent()
    if ('bytes' in drawn) done?.resolve(drawn.bytes)
    else done?.reject(new Error(drawn.fault))
    next()
  }

  function onLost(why: string): void {
    // A thread that fails to start costs a job, too: otherwise it would be started again and again.
    const lost = endCurrent() ?? (thread?.isReady() ? undefined : queue.next())
    thread = null
    if (lost) {
      leave(lost)
      lost.reject(gaveUp(why))
    }
    next()
  }

  function endCurrent(): Waiting | null {
    const ended = current
    current = null
    if (ended) queue.endTurn(ended.accountId)
    return ended
  }

  /** Ends the thread; unfinished jobs are rejected with `unavailable`. */
  function close(): void {
    const refusal = gaveUp('the service is stopping')
    for (const waiting of queue.items()) {
      leave(waiting)
      waiting.reject(refusal)
    }
    endCurrent()?.reject(refusal)
    thread?.close()
    thread = null
  }

  return { render, start, close }
}

type Thread = ReturnType<typeof openThread>

type Events = { onReady(): void; onDrawn(drawn: Drawn): void; onLost(why: string): void }

/** A thread that draws one job at a time. After `onLost` or `close` it is gone. */
function openThread({ startThread, deadlineMs }: Options, { onReady, onDrawn, onLost }: Events) {
  const worker = startThread()
  let isReady = false
  let isClosed = false
  let late = setTimeout(() => lose('the thread does not start'), startLimitMs)
  late.unref()
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    if (isClosed || (data === 'ready' && isReady)) return
    clearTimeout(late)
    if (data !== 'ready') return onDrawn(data)
    isReady = true
    onReady()
  })
  worker.addEventListener('error', ({ message }) => lose(message))
  worker.addEventListener('close', () => lose('the thread has ended'))
  worker.postMessage('are you ready?')

  function lose(why: string): void {
    if (isClosed) return
    close()
    onLost(why)
  }

  function close(): void {
    isClosed = true
    clearTimeout(late)
    worker.terminate()
  }

  function draw(job: Job): void {
    late = setTimeout(() => lose('the deadline has passed'), deadlineMs)
    worker.postMessage(job)
  }

  return { isReady: () => isReady, draw, close }
}

/** Starts the thread that draws. */
export function startThread(): Worker {
  const thread = new Worker(new URL('./pdf-worker.ts', import.meta.url))
  // An idle thread must not keep the process alive.
  thread.unref()
  return thread
}

function gaveUp(operatorText: string): DomainError {
  return new DomainError('unavailable', 'The document could not be made; try again', {
    operatorText,
    retryAfterSeconds: 2,
  })
}

function overloaded(): DomainError {
  return new DomainError('overloaded', 'Too many documents are being made', {
    retryAfterSeconds: 2,
  })
}
