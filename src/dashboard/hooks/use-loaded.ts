import { useCallback, useContext, useEffect, useRef, useState } from 'react'
import { call, type Refusal } from '../api.ts'
import { type Change, changes, Streaming } from './live.ts'
import { type Interval, type Outcome, type Poller, startPolling } from './polling.ts'
import { isFailure, isTrouble, tell } from './trouble.ts'

export type Loaded<T> = {
  readonly data: T | null
  readonly error: Refusal | null
  /** The shown data stays until the answer arrives. */
  reload(): void
}

type Refresh<T> = {
  readonly everyMs?: number
  readonly mostMs?: number
  /** Whether a change concerns this view; absent: the stream does not report its changes. */
  readonly isAbout?: (change: Change) => boolean
  /** The stream reports only some changes, or early, so polling goes on at the normal interval. */
  readonly isPartlyStreamed?: true
  readonly isFinal?: (data: T) => boolean
}

/** After an error that may be over by itself, also where nothing is polled otherwise. */
const recovering: Interval = { everyMs: 5_000, mostMs: 30_000 }

/** For changes that the stream does not report. */
const besideStreamMs = 60_000

/** Loads what `path` answers and keeps it up to date. */
export function useLoaded<T>(path: string, refresh: Refresh<T> = {}): Loaded<T> {
  const { everyMs, mostMs = 30_000, isAbout, isPartlyStreamed } = refresh
  const [state, setState] = useState<{ path: string; data: T | null; error: Refusal | null }>({
    path,
    data: null,
    error: null,
  })
  const latest = useRef(refresh)
  latest.current = refresh
  const interval = useRef<Interval | null>(null)
  const poller = useRef<Poller | null>(null)
  const isStreamed = useContext(Streaming) && isAbout !== undefined && !isPartlyStreamed
  useEffect(() => {
    const slowest = { everyMs: besideStreamMs, mostMs: besideStreamMs }
    interval.current = everyMs ? (isStreamed ? slowest : { everyMs, mostMs }) : null
    poller.current?.reschedule()
  }, [everyMs, mostMs, isStreamed])
  useEffect(() => {
    let lastText = ''
    let isRecovering = false
    const view = {}
    async function request(signal: AbortSignal): Promise<Outcome> {
      const counts = () => !signal.aborted || signal.reason.name === 'TimeoutError'
      try {
        const data = await call<T>('GET', path, undefined, { signal })
        if (counts()) settle(data, null)
        const text = JSON.stringify(data)
        const isNew = text !== lastText
        lastText = text
        return { isNew, isFinal: latest.current.isFinal?.(data) ?? false }
      } catch (refusal) {
        const error = refusal as Refusal
        if (counts()) settle(null, error)
        return { isNew: false, isFinal: error.status === 404, waitMs: error.waitMs }
      }
    }
    function settle(data: T | null, error: Refusal | null) {
      isRecovering = isTrouble(error)
      tell(view, isFailure(error))
      setState((last) => ({ path, data: data ?? (last.path === path ? last.data : null), error }))
    }
    const intervalNow = () => (isRecovering ? recovering : interval.current)
    const isVisible = () => document.visibilityState === 'visible'
    const own = startPolling(request, { isVisible, interval: intervalNow })
    poller.current = own
    own.reload()
    const onChange = (event: Event) => {
      if (latest.current.isAbout?.((event as CustomEvent<Change>).detail)) own.onChange()
    }
    changes.addEventListener('change', onChange)
    document.addEventListener('visibilitychange', own.reschedule)
    window.addEventListener('online', own.reload)
    return () => {
      tell(view, false)
      window.removeEventListener('online', own.reload)
      changes.removeEventListener('change', onChange)
      document.removeEventListener('visibilitychange', own.reschedule)
      own.stop()
    }
  }, [path])
  const reload = useCallback(() => poller.current?.reload(), [])
  return state.path === path ? { ...state, reload } : { data: null, error: null, reload }
}
