import { createHash } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { KeyRing } from '../../actors/keys/key-ring.ts'
import type { Principal } from '../../domain/accounts/account.ts'
import type { Scope } from '../../domain/accounts/scopes.ts'
import { DomainError } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import { bearerOf } from './auth.ts'
import type { Caller } from './gate.ts'

export type DashboardTokens = ReturnType<typeof dashboardTokens>

type Holder = Pick<Principal, 'keyId' | 'accountId'>

const algorithm = 'HS256'
const issuer = 'quittance'
const lifetimeSeconds = 3_600
const opens: ReadonlySet<Scope> = new Set(['dashboard:read'])

/** JSON Web Tokens signed with `JWT_SECRET`. A session may do more than a dashboard token. */
export function dashboardTokens(
  jwtSecret: string,
  now: () => Date,
  audience: 'dashboard' | 'session' = 'dashboard',
) {
  const secret = new TextEncoder().encode(jwtSecret)
  const kid = createHash('sha256').update(secret).digest('hex').slice(0, 16)
  return { issue, read }

  /** A token for 60 minutes; it ends sooner if the key does. */
  async function issue({ keyId, accountId }: Holder) {
    const issuedAt = Math.floor(now().getTime() / 1_000)
    const expiresAt = issuedAt + lifetimeSeconds
    const token = await new SignJWT({ key: keyId })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(accountId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(secret)
    return { token, expiresAt: new Date(expiresAt * 1_000) }
  }

  /** The key and account a token was issued to; null if it is not ours or no longer valid. */
  async function read(token: string): Promise<Holder | null> {
    try {
      const { payload, protectedHeader } = await jwtVerify<{ key: string }>(token, secret, {
        algorithms: [algorithm],
        issuer,
        audience,
        requiredClaims: ['sub', 'iat', 'exp', 'key'],
        currentDate: now(),
      })
      const { key, sub: accountId = '' } = payload
      return protectedHeader.kid === kid && isUuid(key) ? { keyId: key, accountId } : null
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

/**
 * The principal of the caller's token, with the permissions that tokens carry. Errors:
 * `unauthorized`, also for an API key.
 */
export async function identifyDashboard(
  { headers }: Caller,
  tokens: DashboardTokens,
  keys: KeyRing,
): Promise<Principal> {
  const token = headers.has('x-api-key') ? null : bearerOf(headers)
  const principal = token === null ? null : await holderOf(token, tokens, keys)
  if (!principal) throw unauthorized()
  return { ...principal, scopes: principal.scopes.intersection(opens) }
}

/** The principal of a token, with all permissions of its key; null where either is invalid. */
export async function holderOf(
  token: string,
  tokens: DashboardTokens,
  keys: KeyRing,
): Promise<Principal | null> {
  const holder = await tokens.read(token)
  const principal = holder && (await keys.findById(holder.keyId))
  return principal?.accountId === holder?.accountId ? principal : null
}

function unauthorized(): DomainError {
  return new DomainError(
    'unauthorized',
    'Send a valid token of POST /api/v1/auth/token, as Authorization: Bearer',
  )
}
