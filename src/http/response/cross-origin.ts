import type { Answer } from '../operation.ts'

/**
 * Pages of any origin may call what is at this path: its callers show a key, or are anybody. What
 * spends money or relays others' answers, the pages' session, operators' paths and the tool server
 * are not among them.
 */
export function isForAnyOrigin(path: string): boolean {
  return /^\/(v1|api(?!\/(v1\/dashboard|x402\/proxy)\b)|agent-tools\/sections|\.well-known)\//.test(
    path,
  )
}

const exposed = [
  ...['Content-Disposition', 'ETag', 'Idempotent-Replayed', 'Link', 'Location', 'Retry-After'],
  ...['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['X-Document-Warnings', 'X-Request-Id'],
]
/** `X-Requested-With`, without which a session changes nothing, is not among them. */
const accepted = [
  ...['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'X-API-Key'],
  ...['X-Request-Id', 'traceparent', 'tracestate', 'PAYMENT-SIGNATURE', 'X-PAYMENT'],
  // It belongs in answers, but official clients of x402 send it in requests.
  'Access-Control-Expose-Headers',
]

/** Pages of any origin may read an answer with these. Browsers withhold it if they sent cookies. */
export const readableAnywhere = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed.join(', '),
} as const

export const preflightAnswer: Answer = {
  status: 204,
  body: null,
  headers: {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': accepted.join(', '),
    'access-control-max-age': '86400',
  },
}

/** The question of a browser whether a page may send a request; it carries no key. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}
