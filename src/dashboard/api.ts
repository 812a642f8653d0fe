import { useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Detail } from '../domain/error.ts'
import { type Asking, type Heard, keepAsking, type Pace } from './asking.ts'
import { changes, type News, Streaming } from './live.ts'
import { makingOnce } from './making.ts'

/** The service refused a call; `message` is the service's own. */
export class Refusal extends Error {
  readonly status: number
  /** The time from `Retry-After` in ms, before which the call should not be repeated; 0: none. */
  readonly waitMs: number
  /** The fields at fault. */
  readonly details: readonly Detail[]

  constructor(message: string, status: number, waitMs = 0, details: readonly Detail[] = []) {
    super(message)
    this.status = status
    this.waitMs = waitMs
    this.details = details
  }
}

/**
 * Calls the service's own API within the session. Rejects with a `Refusal`, or with another error
 * if the request itself is invalid, such as a header value with illegal characters.
 */
export async function call<T>(
  method: string,
  path: string,
  body?: object,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const request = new Request(path, {
    ...more,
    method,
    headers: {
      'x-requested-with': 'dashboard',
      ...(body && { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const response = await answerTo(request)
  return (isJson(response) ? await reached(response.json()) : null) as T
}

/**
 * Returns a function that creates a resource at `path`, only once even if the form is sent again
 * because no answer arrived. What `complete` adds to the answer counts as part of it.
 */
export function useMaking<T>(
  path: string,
  complete: (made: T) => Promise<T> = async (made) => made,
): (wanted: object) => Promise<T> {
  const [make] = useState(() =>
    makingOnce<T>(async (wanted, key) => {
      const headers = { 'idempotency-key': key }
      return complete(await call('POST', path, wanted, { headers }))
    }),
  )
  return make
}

/** What is said about the invoice document at `path`: codes such as `buyer_vat_format`. */
export async function documentWarnings(path: string): Promise<readonly string[]> {
  const { headers } = await answerTo(new Request(path))
  return headers.get('x-document-warnings')?.split(', ') ?? []
}

/** Downloads the answer of `path` as a CSV file. */
export async function download(path: string, name: string): Promise<void> {
  const response = await answerTo(new Request(path, { headers: { accept: 'text/csv' } }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await reached(response.blob()))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

async function answerTo(request: Request): Promise<Response> {
  const response = await reached(fetch(request))
  if (response.ok) return response
  if (response.status === 401 && !request.url.endsWith('/dashboard/session')) {
    window.dispatchEvent(new Event('session-ended'))
  }
  const answer = isJson(response) ? await reached(response.json()) : null
  const message = answer?.error?.message ?? `The service answered ${response.status}`
  const waitMs = Number(response.headers.get('retry-after')) * 1_000 || 0
  // Refusals other than of fields have figures there.
  const details = answer?.error?.details
  throw new Refusal(message, response.status, waitMs, Array.isArray(details) ? details : [])
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false
}

function reached<T>(answer: Promise<T>): Promise<T> {
  return answer.catch(() => {
    throw new Refusal('The service cannot be reached', 0)
  })
}

export type Loaded<T> = {
  readonly data: T | null
  readonly error: Refusal | null
  /** Loads again; what is shown stays until the answer arrives. */
  reload(): void
}

/** When to load again. */
type Refresh<T> = {
  /**
   * The delay after an answer, while the page is visible. It grows while answers bring nothing new,
   * and while the stream reports changes.
   */
  readonly everyMs?: number
  /** The longest delay, however little is new. */
  readonly mostMs?: number
  /** Whether a change concerns what is shown; absent: the stream does not report its changes. */
  readonly isAbout?: (news: News) => boolean
  /**
   * Set if the stream reports only some of these changes, or an answer may be from before a
   * reported one, so polling goes on at the normal pace.
   */
  readonly isToldInPart?: true
  /** Whether the data will not change any more. */
  readonly isLast?: (data: T) => boolean
}

/**
 * The polling interval beside the stream, for what it does not report, such as an invoice that
 * another process created.
 */
const besideStreamMs = 60_000

/** Loads what `path` answers and keeps it up to date. */
export function useLoaded<T>(path: string, refresh: Refresh<T> = {}): Loaded<T> {
  const { everyMs, mostMs = 30_000, isAbout, isToldInPart } = refresh
  const [state, setState] = useState<{ path: string; data: T | null; error: Refusal | null }>({
    path,
    data: null,
    error: null,
  })
  const wanted = useRef(refresh)
  wanted.current = refresh
  const pace = useRef<Pace | null>(null)
  const asking = useRef<Asking | null>(null)
  const isTold = useContext(Streaming) && isAbout !== undefined && !isToldInPart
  useEffect(() => {
    const slowest = { everyMs: besideStreamMs, mostMs: besideStreamMs }
    pace.current = everyMs ? (isTold ? slowest : { everyMs, mostMs }) : null
    asking.current?.adjust()
  }, [everyMs, mostMs, isTold])
  useEffect(() => {
    let last = ''
    async function ask(signal: AbortSignal): Promise<Heard> {
      const counts = () => !signal.aborted || signal.reason.name === 'TimeoutError'
      try {
        const data = await call<T>('GET', path, undefined, { signal })
        if (counts()) setState({ path, data, error: null })
        const text = JSON.stringify(data)
        const isNew = text !== last
        last = text
        return { isNew, isLast: wanted.current.isLast?.(data) ?? false }
      } catch (refusal) {
        const error = refusal as Refusal
        if (counts())
          setState((last) => ({ path, data: last.path === path ? last.data : null, error }))
        return { isNew: false, isLast: error.status === 404, waitMs: error.waitMs }
      }
    }
    const isSeen = () => document.visibilityState === 'visible'
    const own = keepAsking(ask, { isSeen, pace: () => pace.current })
    asking.current = own
    own.again()
    const hear = (event: Event) => {
      if (wanted.current.isAbout?.((event as CustomEvent<News>).detail)) own.hear()
    }
    changes.addEventListener('news', hear)
    document.addEventListener('visibilitychange', own.adjust)
    return () => {
      changes.removeEventListener('news', hear)
      document.removeEventListener('visibilitychange', own.adjust)
      own.end()
    }
  }, [path])
  const reload = useCallback(() => asking.current?.again(), [])
  return state.path === path ? { ...state, reload } : { data: null, error: null, reload }
}
