import { createContext, useEffect, useState } from 'react'

const matters = ['mandates', 'budgets', 'deliveries'] as const

/**
 * A change reported by the stream; for invoices, with their ids. Null: anything may have changed.
 */
export type News =
  | { readonly of: 'invoices'; readonly ids: readonly string[] }
  | { readonly of: (typeof matters)[number] }
  | null

/** Dispatches a `news` event for each reported change. */
export const changes = new EventTarget()

/** Whether the stream is connected. */
export const Streaming = createContext(false)

/** The `isAbout` of views that any invoice can change. */
export function anyInvoice(news: News): boolean {
  return news === null || news.of === 'invoices'
}

/** Options for views whose changes a process reports only if it made them itself. */
export function toldInPart(of: (typeof matters)[number]) {
  return {
    isAbout: (news: News) => news === null || news.of === of,
    isToldInPart: true,
  } as const
}

const retryMs = 30_000

/**
 * Listens to the account's event stream while the page is visible: browsers allow few connections
 * to one server, and a hidden tab needs none. Returns whether the stream is connected; while it is
 * not, pages poll.
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
        if (hasMissed) tell(null)
      }
      source.addEventListener('invoices', ({ data }) =>
        tell({ of: 'invoices', ids: JSON.parse(data) }),
      )
      for (const of of matters) source.addEventListener(of, () => tell({ of }))
      source.addEventListener('missed', () => tell(null))
      source.onerror = () => {
        setConnected(false)
        hasMissed = true
        if (source?.readyState !== EventSource.CLOSED) return
        // Browsers do not retry a stream that was refused. The session may have ended; pages find
        // out as they reload.
        tell(null)
        retry = setTimeout(follow, retryMs)
      }
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
    return () => {
      document.removeEventListener('visibilitychange', follow)
      close()
    }
  }, [])
  return isConnected
}

function tell(news: News): void {
  changes.dispatchEvent(new CustomEvent('news', { detail: news }))
}
