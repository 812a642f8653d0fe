import { createContext, useEffect, useState } from 'react'

const matters = ['mandates', 'budgets', 'deliveries'] as const

/** What has changed, and which invoices if it is they; null: whatever may have. */
export type News =
  | { readonly of: 'invoices'; readonly ids: readonly string[] }
  | { readonly of: (typeof matters)[number] }
  | null

/** Where `news` events come in. */
export const changes = new EventTarget()

/** Whether changes are told as they happen. */
export const Streaming = createContext(false)

/** For what any invoice changes. */
export function anyInvoice(news: News): boolean {
  return news === null || news.of === 'invoices'
}

/** For what these change, of which a process tells only what it has done itself. */
export function toldInPart(of: (typeof matters)[number]) {
  return {
    isAbout: (news: News) => news === null || news.of === of,
    isToldInPart: true,
  } as const
}

const retryMs = 30_000

/**
 * Listens to the account's stream while the page is visible: browsers open few connections to one server, and a tab nobody looks at needs
 * none. Answers whether it is connected; until it is, pages ask by themselves.
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
        // What was refused is not tried again by the browser. Perhaps the session is over; pages that ask find out.
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
