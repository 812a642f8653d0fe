import { DomainError } from '../../domain/error.ts'
import { createTurns } from '../../scheduling/fair-queue.ts'
import type { Job } from './pdf.tsx'
import type { Answer, Drawn } from './pdf-worker.ts'

export type Renderer = {
  /**
   * Draws a PDF. Errors: `overloaded` if too many jobs wait, this one has waited too long, or the
   * caller has gone; `unavailable` if drawing takes too long or the thread dies.
   */
  render(job: Job, caller: Caller): Promise<Uint8Array<ArrayBuffer>>
  /** Starts the thread, so that the first job finds it ready. */
  start(): void
  /** Ends the thread; jobs that still wait are rejected with `unavailable`. */
  close(): void
}

export type Caller = {
  /** Accounts take turns, so that none has to wait for all jobs of another. */
  readonly accountId: string
  /** Aborted when the caller has gone: its job is not drawn if it is still waiting. */
  readonly signal?: AbortSignal
}

type Waiting = {
  readonly accountId: string
  readonly job: Job
  readonly late: ReturnType<typeof setTimeout>
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void
  readonly reject: (error: Error) => void
}

type Options = {
  readonly mostWaiting: number
  /** The limit per account. */
  readonly mostWaitingOfOne: number
  /** How long a job may wait until the thread takes it. */
  readonly patienceMs: number
  /** How long drawing one job may take; a caller waits at most this plus `patienceMs`. */
  readonly deadlineMs: number
  readonly startThread: () => Worker
}

/**
 * How long a thread may take to start. One given up sooner, on a busy machine, would only be
 * replaced by another that takes as long.
 */
const startLimitMs = 60_000

/**
 * Draws PDFs on a separate thread: each takes tens of milliseconds, or even seconds, that would
 * otherwise block requests. The thread starts with the first job, unless it was started before, and
 * is kept; one that dies or misses a deadline is replaced for the next job. Jobs wait while it
 * starts.
 */
export function createRenderer(options: Options): Renderer {
  const { mostWaiting, mostWaitingOfOne, patienceMs, deadlineMs, startThread } = options
  const queue = createTurns<Waiting>()
  let thread: Worker | null = null
  let isReady = false
  let current: Waiting | null = null
  let late: ReturnType<typeof setTimeout> | undefined

  function render(job: Job, { accountId, signal }: Caller): Promise<Uint8Array<ArrayBuffer>> {
    const isFull = queue.lengthOf(accountId) >= mostWaitingOfOne || queue.length() >= mostWaiting
    if (isFull || signal?.aborted) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const late = setTimeout(giveUp, patienceMs)
      const waiting: Waiting = { accountId, job, late, resolve, reject }
      signal?.addEventListener('abort', giveUp, { once: true })
      queue.add(accountId, waiting)
      next()

      function giveUp(): void {
        if (leave(waiting)) reject(overloaded())
      }
    })
  }

  function next(): void {
    const first = queue.next(() => true)
    if (current !== null || !first) return
    thread ??= start()
    if (!isReady) return
    leave(first)
    current = first
    late = setTimeout(() => abandon('the deadline has passed'), deadlineMs)
    thread.postMessage(current.job)
  }

  /** Removes a job from its account's queue; false if it is no longer queued. */
  function leave(waiting: Waiting): boolean {
    clearTimeout(waiting.late)
    return queue.remove(waiting.accountId, waiting)
  }

  function start(): Worker {
    const started = startThread()
    // Events of a thread that has been replaced are ignored.
    const ifKept = (act: () => void) => () => void (thread === started && act())
    started.addEventListener('message', ({ data }: MessageEvent<Answer>) =>
      ifKept(() => (data === 'ready' ? begin() : finish(data)))(),
    )
    started.addEventListener('error', ({ message }) => ifKept(() => abandon(message))())
    started.addEventListener(
      'close',
      ifKept(() => abandon('the thread has ended')),
    )
    late = setTimeout(() => abandon('the thread does not start'), startLimitMs)
    late.unref()
    started.postMessage('are you ready?')
    return started
  }

  function begin(): void {
    if (isReady) return
    isReady = true
    clearTimeout(late)
    next()
  }

  function finish(drawn: Drawn): void {
    const done = take()
    if ('bytes' in drawn) done?.resolve(drawn.bytes)
    else done?.reject(new Error(drawn.fault))
    next()
  }

  function abandon(why: string): void {
    thread?.terminate()
    thread = null
    // Starting costs a job where it fails, too: no thread is started again and again for one.
    const lost = take() ?? (isReady ? undefined : queue.next(() => true))
    isReady = false
    if (lost) {
      leave(lost)
      lost.reject(gaveUp(why))
    }
    next()
  }

  /** Ends an account's turn: it moves behind all other waiting accounts. */
  function take(): Waiting | null {
    clearTimeout(late)
    const taken = current
    current = null
    if (taken) queue.endTurn(taken.accountId)
    return taken
  }

  return {
    render,
    start() {
      thread ??= start()
    },
    close() {
      for (const waiting of queue.all()) {
        leave(waiting)
        waiting.reject(gaveUp('the service is stopping'))
      }
      abandon('the service is stopping')
    },
  }
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
