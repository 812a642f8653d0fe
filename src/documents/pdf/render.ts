import type { CreditNote } from '../../domain/credit-notes/credit-note.ts'
import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { programFile } from '../../files.ts'
import { createFairQueue } from '../../scheduling/fair-queue.ts'
import { createTimeouts } from '../../scheduling/timeouts.ts'
import type { Language } from '../words/language.ts'
import { wordsIn } from '../words/tables.ts'
import { ciiOf } from '../xml/cii.ts'
import { eCreditNoteOf } from '../xml/credit-note.ts'
import { type EInvoice, eInvoiceOf } from '../xml/einvoice.ts'
import { creditDocumentOf } from './credit-document.ts'
import { documentOf } from './invoice-document.ts'
import { type Asked, restOf } from './payment-blocks.ts'
import type { Job } from './pdf.tsx'
import type { Answer, Drawn } from './pdf-worker.ts'

export function jobOf(
  invoice: Invoice,
  language: Language,
  { eInvoice = eInvoiceOf(invoice), asked = restOf(invoice), logo = null }: Extras = {},
): Job {
  return { document: documentOf(invoice, wordsIn(language), asked), xml: ciiOf(eInvoice), logo }
}

/** As `jobOf`, for a credit note; `invoice` is the one that it credits. */
export function creditJobOf(
  note: CreditNote,
  invoice: Invoice,
  language: Language,
  { eInvoice = eCreditNoteOf(note, invoice), logo = null }: Omit<Extras, 'asked'> = {},
): Job {
  return {
    document: creditDocumentOf(note, invoice, wordsIn(language)),
    xml: ciiOf(eInvoice),
    logo,
  }
}

type Extras = {
  readonly eInvoice?: EInvoice
  readonly asked?: Asked
  /** Of the seller, as a PNG. */
  readonly logo?: Uint8Array | null
}

export type Caller = {
  readonly accountId: string
  /** Aborted when the caller has gone: a job that still waits is not drawn. */
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
  readonly maxWaiting: number
  readonly maxWaitingPerAccount: number
  /** How long a job may wait until the thread takes it. */
  readonly maxWaitMs: number
  /** How long drawing one job may take; a caller waits at most this plus `maxWaitMs`. */
  readonly deadlineMs: number
  readonly startThread: () => Worker
}

/** On a busy machine a replacement would take just as long to start. */
const startTimeoutMs = 60_000

export type Renderer = ReturnType<typeof createRenderer>

/**
 * Draws PDFs on a separate thread, since one can take seconds. A thread that dies or misses a
 * deadline is replaced for the next job.
 */
export function createRenderer(options: Options) {
  const queue = createFairQueue<Waiting>({
    maxLength: options.maxWaiting,
    maxPerOwner: options.maxWaitingPerAccount,
  })
  const timeouts = createTimeouts<Waiting>(refuse)
  let thread: Thread | null = null
  let current: Waiting | null = null

  /**
   * Errors: `overloaded` if too many jobs wait, this one has waited too long, or the caller has
   * gone; `unavailable` if drawing takes too long or the thread dies.
   */
  function render(job: Job, { accountId, signal }: Caller): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      const dueMs = performance.now() + options.maxWaitMs
      const waiting = { accountId, job, dueMs, resolve, reject }
      if (signal?.aborted || !queue.add(accountId, waiting)) return reject(overloaded())
      timeouts.add(waiting)
      signal?.addEventListener('abort', () => refuse(waiting), { once: true })
      next()
    })
  }

  function refuse(waiting: Waiting): void {
    if (dequeue(waiting)) waiting.reject(overloaded())
  }

  /** False if it is no longer there. */
  function dequeue(waiting: Waiting): boolean {
    timeouts.remove(waiting)
    return queue.remove(waiting.accountId, waiting)
  }

  function next(): void {
    const first = queue.next()
    if (current !== null || !first) return
    start()
    if (!thread?.isReady()) return
    dequeue(first)
    current = first
    thread.draw(first.job)
  }

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
    // A failed start costs a job too, so that one job does not start thread after thread.
    const lost = endCurrent() ?? (thread?.isReady() ? undefined : queue.next())
    thread = null
    if (lost) {
      dequeue(lost)
      lost.reject(failed(why))
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
    const refusal = failed('the service is stopping')
    for (const waiting of queue.items()) {
      dequeue(waiting)
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

/** After `onLost` or `close` the thread is gone. */
function openThread({ startThread, deadlineMs }: Options, { onReady, onDrawn, onLost }: Events) {
  const worker = startThread()
  let isReady = false
  let isClosed = false
  let late = setTimeout(() => lose('the thread did not start'), startTimeoutMs)
  late.unref()
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    if (isClosed || (data === 'ready' && isReady)) return
    clearTimeout(late)
    if (data !== 'ready') return onDrawn(data)
    isReady = true
    onReady()
  })
  worker.addEventListener('error', ({ message }) => lose(message))
  worker.addEventListener('close', () => lose('the thread ended'))
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
    late = setTimeout(() => lose('drawing took too long'), deadlineMs)
    worker.postMessage(job)
  }

  return { isReady: () => isReady, draw, close }
}

export function startThread(): Worker {
  const thread = new Worker(programFile('documents/pdf/pdf-worker.ts'))
  // An idle thread must not keep the process alive.
  thread.unref()
  return thread
}

function failed(operatorText: string): DomainError {
  return new DomainError('unavailable', 'The document could not be created; try again', {
    operatorText,
    retryAfterSeconds: 2,
  })
}

function overloaded(): DomainError {
  return new DomainError('overloaded', 'Too many documents are being created', {
    retryAfterSeconds: 2,
  })
}
