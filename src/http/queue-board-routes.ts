import { Elysia } from 'elysia'
import { DomainError } from '../domain/error.ts'
import type { Caller, Connections, Gate } from './admission/gate.ts'
import { createOperations, type Operation } from './operation.ts'
import { pathOf, queryOf } from './request/request-url.ts'

/** The pages that the routes show; `app/` provides them. */
export type QueueBoard = {
  page(
    path: string,
    query: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number
    readonly contentType: string
    readonly body: string | Uint8Array<ArrayBuffer>
  } | null>
}

export const boardPath = '/admin/queues'

/**
 * The queue board, for keys with `admin`. It is read-only, so a request forged by another site
 * changes nothing. In a browser, the password is the key, and the user name is ignored.
 */
export function queueBoardRoutes(gate: Gate, connections: Connections, board: QueueBoard) {
  const operation = createOperations(
    {
      ...gate,
      identify: (caller, beforeLookup) => gate.identify(withKey(caller), beforeLookup),
    },
    'api',
    connections,
  )
  const show = operation({ scope: 'admin' }, async ({ request }) => {
    const path = pathOf(request.url).slice(boardPath.length)
    const page = await board.page(path || '/', Object.fromEntries(queryOf(request.url)))
    if (!page) throw new DomainError('not_found', 'There is nothing at this path')
    const { status, contentType, body } = page
    return { status, body, headers: { ...headers, 'content-type': contentType } }
  })
  const asking: Operation = Object.assign(
    async ({ request, params, route }: Parameters<Operation>[0]) => {
      const response = await show({ request, params, route })
      if (response.status === 401) response.headers.set('www-authenticate', challenge)
      return response
    },
    { options: show.options },
  )
  return new Elysia().get(boardPath, asking).get(`${boardPath}/*`, asking)
}

const challenge = 'Basic realm="Quittance queues", charset="UTF-8"'

const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; base-uri 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** The caller with the password of its Basic credentials as its API key. */
function withKey(caller: Caller): Caller {
  const credentials = /^basic +([\w+/=-]+)$/i.exec(caller.headers.get('authorization') ?? '')?.[1]
  if (!credentials) return caller
  const password = Buffer.from(credentials, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
  const withoutBasic = new Headers(caller.headers)
  withoutBasic.delete('authorization')
  withoutBasic.set('x-api-key', password.replace(/[^\x21-\x7e]/g, ''))
  return { method: caller.method, headers: withoutBasic }
}
