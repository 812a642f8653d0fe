import { useCallback, useContext, useEffect, useRef, useState } from 'react'
import { changes, type News, Streaming } from './live.ts'

/** What the service refused a call with, in its own words. */
export class Refusal extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** One call of the service's own API, in the name of the session. Rejects with a `Refusal`. */
export async function call<T>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      'x-requested-with': 'dashboard',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refusal('The service cannot be reached', 0)
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const answer = isJson ? await response.json() : null
  if (response.ok) return answer as T
  if (response.status === 401 && path !== '/dashboard/session') {
    window.dispatchEvent(new Event('session-ended'))
  }
  const message = answer?.error?.message ?? `The service answered ${response.status}`
  throw new Refusal(message, response.status)
}

/** Saves what `path` answers as a CSV file. */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: { accept: 'text/csv' } })
  if (!response.ok) throw new Refusal(`The service answered ${response.status}`, response.status)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

export type Loaded<T> = {
  readonly data: T | null
  readonly error: Refusal | null
  /** Asks again, keeping what is shown until the answer is there. */
  reload(): void
}

/** When to ask again. */
type Refresh = {
  /** This often while the page is visible, or more rarely where the stream tells of changes. */
  readonly everyMs?: number
  /** Whether a change is about what is shown; absent: the stream says nothing of it. */
  readonly isAbout?: (news: News) => boolean
  /** Whether not all such changes are told, so that asking goes on as often. */
  readonly isToldInPart?: true
}

/** What the stream does not tell of, such as an invoice that another process created, is seen this late. */
const besideStreamMs = 10_000
/** However much happens, nothing is asked more often. */
const betweenNewsMs = 2_000

/** What `path` answers, and goes on answering. */
export function useLoaded<T>(path: string, refresh: Refresh = {}): Loaded<T> {
  const { everyMs, isAbout, isToldInPart } = refresh
  const [state, setState] = useState<{ path: string; data: T | null; error: Refusal | null }>({
    path,
    data: null,
    error: null,
  })
  const asked = useRef(0)
  const reload = useCallback(() => {
    const turn = ++asked.current
    const isLatest = () => turn === asked.current
    call<T>('GET', path).then(
      (data) => isLatest() && setState({ path, data, error: null }),
      (error: Refusal) =>
        isLatest() &&
        setState((last) => ({ path, data: last.path === path ? last.data : null, error })),
    )
  }, [path])
  useEffect(reload, [reload])
  const isTold = useContext(Streaming) && isAbout !== undefined && !isToldInPart
  useEffect(() => {
    if (!everyMs) return
    const look = () => document.visibilityState === 'visible' && reload()
    const timer = setInterval(look, isTold ? besideStreamMs : everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs, isTold])
  const wants = useRef(isAbout)
  wants.current = isAbout
  useEffect(() => {
    let askedAtMs = Number.NEGATIVE_INFINITY
    let waiting: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      askedAtMs = performance.now()
      waiting = undefined
      reload()
    }
    const hear = (event: Event) => {
      if (!wants.current?.((event as CustomEvent<News>).detail)) return
      waiting ??= setTimeout(ask, askedAtMs + betweenNewsMs - performance.now())
    }
    changes.addEventListener('news', hear)
    return () => {
      changes.removeEventListener('news', hear)
      clearTimeout(waiting)
    }
  }, [reload])
  return state.path === path ? { ...state, reload } : { data: null, error: null, reload }
}
