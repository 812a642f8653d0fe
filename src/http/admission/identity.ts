import type { KeyRing } from '../../actors/keys/key-ring.ts'
import { identify } from './auth.ts'
import { type DashboardTokens, identifyDashboard } from './dashboard-token.ts'
import type { Caller } from './gate.ts'
import { identifySession } from './session.ts'

export type Identity = ReturnType<typeof createIdentity>

/** The ways in which paths identify their callers. */
export function createIdentity(parts: {
  readonly keys: KeyRing
  readonly tokens: DashboardTokens
  readonly sessions: DashboardTokens
  readonly publicUrl: () => string
}) {
  const { keys, tokens, sessions, publicUrl } = parts

  function byKey(caller: Caller, beforeLookup?: () => void) {
    return identify(caller, keys, beforeLookup)
  }

  function byKeyOrSession(caller: Caller, beforeLookup?: () => void) {
    return byKey(caller, beforeLookup) ?? identifySession(caller, sessions, keys, publicUrl)
  }

  function byTokenOrSession(caller: Caller) {
    return (
      identifySession(caller, sessions, keys, publicUrl) ?? identifyDashboard(caller, tokens, keys)
    )
  }

  return { findKey: keys.find, byKey, byKeyOrSession, byTokenOrSession }
}
