import type { KeyRing } from '../../actors/keys/key-ring.ts'
import { inSession, type Principal } from '../../domain/accounts/account.ts'
import { type DashboardTokens, holderOf } from './dashboard-token.ts'
import type { Caller } from './gate.ts'

/**
 * The principal of a session cookie, with all permissions of its key. Null at once without exactly
 * one cookie, or with a key; resolves to null where the session is invalid. A request that changes
 * something needs `X-Requested-With: dashboard`, which other sites cannot make a browser send.
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

/** Undefined also where there are several cookies: another service on our host may have set one. */
function tokenIn(cookies: string | null, publicUrl: () => string): string | undefined {
  if (cookies === null) return undefined
  const start = `${cookieAt(publicUrl())}=`
  // Not `trim`: any host can set a cookie whose name starts with another blank.
  const pairs = cookies.split(';').map((pair) => pair.replace(/^[ \t]+/, ''))
  const [found, ...others] = pairs.filter((pair) => pair.startsWith(start))
  return others.length > 0 ? undefined : found?.slice(start.length)
}

/** The headers that set the session cookie; 0 seconds remove it. */
export function sessionCookie(value: string, seconds: number, publicUrl: string) {
  const guards = `Path=/; HttpOnly; SameSite=Strict${isSecure(publicUrl) ? '; Secure' : ''}`
  return {
    'set-cookie': `${cookieAt(publicUrl)}=${value}; Max-Age=${seconds}; ${guards}`,
    'cache-control': 'no-store',
  }
}

/** Browsers accept the prefix over https only, and only from the host itself. */
function cookieAt(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-quittance_session' : 'quittance_session'
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

function showsKey(headers: Headers): boolean {
  return headers.has('authorization') || headers.has('x-api-key')
}
