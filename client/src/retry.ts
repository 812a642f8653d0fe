export type Retrying = {
  readonly fetch: (request: Request) => Promise<Response>
  /** How often a request is tried again at most. */
  readonly maxRetries: number
}

const longestWaitMs = 60_000

/**
 * The answer to a request that is tried again where that can do no harm: after 429 always, as it was not looked at; after 503, a lost
 * connection, or 409 `IDEMPOTENCY_IN_PROGRESS`, if doing it twice is the same as once. Waits as long as `Retry-After` says; an answer that asks for
 * more than a minute is final. A DELETE whose answer was lost, and that then finds nothing to delete, has done what it was to do: 204.
 */
export async function fetchPatiently(
  request: Request,
  { fetch, maxRetries }: Retrying,
): Promise<Response> {
  let mayBeDone = false
  for (let retry = 0; ; retry++) {
    const isLast = retry >= maxRetries
    let retryAfter: string | null = null
    try {
      const response = await fetch(request.clone() as Request)
      if (mayBeDone && request.method === 'DELETE' && (await says(response, 404, 'NOT_FOUND')))
        return new Response(null, { status: 204, headers: response.headers })
      if (isLast || !(await deserves(request, response))) return response
      retryAfter = response.headers.get('retry-after')
      if (askedMs(retryAfter) > longestWaitMs) return response
      mayBeDone ||= response.status !== 429
      await response.body?.cancel()
    } catch (error) {
      if (isLast || request.signal.aborted || !isRepeatable(request)) throw error
      mayBeDone = true
    }
    await sleep(delayMs(retry, retryAfter, Math.random()), request.signal)
  }
}

/** Milliseconds before retry number `retry`, from 0: what `Retry-After` says, and a while that grows. `random` is in 0–1. */
export function delayMs(retry: number, retryAfter: string | null, random: number): number {
  const growingMs = Math.min(8_000, 500 * 2 ** retry)
  // Spread, so that those who were turned away together do not come back together.
  return askedMs(retryAfter) + (growingMs * (1 + random)) / 2
}

/** What `Retry-After` asks for, 0 where it is no number of seconds. */
function askedMs(retryAfter: string | null): number {
  return /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : 0
}

async function deserves(request: Request, response: Response): Promise<boolean> {
  if (response.status === 429) return true
  if (!isRepeatable(request)) return false
  // The latter: the first request with the same key has not been answered yet.
  return response.status === 503 || says(response, 409, 'IDEMPOTENCY_IN_PROGRESS')
}

/** Whether it is a refusal of the service itself, for this reason. */
async function says(response: Response, status: number, code: string): Promise<boolean> {
  if (response.status !== status) return false
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  const { error } = (answer ?? {}) as { readonly error?: { readonly code?: unknown } }
  return error?.code === code
}

const repeatableMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

function isRepeatable({ method, headers }: Request): boolean {
  return repeatableMethods.has(method) || headers.has('idempotency-key')
}

/** Rejects with the signal's reason as soon as it is aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
