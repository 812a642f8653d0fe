import { useCallback, useEffect, useState } from 'react'

/** One call of the service's own API, in the name of the session. Rejects with what the service refused it with, in its own words. */
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
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const answer = isJson ? await response.json() : null
  if (response.ok) return answer as T
  if (response.status === 401 && path !== '/dashboard/session') {
    window.dispatchEvent(new Event('session-ended'))
  }
  throw new Error(answer?.error?.message ?? `The service answered ${response.status}`)
}

export type Loaded<T> = {
  readonly data: T | null
  readonly error: string | null
  /** Asks again, keeping what is shown until the answer is there. */
  reload(): void
}

/** What `path` answers; asked again every `everyMs` while the page is visible, where given. */
export function useLoaded<T>(path: string, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ path: string; data: T | null; error: string | null }>({
    path,
    data: null,
    error: null,
  })
  const reload = useCallback(() => {
    call<T>('GET', path).then(
      (data) => setState({ path, data, error: null }),
      (error: Error) => setState((last) => ({ ...last, path, error: error.message })),
    )
  }, [path])
  useEffect(reload, [reload])
  useEffect(() => {
    if (!everyMs) return
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])
  return state.path === path ? { ...state, reload } : { data: null, error: null, reload }
}
