import { useSyncExternalStore } from 'react'
import type { Refusal } from '../api.ts'

/** What is shown with an error: each view by a key of its own. */
const failing = new Set<object>()
const listeners = new Set<() => void>()

/** A view says whether it shows an error, and with null that it is gone. */
export function tell(view: object, error: Refusal | null): void {
  if (isTrouble(error)) failing.add(view)
  else failing.delete(view)
  for (const listen of listeners) listen()
}

/** Whether it may be over by itself, unlike an answer about what was asked. */
export function isTrouble(error: Refusal | null): error is Refusal {
  return error !== null && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/** Whether any view on the page shows an error, or the browser knows that it is offline. */
export function useTrouble(): boolean {
  return useSyncExternalStore(listen, () => failing.size > 0 || !navigator.onLine)
}

function listen(changed: () => void) {
  listeners.add(changed)
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}
