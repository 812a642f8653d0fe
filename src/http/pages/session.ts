import { Elysia } from 'elysia'
import type { Keys } from '../../actors/keys/keys.ts'
import type { DashboardTokens } from '../admission/dashboard-token.ts'
import { sessionCookie } from '../admission/session.ts'
import { type Operations, unparsed } from '../operation.ts'
import { uncached } from '../response/envelope.ts'

const nothing = { status: 204, body: null } as const

type SessionParts = {
  readonly sessions: DashboardTokens
  readonly accountKeys: Keys
  readonly publicUrl: () => string
  readonly isProduction: boolean
}

/**
 * Exchanges an API key for a session cookie. Scripts cannot read it, so they ask here whether it is
 * valid, and whose it is. Logging in takes a key (`keyed`), or a session could renew itself for
 * ever.
 */
export function sessionRoutes(
  operation: Operations,
  keyed: Operations,
  { sessions, accountKeys, publicUrl, isProduction }: SessionParts,
) {
  return new Elysia()
    .get(
      '/dashboard/session',
      operation({ scope: 'dashboard:read' }, async ({ principal }) => {
        const { id, name } = await accountKeys.account(principal.accountId)
        const environment = isProduction ? 'production' : 'development'
        return uncached({ account: { id, name }, environment })
      }),
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
      // Logging out is never delayed by a rate limit.
      operation({ scope: null, isPublic: true }, () => ({
        ...nothing,
        headers: sessionCookie('', 0, publicUrl()),
      })),
    )
}
