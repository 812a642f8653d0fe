import { DomainError, invalidField } from '../error.ts'
import type { Principal } from './account.ts'
import { presets, type Scope } from './scopes.ts'

export type ListedKey = {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

/** `expiresAt` null: the key does not expire. */
export type Grant = { readonly scopes: readonly Scope[]; readonly expiresAt: Date | null }

/** null: every scope the issuer can grant, or the issuer's own expiry. */
export type WantedGrant = {
  readonly scopes: readonly Scope[] | null
  readonly expiresAt: Date | null
}

/**
 * What `issuer` may grant: its own scopes, `admin` only by name, and no later expiry. Errors:
 * `forbidden`; `invalid_request` for an expiry that has passed or outlives the issuer.
 */
export function grantOf(issuer: Principal, wanted: WantedGrant, now: Date): Grant {
  const { expiresAtMs } = issuer
  const scopes = wanted.scopes ?? presets.full.filter((scope) => issuer.scopes.has(scope))
  const expiresAt = wanted.expiresAt ?? (expiresAtMs === null ? null : new Date(expiresAtMs))
  if (expiresAt && expiresAt <= now) throw invalidField('expiresAt', 'must be in the future')
  if (expiresAt && expiresAtMs !== null && expiresAt.getTime() > expiresAtMs)
    throw invalidField('expiresAt', 'must not be later than that of the key in use')
  requireWithin(issuer, scopes)
  requireWriting(issuer)
  return { scopes: [...new Set(scopes)], expiresAt }
}

/** Refuses scopes the issuer lacks. Errors: `forbidden`. */
export function requireWithin(issuer: Principal, scopes: readonly Scope[]): void {
  const beyond = scopes.find((scope) => !issuer.scopes.has(scope))
  if (beyond) throw new DomainError('forbidden', `This key lacks the permission ${beyond}`)
}

/** Refuses a read-only key: it neither issues nor revokes keys. Errors: `forbidden`. */
export function requireWriting({ scopes }: Principal): void {
  if ([...scopes].some((scope) => scope.endsWith(':write'))) return
  throw new DomainError('forbidden', 'A key that may only read cannot issue or revoke keys')
}
