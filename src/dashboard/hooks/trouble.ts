import { useSyncExternalStore } from 'react'
import { Refusal } from '../api.ts'

/** What is shown with an error: each view or action by a key of its own. */
const failing = new Set<object>()
const listeners = new Set<() => void>()

/** A view or action says whether it shows an error, and with false when it is gone. */
export function tell(view: object, isFailing: boolean): void {
  if (isFailing) failing.add(view)
  else failing.delete(view)
  for (const listen of listeners) listen()
}

/** Whether it may be over by itself, unlike an answer about what was asked. */
export function isTrouble(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false
  return error.status === 0 || error.status === 429 || error.status >= 500
}

/** Whether a view shows it as an error. That there is nothing to be seen is an answer. */
export function isFailure(error: Refusal | null): boolean {
  return error !== null && error.status !== 403 && error.status !== 404
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
