import { Elysia } from 'elysia'
import type { Live } from '../../actors/live.ts'
import { DomainError } from '../../domain/error.ts'
import type { Identity } from '../admission/identity.ts'
import type { Operations } from '../operation.ts'

/** A stream of the changes in an account, for as long as the caller's session or key is valid. */
export function liveRoutes(operation: Operations, live: Live, identity: Identity) {
  return new Elysia().get(
    '/dashboard/events',
    operation({ scope: 'dashboard:read' }, ({ principal, request, keepOpen }) => {
      // A copy, because the stream may outlive the request.
      const caller = { method: request.method, headers: new Headers(request.headers) }
      const body = live.open(principal, async () => {
        try {
          const now = await identity.byKeyOrSession(caller)
          return now?.keyId === principal.keyId && now.scopes.has('dashboard:read')
        } catch (error) {
          // A failure of the database says nothing about the key.
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
