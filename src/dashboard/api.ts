import type { Detail } from '../domain/error.ts'

/** `message` is the service's own. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** From `Retry-After`; 0: none. */
    readonly waitMs = 0,
    readonly details: readonly Detail[] = [],
    /** Such as `CREDIT_EXCEEDED`. */
    readonly code: string | null = null,
  ) {
    super(message)
  }
}

/** `T` as JSON has it: instants are texts. */
export type AsJson<T> = {
  readonly [Name in keyof T]: Date extends T[Name] ? string | Exclude<T[Name], Date> : T[Name]
}

/** The refusal, to be shown at the field with this name. */
export function atField(path: string, { message, status }: Refusal): Refusal {
  return new Refusal(message, status, 0, [{ path, message }])
}

/**
 * Calls the API within the session. Rejects with a `Refusal`, or another error if the request is
 * invalid.
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

/** Codes such as `buyer_vat_format`. */
export async function documentWarnings(path: string): Promise<readonly string[]> {
  const { headers } = await answerTo(new Request(path))
  return headers.get('x-document-warnings')?.split(', ') ?? []
}

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
  const placed = Array.isArray(details) ? details : []
  throw new Refusal(message, response.status, waitMs, placed, answer?.error?.code)
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false
}

function orUnreachable<T>(answer: Promise<T>): Promise<T> {
  return answer.catch(() => {
    throw new Refusal('The service cannot be reached', 0)
  })
}
