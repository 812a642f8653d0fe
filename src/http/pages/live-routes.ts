import { Elysia } from 'elysia'
import { DomainError } from '../../domain/error.ts'
import type { Gate, Operations } from '../operation.ts'
import type { Live } from './live.ts'

/** `/dashboard/events`: what changes in the account of a session, for as long as the session is good. */
export function liveRoutes(operation: Operations, live: Live, identify: Gate['identify']) {
  return new Elysia().get(
    '/dashboard/events',
    operation({ scope: 'dashboard:read' }, ({ principal, request, keepOpen }) => {
      // What the answer outlives may be gone with the request; who called is asked again and again.
      const caller = { method: request.method, headers: new Headers(request.headers) }
      const body = live.open(principal.accountId, async () => {
        try {
          const now = await identify(caller)
          return now?.keyId === principal.keyId && now.scopes.has('dashboard:read')
        } catch (error) {
          // A key that is none any more is refused; a database that is away says nothing about it.
          if (error instanceof DomainError) return false
          throw error
        }
      })
      keepOpen(30)
      return { status: 200, body, headers: streamHeaders }
    }),
  )
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy before us must pass every message on as it comes.
  'x-accel-buffering': 'no',
}
