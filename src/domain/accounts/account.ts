import { createHash } from 'node:crypto'
import type { Scope } from './scopes.ts'

/** For each key of an account: per fixed minute and per UTC day. */
export type Limits = { readonly perMinute: number; readonly perDay: number }

export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 600, perDay: 50_000 },
  enterprise: { perMinute: 6_000, perDay: 1_000_000 },
} as const satisfies Record<string, Limits>

export type Plan = keyof typeof plans

/** The limits of `plan`, with the numbers agreed for one account in place of the plan's. */
export function limitsOf(plan: Plan, agreed: Partial<Limits> = {}): Limits {
  return { ...plans[plan], ...agreed }
}

/** `inv_` keys are issued for `/api`, `sk_` keys for `/v1`; both work everywhere. */
export type KeyKind = 'inv_' | 'sk_'

/** The caller. `expiresAtMs` is Unix time; null: the key never expires. */
export type Principal = {
  readonly keyId: string
  readonly accountId: string
  readonly scopes: ReadonlySet<Scope>
  readonly perMinute: number
  readonly perDay: number
  readonly expiresAtMs: number | null
  /** The bucket that counts its requests; absent: the key's own. */
  readonly countedAs?: string
}

/** The dashboard polls about five times a minute, all day. */
const perDayOfLooking = 3_000

/** Counted separately from its key: people who watch an agent do not use up its rate limit. */
export function inSession(principal: Principal): Principal {
  return {
    ...principal,
    countedAs: `session:${principal.keyId}`,
    perDay: Math.max(principal.perDay, perDayOfLooking),
  }
}

/** A new raw key from 32 random bytes. Only its hash and hint are kept. */
export function newKey(kind: KeyKind, randomBytes: Uint8Array): string {
  if (randomBytes.length !== 32) throw new Error('a key is made of exactly 32 random bytes')
  return kind + Buffer.from(randomBytes).toString('hex')
}

/**
 * Whether `key` has the form of a key: a known prefix and 64 lower-case hex digits, nothing else.
 */
export function isWellFormed(key: string): boolean {
  return wellFormed.test(key)
}

/** The 32 bytes under which storage finds a key. */
export function keyHash(key: string): Uint8Array {
  return createHash('sha256').update(key).digest()
}

/** What its owner recognises a key by: `inv_…1f3a`. */
export function keyHint(key: string): string {
  return `${key.slice(0, key.indexOf('_') + 1)}…${key.slice(-4)}`
}

const wellFormed = /^(?:inv|sk)_[0-9a-f]{64}$/

/** The account of what is created without a key. It has no keys; the schema creates it. */
export const serviceAccountId = '00000000-0000-7000-8000-000000000402'

/** Who requests a change, and by which HTTP request. */
export type By = { readonly keyId: string; readonly requestId: string }

/** One change. `before` and `after` contain no secrets. */
export type AuditEntry = {
  /** Increases with time; an integer as text. */
  readonly id: string
  readonly at: Date
  readonly accountId: string
  readonly kind: 'account' | 'profile' | 'key' | 'webhook' | 'budget'
  readonly subjectId: string
  readonly action: 'created' | 'changed' | 'revoked' | 'deleted' | 'secret_rotated'
  /** `key:<id>`, `the service`, or the name of another program. */
  readonly actor: string
  readonly requestId: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>>
}
