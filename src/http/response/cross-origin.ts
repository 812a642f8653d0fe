import type { Answer } from '../operation.ts'

/**
 * Headers of answers that are for everybody, refusals included: pages of any origin may read them,
 * and the headers in `exposed`. Without credentials, so nothing is shown by a visitor's cookie.
 */
export function readableAnywhere(exposed: readonly string[] = []): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...exposed, 'Retry-After', 'X-Request-Id'].join(', '),
  }
}

/** The answer to a browser that asks before it sends a POST with some headers to another origin. */
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
