import type { KeyRing } from '../../actors/keys/key-ring.ts'
import type { Principal } from '../../domain/accounts/account.ts'
import { DomainError } from '../../domain/error.ts'
import type { Caller } from './gate.ts'

/**
 * The principal of `caller`; null when it sends no key. A promise only when the database has to be
 * asked (see `KeyRing.find`). Errors: `unauthorized` for an invalid or ambiguous key.
 */
export function identify(
  { headers }: Caller,
  keys: KeyRing,
  beforeLookup?: () => void,
): Principal | null | Promise<Principal> {
  const key = presentedKey(headers)
  if (key === null) return null
  const found = keys.find(key, beforeLookup)
  return found instanceof Promise ? found.then(accept) : accept(found)
}

function accept(found: Principal | null): Principal {
  if (!found) throw unauthorized()
  return found
}

/** Errors: `unauthorized` where the headers are malformed or name two keys. */
function presentedKey(headers: Headers): string | null {
  const apiKey = headers.get('x-api-key')
  if (!headers.has('authorization')) return apiKey
  const key = bearerOf(headers)
  if (key === null || (apiKey !== null && apiKey !== key)) throw unauthorized()
  return key
}

/** The token in `Authorization: Bearer`; null when there is none, or more than one. */
export function bearerOf(headers: Headers): string | null {
  return bearer.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

function unauthorized(): DomainError {
  return new DomainError(
    'unauthorized',
    'Send one valid API key, as Authorization: Bearer or x-api-key',
  )
}

// A comma is not accepted: Bun joins repeated headers with one.
const bearer = /^bearer +([^\s,]+)$/i
