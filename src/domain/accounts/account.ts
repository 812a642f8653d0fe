import { createHash } from 'node:crypto'
import type { Scope } from './scopes.ts'

/** How many requests each key of an account may make: per fixed minute and per UTC day. */
export type Limits = { readonly perMinute: number; readonly perDay: number }

/** Request limits of each plan. Numbers agreed with an account replace them. */
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

/**
 * The prefix of a key: `inv_` keys are issued for `/api`, `sk_` keys for `/v1`. Either kind works
 * on every family of paths.
 */
export type KeyKind = 'inv_' | 'sk_'

/** The caller, as an API key identifies it. `expiresAtMs` is Unix time; null: it never expires. */
export type Principal = {
  readonly keyId: string
  readonly accountId: string
  readonly scopes: ReadonlySet<Scope>
  readonly perMinute: number
  readonly perDay: number
  readonly expiresAtMs: number | null
  /** The rate-limit bucket that counts these requests; absent: the key's own. */
  readonly countedAs?: string
}

/**
 * Requests a day that suffice for somebody who has the dashboard open all day: it polls about five
 * times a minute.
 */
const perDayOfLooking = 3_000

/**
 * The principal of a session that was opened with the key of `principal`. The session may do all
 * that the key may, but its requests are counted separately, as if it were another key. Otherwise
 * an agent and the people who watch it would use up each other's rate limit.
 */
export function inSession(principal: Principal): Principal {
  return {
    ...principal,
    countedAs: `session:${principal.keyId}`,
    perDay: Math.max(principal.perDay, perDayOfLooking),
  }
}

/**
 * A new raw key from 32 random bytes. It is shown once; only its `keyHash` and `keyHint` are kept.
 */
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

/** SHA-256 of the raw key: the 32 bytes under which storage finds a key. */
export function keyHash(key: string): Uint8Array {
  return createHash('sha256').update(key).digest()
}

/**
 * Enough of a key for its owner to recognise it in a list, too little to be usable: `inv_…1f3a`.
 */
export function keyHint(key: string): string {
  return `${key.slice(0, key.indexOf('_') + 1)}…${key.slice(-4)}`
}

const wellFormed = /^(?:inv|sk)_[0-9a-f]{64}$/

/** The account that owns what is created without a key. It has no keys; the schema creates it. */
export const serviceAccountId = '00000000-0000-7000-8000-000000000402'

/** The API key that requests a change, and the id of the HTTP request it was made in. */
export type By = { readonly keyId: string; readonly requestId: string }

/** One change of an account, key, webhook or budget. `before` and `after` contain no secrets. */
export type AuditEntry = {
  /** Increases with time; an integer as text. */
  readonly id: string
  readonly at: Date
  readonly accountId: string
  readonly kind: 'account' | 'key' | 'webhook' | 'budget'
  /** The id of what was changed; for a budget, the id of its agent. */
  readonly subjectId: string
  readonly action: 'created' | 'changed' | 'revoked' | 'deleted' | 'secret_rotated'
  /** `key:<id>`, or the name of the program that made the change by itself. */
  readonly actor: string
  readonly requestId: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>>
}
