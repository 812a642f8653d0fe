import { createContext, useEffect, useState } from 'react'

const subjects = ['mandates', 'budgets', 'deliveries'] as const

/** Null: anything may have changed. */
export type Change =
  | { readonly of: 'invoices'; readonly ids: readonly string[] }
  | { readonly of: (typeof subjects)[number] }
  | null

/** Dispatches a `change` event for each reported change. */
export const changes = new EventTarget()

export const Streaming = createContext(false)

export function anyInvoice(change: Change): boolean {
  return change === null || change.of === 'invoices'
}

/** For changes that a process reports only if it made them itself. */
export function partlyStreamed(of: (typeof subjects)[number]) {
  return {
    isAbout: (change: Change) => change === null || change.of === of,
    isPartlyStreamed: true,
  } as const
}

const retryMs = 30_000

/**
 * Listens only while the page is visible: browsers allow few connections to one server. Returns
 * whether the stream is connected; otherwise pages poll.
 */
export function useStream(): boolean {
  const [isConnected, setConnected] = useState(false)
  useEffect(() => {
    let source: EventSource | null = null
    let hasMissed = false
    let retry: ReturnType<typeof setTimeout> | undefined

    function open() {
      source = new EventSource('/dashboard/events')
      source.onopen = () => {
        setConnected(true)
        if (hasMissed) report(null)
      }
      source.addEventListener('invoices', ({ data }) =>
        report({ of: 'invoices', ids: JSON.parse(data) }),
      )
      for (const of of subjects) source.addEventListener(of, () => report({ of }))
      source.addEventListener('missed', () => report(null))
      source.onerror = () => {
        setConnected(false)
        hasMissed = true
        if (source?.readyState !== EventSource.CLOSED) return
        // Browsers do not retry a refused stream. If the session has ended, reloading pages notice.
        report(null)
        retry = setTimeout(follow, retryMs)
      }
    }

    function goOffline() {
      close()
      hasMissed = true
      setConnected(false)
    }

    function close() {
      clearTimeout(retry)
      source?.close()
      source = null
    }

    function follow() {
      close()
      if (document.visibilityState === 'visible') open()
      else hasMissed = true
    }

    follow()
    document.addEventListener('visibilitychange', follow)
    window.addEventListener('online', follow)
    window.addEventListener('offline', goOffline)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      window.removeEventListener('online', follow)
      window.removeEventListener('offline', goOffline)
      close()
    }
  }, [])
  return isConnected
}

function report(change: Change): void {
  changes.dispatchEvent(new CustomEvent('change', { detail: change }))
}
