import { Elysia } from 'elysia'
import type { KeyRing } from '../../actors/key-ring.ts'
import { inSession, type Principal } from '../../domain/accounts/account.ts'
import { type DashboardTokens, holderOf } from '../admission/dashboard-token.ts'
import type { Caller } from '../admission/gate.ts'
import { type Operations, unparsed } from '../operation.ts'

const nothing = { status: 204, body: null } as const

/**
 * Logs in to the dashboard and out of it: exchanges an API key for a cookie with a session token.
 * Scripts cannot read the cookie, so they ask here whether it is valid; other sites cannot make a
 * browser send it. Where `publicUrl` is https, no other host of its domain can set it either. Of
 * `keyed`, a session authenticates nobody: with its own cookie it would be renewed for ever.
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
        return { ...nothing, headers: setting(token, 3_600, publicUrl()) }
      }),
      unparsed,
    )
    .delete(
      '/dashboard/session',
      // It reveals nothing, and logging out is never delayed by a rate limit.
      operation({ scope: null, isPublic: true }, () => ({
        ...nothing,
        headers: setting('', 0, publicUrl()),
      })),
    )
}

/**
 * The principal of a caller's session cookie, with all permissions of its key, counted apart from
 * the key's own requests. What ends the key ends the session. Answers null at once where there is
 * not one cookie or the caller also sends a key, which takes precedence; resolves to null where the
 * session is not valid. A request that changes something must carry `X-Requested-With: dashboard`,
 * which no other site can make it do.
 */
export function identifySession(
  { headers, method }: Caller,
  sessions: DashboardTokens,
  keys: KeyRing,
  publicUrl: () => string,
): Promise<Principal | null> | null {
  const token = showsKey(headers) ? null : tokenIn(headers.get('cookie'), publicUrl)
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

/**
 * The token in the one session cookie; undefined where there is none, or several: another service
 * may have set one for our host as well, and nobody can tell which.
 */
function tokenIn(cookies: string | null, publicUrl: () => string): string | undefined {
  if (cookies === null) return undefined
  const start = `${cookieAt(publicUrl())}=`
  // Not `trim`: it removes other blanks too, and browsers let any host set a name that starts so.
  const pairs = cookies.split(';').map((pair) => pair.replace(/^[ \t]+/, ''))
  const [found, ...others] = pairs.filter((pair) => pair.startsWith(start))
  return others.length > 0 ? undefined : found?.slice(start.length)
}

function setting(value: string, seconds: number, publicUrl: string) {
  const guards = `Path=/; HttpOnly; SameSite=Strict${isSecure(publicUrl) ? '; Secure' : ''}`
  return {
    'set-cookie': `${cookieAt(publicUrl)}=${value}; Max-Age=${seconds}; ${guards}`,
    'cache-control': 'no-store',
  }
}

/** Browsers take a cookie with the prefix over https only, and for the very host that sets it. */
function cookieAt(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-quittance_session' : 'quittance_session'
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

function showsKey(headers: Headers): boolean {
  return headers.has('authorization') || headers.has('x-api-key')
}
