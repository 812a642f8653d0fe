import { describe, expect, test } from 'bun:test'
import {
  inSession,
  isWellFormed,
  keyHash,
  keyHint,
  limitsOf,
  newKey,
} from '../../../src/domain/accounts/account.ts'
import { presets } from '../../../src/domain/accounts/scopes.ts'

const bytes = new Uint8Array(32).fill(0xab)

describe('keys', () => {
  test('a new key is its kind and the 64 hex digits of its bytes', () => {
    expect(newKey('inv_', bytes)).toBe(`inv_${'ab'.repeat(32)}`)
    expect(newKey('sk_', bytes)).toBe(`sk_${'ab'.repeat(32)}`)
  })

  test('a key is never made of too little randomness', () => {
    expect(() => newKey('sk_', new Uint8Array(16))).toThrow()
  })

  test('a new key is well-formed', () => {
    expect(isWellFormed(newKey('inv_', bytes))).toBe(true)
    expect(isWellFormed(newKey('sk_', bytes))).toBe(true)
  })

  const key = newKey('sk_', bytes)
  test.each([
    '',
    'nope',
    `${key}x`,
    `${key}\n`,
    ` ${key}`,
    key.slice(0, -1),
    key.toUpperCase(),
    key.replace('sk_', 'pk_'),
    `${key}, ${key}`,
    "' OR '1'='1",
  ])('%j is not a key', (text) => {
    expect(isWellFormed(text)).toBe(false)
  })

  test('the hash is SHA-256 of the whole key', () => {
    const digest = new Bun.CryptoHasher('sha256').update(key).digest('hex')
    expect(Buffer.from(keyHash(key)).toString('hex')).toBe(digest)
  })

  test('a hint shows the kind and four digits, nothing more', () => {
    expect(keyHint(`inv_${'0'.repeat(60)}1f3a`)).toBe('inv_…1f3a')
  })
})

describe('a session', () => {
  const principal = {
    keyId: Bun.randomUUIDv7(),
    accountId: Bun.randomUUIDv7(),
    scopes: new Set(presets.read_only),
    expiresAtMs: 7,
  }

  test('may do what its key may, with limits of its own: the plan’s, and enough for a day of looking', () => {
    expect(inSession({ ...principal, ...limitsOf('free') })).toEqual({
      ...principal,
      perMinute: 60,
      perDay: 3_000,
      countedAs: `session:${principal.keyId}`,
    })
    expect(inSession({ ...principal, ...limitsOf('pro') })).toMatchObject(limitsOf('pro'))
  })
})

describe('what a key may do', () => {
  test('full holds everything within an account and never admin', () => {
    expect(presets.full.join()).toBe(
      'invoices:read,invoices:write,budgets:read,budgets:write,webhooks:read,webhooks:write,mandates:read,mandates:write,dashboard:read',
    )
  })

  test('read_only never holds a write', () => {
    expect(presets.read_only.join()).toBe(
      'invoices:read,budgets:read,webhooks:read,mandates:read,dashboard:read',
    )
  })
})

describe('how often', () => {
  test('each plan has the contract’s numbers', () => {
    expect(limitsOf('free')).toEqual({ perMinute: 60, perDay: 1_000 })
    expect(limitsOf('pro')).toEqual({ perMinute: 600, perDay: 50_000 })
    expect(limitsOf('enterprise')).toEqual({ perMinute: 6_000, perDay: 1_000_000 })
  })

  test('numbers agreed with one account win over the plan’s', () => {
    expect(limitsOf('enterprise', { perMinute: 9 })).toEqual({ perMinute: 9, perDay: 1_000_000 })
  })
})
