import { createContext, useEffect, useState } from 'react'

/** Invoices that have changed; null: whatever may have. */
export type News = readonly string[] | null

/** Where `news` events come in. */
export const changes = new EventTarget()

/** Whether changes are told as they happen. */
export const Streaming = createContext(false)

/** For what any invoice changes. */
export const any = () => true

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
      source.addEventListener('invoices', ({ data }) => tell(JSON.parse(data)))
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
