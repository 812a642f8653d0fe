import type { Detail } from '../domain/error.ts'

/** The service refused a call; `message` is the service's own. */
export class Refusal extends Error {
  readonly status: number
  /** The time from `Retry-After` in ms, before which the call should not be repeated; 0: none. */
  readonly waitMs: number
  /** The fields at fault. */
  readonly details: readonly Detail[]

  constructor(message: string, status: number, waitMs = 0, details: readonly Detail[] = []) {
    super(message)
    this.status = status
    this.waitMs = waitMs
    this.details = details
  }
}

/**
 * Calls the service's own API within the session. Rejects with a `Refusal`, or with another error
 * if the request itself is invalid, such as a header value with illegal characters.
 */
export async function call<T>(
  method: string,
  path: string,
  body?: object,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const request = new Request(path, {
    ...more,
    method,
    headers: {
      'x-requested-with': 'dashboard',
      ...(body && { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const response = await answerTo(request)
  return (isJson(response) ? await orUnreachable(response.json()) : null) as T
}

/** The warnings about the invoice document at `path`: codes such as `buyer_vat_format`. */
export async function documentWarnings(path: string): Promise<readonly string[]> {
  const { headers } = await answerTo(new Request(path))
  return headers.get('x-document-warnings')?.split(', ') ?? []
}

/** Downloads the answer of `path` as a CSV file. */
export async function download(path: string, name: string): Promise<void> {
  const response = await answerTo(new Request(path, { headers: { accept: 'text/csv' } }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await orUnreachable(response.blob()))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

async function answerTo(request: Request): Promise<Response> {
  const response = await orUnreachable(fetch(request))
  if (response.ok) return response
  if (response.status === 401 && !request.url.endsWith('/dashboard/session')) {
    window.dispatchEvent(new Event('session-ended'))
  }
  const answer = isJson(response) ? await orUnreachable(response.json()) : null
  const message = answer?.error?.message ?? `The service answered ${response.status}`
  const waitMs = Number(response.headers.get('retry-after')) * 1_000 || 0
  // Other refusals have figures in place of field errors.
  const details = answer?.error?.details
  throw new Refusal(message, response.status, waitMs, Array.isArray(details) ? details : [])
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false
}

function orUnreachable<T>(answer: Promise<T>): Promise<T> {
  return answer.catch(() => {
    throw new Refusal('The service cannot be reached', 0)
  })
}
