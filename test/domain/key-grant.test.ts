import { describe, expect, test } from 'bun:test'
import type { Principal } from '../../src/domain/account.ts'
import { grantOf, insistOnRoom, type ListedKey } from '../../src/domain/key-grant.ts'
import { presets, type Scope } from '../../src/domain/scopes.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

function issuer(scopes: readonly Scope[], expiresAt: Date | null = null): Principal {
  const limits = { perMinute: 1, perDay: 1 }
  const expiresAtMs = expiresAt?.getTime() ?? null
  return { keyId: 'k', accountId: 'a', scopes: new Set(scopes), ...limits, expiresAtMs }
}

function keys(count: number, over: Partial<ListedKey> = {}): ListedKey[] {
  const one = { id: 'k', name: 'one', hint: 'inv_…0000', scopes: presets.full, createdAt: ago(99) }
  return Array.from({ length: count }, () => ({
    ...one,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...over,
  }))
}

describe('a grant', () => {
  const open = { scopes: null, expiresAt: null }

  test('left open is all of the issuer but admin, for as long as the issuer lasts', () => {
    const expiresAt = ago(-1)
    const granted = grantOf(issuer(['budgets:write', 'admin'], expiresAt), open, now)
    expect(granted).toEqual({ scopes: ['budgets:write'], expiresAt })
    expect(grantOf(issuer(presets.full), open, now).expiresAt).toBeNull()
  })

  test('is refused to who may only read', () => {
    expect(() => grantOf(issuer(presets.read_only), open, now)).toThrow('may only read')
  })

  test('names each permission once', () => {
    const scopes: Scope[] = ['budgets:read', 'budgets:read']
    const granted = grantOf(issuer(presets.full), { ...open, scopes }, now)
    expect(granted.scopes).toEqual(['budgets:read'])
  })

  test.each(presets.full)('of %s is refused to who lacks it', (scope) => {
    const rest = presets.full.filter((one) => one !== scope)
    expect(() => grantOf(issuer(rest), { ...open, scopes: [scope] }, now)).toThrow(scope)
  })

  test('ends after now, and not after its issuer', () => {
    const until = (expiresAt: Date) => () =>
      grantOf(issuer(presets.full, ago(-1)), { ...open, expiresAt }, now)
    expect(until(now)).toThrow('must be in the future')
    expect(until(ago(-1.001))).toThrow('must not be later')
    expect(until(ago(-1))).not.toThrow()
  })
})

describe('room', () => {
  test('is for 50 keys', () => {
    expect(() => insistOnRoom(keys(49), now)).not.toThrow()
    expect(() => insistOnRoom(keys(50), now)).toThrow('at most 50 keys')
  })

  test.each(['revokedAt', 'expiresAt'])('comes back a day after %s', (end) => {
    expect(() => insistOnRoom(keys(50, { [end]: ago(23) }), now)).toThrow('at most 50 keys')
    expect(() => insistOnRoom(keys(50, { [end]: ago(24) }), now)).not.toThrow()
  })
})
