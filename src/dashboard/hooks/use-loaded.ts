import { useCallback, useContext, useEffect, useRef, useState } from 'react'
import { call, type Refusal } from '../api.ts'
import { type Asking, type Heard, keepAsking, type Pace } from './asking.ts'
import { changes, type News, Streaming } from './live.ts'

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
