import { Elysia } from 'elysia'
import type { DashboardTokens } from '../admission/dashboard-token.ts'
import { sessionCookie } from '../admission/session.ts'
import { type Operations, unparsed } from '../operation.ts'

const nothing = { status: 204, body: null } as const

/**
 * Logs in to the dashboard and out of it: exchanges an API key for a cookie with a session token.
 * Scripts cannot read the cookie, so they ask here whether it is valid; other sites cannot make a
 * browser send it. Logging in takes a key (`keyed`): with its own cookie a session could be renewed
 * for ever.
 */
export function sessionRoutes(
  operation: Operations,
  keyed: Operations,
  sessions: DashboardTokens,
  publicUrl: () => string,
) {
  return new Elysia()
    .get(
      '/dashboard/session',
      operation({ scope: 'dashboard:read' }, () => ({
        ...nothing,
        headers: { 'cache-control': 'no-store' },
      })),
    )
    .post(
      '/dashboard/session',
      keyed({ scope: 'dashboard:read' }, async ({ principal }) => {
        const { token } = await sessions.issue(principal)
        return { ...nothing, headers: sessionCookie(token, 3_600, publicUrl()) }
      }),
      unparsed,
    )
    .delete(
      '/dashboard/session',
      // It reveals nothing, and logging out is never delayed by a rate limit.
      operation({ scope: null, isPublic: true }, () => ({
        ...nothing,
        headers: sessionCookie('', 0, publicUrl()),
      })),
    )
}
