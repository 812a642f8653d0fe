import { Elysia } from 'elysia'
import type { Live } from '../../actors/live.ts'
import { DomainError } from '../../domain/error.ts'
import type { Identity } from '../admission/identity.ts'
import type { Operations } from '../operation.ts'

/**
 * `/dashboard/events`: a stream of changes in the account of a session, for as long as the session
 * is valid.
 */
export function liveRoutes(operation: Operations, live: Live, identity: Identity) {
  return new Elysia().get(
    '/dashboard/events',
    operation({ scope: 'dashboard:read' }, ({ principal, request, keepOpen }) => {
      // Copied, because the stream may outlive the request, and the caller is identified
      // repeatedly.
      const caller = { method: request.method, headers: new Headers(request.headers) }
      const body = live.open(principal, async () => {
        try {
          const now = await identity.byKeyOrSession(caller)
          return now?.keyId === principal.keyId && now.scopes.has('dashboard:read')
        } catch (error) {
          // An invalid key is refused with a `DomainError`; a failure of the database says nothing
          // about the key.
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
  // A proxy before us must pass on every message at once.
  'x-accel-buffering': 'no',
}
