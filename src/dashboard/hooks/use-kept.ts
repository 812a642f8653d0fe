import { useState } from 'react'

/** Kept while the tab is open: who reloads the page must not be asked to pay again. */
export function useKept<T>(name: string): [T | null, (next: T | null) => void] {
  const [kept, setKept] = useState<T | null>(() =>
    JSON.parse(sessionStorage.getItem(name) ?? 'null'),
  )
  function keep(next: T | null) {
    if (next) sessionStorage.setItem(name, JSON.stringify(next))
    else sessionStorage.removeItem(name)
    setKept(next)
  }
  return [kept, keep]
}
