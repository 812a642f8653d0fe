export type Retrying = {
  readonly fetch: (request: Request) => Promise<Response>
  /** The maximum number of retries per request. */
  readonly maxRetries: number
}

const maxWaitMs = 60_000

/**
 * Sends a request and retries it where that is safe:
 *
 * - after 429 always, because the service did not process the request;
 * - after 503, a lost connection, 409 `IDEMPOTENCY_IN_PROGRESS`, or a 502 or 504 of a proxy before
 *   the service, if the request may be repeated: by its method, or because it has an
 *   `Idempotency-Key`. A 502 or 504 from `/api/x402/proxy` may follow a payment and is returned.
 *
 * Waits at least as long as `Retry-After` says. An answer that asks for more than a minute is
 * returned as it is. A DELETE that gets 404 on a retry after anything but a 429 has succeeded in an
 * earlier attempt: the result is 204.
 */
export async function fetchWithRetries(
  request: Request,
  { fetch, maxRetries }: Retrying,
): Promise<Response> {
  let mayBeDone = false
  for (let retry = 0; ; retry++) {
    const isLast = retry >= maxRetries
    let retryAfter: string | null = null
    try {
      const response = await fetch(request.clone() as Request)
      if (mayBeDone && request.method === 'DELETE' && (await isError(response, 404, 'NOT_FOUND')))
        return new Response(null, { status: 204, headers: response.headers })
      if (isLast || !(await isRetriable(request, response))) return response
      retryAfter = response.headers.get('retry-after')
      if (retryAfterMs(retryAfter) > maxWaitMs) return response
      mayBeDone ||= response.status !== 429
      await response.body?.cancel()
    } catch (error) {
      if (isLast || request.signal.aborted || !isRepeatable(request)) throw error
      mayBeDone = true
    }
    await sleep(delayMs(retry, retryAfter, Math.random()), request.signal)
  }
}

/**
 * The milliseconds to wait before retry number `retry` (from 0): what `Retry-After` asks for, plus
 * a growing and partly random backoff. `random` is between 0 and 1.
 */
export function delayMs(retry: number, retryAfter: string | null, random: number): number {
  const growingMs = Math.min(8_000, 500 * 2 ** retry)
  // Jitter: clients that were refused together must not retry together.
  return retryAfterMs(retryAfter) + (growingMs * (1 + random)) / 2
}

/** The milliseconds `Retry-After` asks for; 0 if it is absent or not a number of seconds. */
function retryAfterMs(retryAfter: string | null): number {
  return /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : 0
}

async function isRetriable(request: Request, response: Response): Promise<boolean> {
  if (response.status === 429) return true
  if (!isRepeatable(request)) return false
  switch (response.status) {
    case 503:
      return true
    case 502:
    case 504:
      // What the x402 proxy answers may be its upstream's own error, which looks like anybody's.
      return !isOfX402Proxy(request) && (await codeOf(response)) === undefined
    default:
      // 409: the first request with the same key has not been answered yet.
      return isError(response, 409, 'IDEMPOTENCY_IN_PROGRESS')
  }
}

function isOfX402Proxy({ url }: Request): boolean {
  return new URL(url).pathname.endsWith('/api/x402/proxy')
}

/** Whether the answer is the service's own error with this status and code. */
async function isError(response: Response, status: number, code: string): Promise<boolean> {
  return response.status === status && (await codeOf(response)) === code
}

/** The code of the service's own error; undefined where somebody in between has answered. */
async function codeOf(response: Response): Promise<unknown> {
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  const { error } = (answer ?? {}) as { readonly error?: { readonly code?: unknown } }
  return error?.code
}

const repeatableMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

function isRepeatable({ method, headers }: Request): boolean {
  return repeatableMethods.has(method) || headers.has('idempotency-key')
}

/** Waits `ms`. Rejects with the signal's reason as soon as it is aborted. */
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
