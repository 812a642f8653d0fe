import type { Answer } from '../operation.ts'

/** Pages of any origin may read the answer and these headers; without a visitor's cookie. */
export function readableAnywhere(exposed: readonly string[] = []): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...exposed, 'Retry-After', 'X-Request-Id'].join(', '),
  }
}

/** The answer to a browser's preflight of a POST with these headers. */
export function preflightOf(
  readable: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
): Answer {
  return {
    status: 204,
    body: null,
    headers: {
      ...readable,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': ['Content-Type', 'X-Request-Id', ...headers].join(', '),
      'access-control-max-age': '86400',
    },
  }
}
