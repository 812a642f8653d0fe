import { DomainError } from '../domain/error.ts'
import type { Job } from './pdf.tsx'
import type { Drawn } from './pdf-worker.ts'

export type Renderer = {
  /** The bytes of a PDF. Rejects with `overloaded` when too many wait, `unavailable` when the deadline passes or the thread dies. */
  render(job: Job): Promise<Uint8Array<ArrayBuffer>>
  /** Ends the thread; what still waits is `unavailable`. */
  close(): void
}

type Waiting = {
  readonly job: Job
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void
  readonly reject: (error: Error) => void
}

type Options = {
  readonly mostWaiting: number
  /** Of one job, from when the thread takes it. */
  readonly deadlineMs: number
  readonly startThread: () => Worker
}

/**
 * Draws PDFs on a thread of its own: each takes tens of milliseconds in which requests would stand still. The thread starts with the first job
 * and is kept; one that dies, or is late, is replaced by the next job.
 */
export function createRenderer({ mostWaiting, deadlineMs, startThread }: Options): Renderer {
  const queue: Waiting[] = []
  let thread: Worker | null = null
  let current: Waiting | null = null
  let late: ReturnType<typeof setTimeout> | undefined

  function render(job: Job): Promise<Uint8Array<ArrayBuffer>> {
    if (queue.length >= mostWaiting) {
      const busy = new DomainError('overloaded', 'Too many documents are being made', {
        retryAfterSeconds: 2,
      })
      return Promise.reject(busy)
    }
    return new Promise((resolve, reject) => {
      queue.push({ job, resolve, reject })
      next()
    })
  }

  function next(): void {
    if (current !== null) return
    current = queue.shift() ?? null
    if (current === null) return
    thread ??= start()
    late = setTimeout(() => abandon('the deadline has passed'), deadlineMs)
    thread.postMessage(current.job)
  }

  function start(): Worker {
    const started = startThread()
    // Of a thread that has been given up nothing counts any more.
    const ifKept = (act: () => void) => () => void (thread === started && act())
    started.addEventListener('message', ({ data }: MessageEvent<Drawn>) =>
      ifKept(() => finish(data))(),
    )
    started.addEventListener('error', ({ message }) => ifKept(() => abandon(message))())
    started.addEventListener(
      'close',
      ifKept(() => abandon('the thread has ended')),
    )
    return started
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
    take()?.reject(gaveUp(why))
    next()
  }

  function take(): Waiting | null {
    clearTimeout(late)
    const taken = current
    current = null
    return taken
  }

  return {
    render,
    close() {
      for (const { reject } of queue.splice(0)) reject(gaveUp('the service is stopping'))
      abandon('the service is stopping')
    },
  }
}

/** The thread that draws. */
export function startThread(): Worker {
  const thread = new Worker(new URL('./pdf-worker.ts', import.meta.url))
  // It must not keep a process alive that has nothing else to do.
  thread.unref()
  return thread
}

function gaveUp(operatorText: string): DomainError {
  return new DomainError('unavailable', 'The document could not be made; try again', {
    operatorText,
    retryAfterSeconds: 2,
  })
}
