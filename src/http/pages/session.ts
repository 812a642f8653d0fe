import { Elysia } from 'elysia'
import { inSession, type Principal } from '../../domain/account.ts'
import { type DashboardTokens, holderOf } from '../dashboard-token.ts'
import type { Caller } from '../gate.ts'
import type { KeyRing } from '../key-ring.ts'
import { type Operations, unparsed } from '../operation.ts'

const cookie = 'quittance_session'
const sessionLook = new RegExp(`(?:^|; )${cookie}=([^;]+)`)
const nothing = { status: 204, body: null } as const

/**
 * Logs in to the dashboard and out of it: exchanges an API key for a cookie with a session token.
 * Scripts cannot read the cookie, so they ask here whether it is valid; other sites cannot make a
 * browser send it.
 */
export function sessionRoutes(
  operation: Operations,
  sessions: DashboardTokens,
  isSecure: () => boolean,
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
      operation({ scope: 'dashboard:read' }, async ({ principal }) => {
        const { token } = await sessions.issue(principal)
        return { ...nothing, headers: setting(token, 3_600, isSecure()) }
      }),
      unparsed,
    )
    .delete(
      '/dashboard/session',
      // It reveals nothing, and logging out is never delayed by a rate limit.
      operation({ scope: null, isFree: true }, () => ({
        ...nothing,
        headers: setting('', 0, isSecure()),
      })),
    )
}

/**
 * The principal of a caller's session cookie, with all permissions of its key, counted apart from
 * the key's own requests. What ends the key ends the session. Answers null at once where there is
 * no cookie or the caller also sends a key, which takes precedence; resolves to null where the
 * session is not valid. A request that changes something must carry `X-Requested-With: dashboard`,
 * which no other site can make it do.
 */
export function identifySession(
  { headers, method }: Caller,
  sessions: DashboardTokens,
  keys: KeyRing,
): Promise<Principal | null> | null {
  const token = showsKey(headers) ? null : sessionLook.exec(headers.get('cookie') ?? '')?.[1]
  if (!token) return null
  const isReading = method === 'GET' || method === 'HEAD'
  const isOurs = isReading || headers.get('x-requested-with') === 'dashboard'
  return isOurs ? heldBy(token, sessions, keys) : Promise.resolve(null)
}

async function heldBy(
  token: string,
  sessions: DashboardTokens,
  keys: KeyRing,
): Promise<Principal | null> {
  const principal = await holderOf(token, sessions, keys)
  return principal && inSession(principal)
}

function setting(value: string, seconds: number, isSecure: boolean) {
  const guards = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    'set-cookie': `${cookie}=${value}; Max-Age=${seconds}; ${guards}`,
    'cache-control': 'no-store',
  }
}

function showsKey(headers: Headers): boolean {
  return headers.has('authorization') || headers.has('x-api-key')
}
