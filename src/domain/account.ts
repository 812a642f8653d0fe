import { createHash } from 'node:crypto'
import type { Scope } from './scopes.ts'

/** Requests an account may make per fixed minute and per UTC day, counted for each of its keys. */
export type Limits = { readonly perMinute: number; readonly perDay: number }

/** What each plan allows; an account's own numbers win over these. */
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

/** How a key starts: `inv_` keys are issued for `/api`, `sk_` keys for `/v1`; each opens every family. */
export type KeyKind = 'inv_' | 'sk_'

/** Who is calling, as one key says it. `expiresAtMs` is Unix time; null means the key does not expire. */
export type Principal = {
  readonly keyId: string
  readonly accountId: string
  readonly scopes: ReadonlySet<Scope>
  readonly perMinute: number
  readonly perDay: number
  readonly expiresAtMs: number | null
  /** What their requests are counted by; absent: the key. */
  readonly countedAs?: string
}

/** Requests a day that are enough for whoever looks at the dashboard all day: it asks about five times a minute by itself. */
const perDayOfLooking = 3_000

/**
 * Who calls in a session that the key of `principal` has opened: they may do all that the key may. Their requests are counted by
 * themselves, as if the session were another key, or an agent and those who look at what it does would keep each other from working.
 */
export function inSession(principal: Principal): Principal {
  return {
    ...principal,
    countedAs: `session:${principal.keyId}`,
    perDay: Math.max(principal.perDay, perDayOfLooking),
  }
}

/** A new raw key from 32 random bytes. It is shown once; only `keyHash` and `keyHint` of it are kept. */
export function newKey(kind: KeyKind, randomBytes: Uint8Array): string {
  if (randomBytes.length !== 32) throw new Error('a key is made of exactly 32 random bytes')
  return kind + Buffer.from(randomBytes).toString('hex')
}

/** Whether `key` could be a key at all: a known kind and 64 lower-case hex digits, nothing else. */
export function isWellFormed(key: string): boolean {
  return wellFormed.test(key)
}

/** SHA-256 of the raw key: 32 bytes, what storage knows a key by. */
export function keyHash(key: string): Uint8Array {
  return createHash('sha256').update(key).digest()
}

/** Enough of a key for its owner to recognise it in a list, too little to be of use: `inv_…1f3a`. */
export function keyHint(key: string): string {
  return `${key.slice(0, key.indexOf('_') + 1)}…${key.slice(-4)}`
}

const wellFormed = /^(?:inv|sk)_[0-9a-f]{64}$/
