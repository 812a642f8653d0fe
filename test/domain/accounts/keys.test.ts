import { describe, expect, test } from 'bun:test'
import type { Principal } from '../../../src/domain/accounts/account.ts'
import { grantOf } from '../../../src/domain/accounts/keys.ts'
import { presets, type Scope } from '../../../src/domain/accounts/scopes.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

function issuer(scopes: readonly Scope[], expiresAt: Date | null = null): Principal {
  const limits = { perMinute: 1, perDay: 1 }
  const expiresAtMs = expiresAt?.getTime() ?? null
  return { keyId: 'k', accountId: 'a', scopes: new Set(scopes), ...limits, expiresAtMs }
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
