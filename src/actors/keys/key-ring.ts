import { timingSafeEqual } from 'node:crypto'
import { isWellFormed, keyHash, type Principal } from '../../domain/accounts/account.ts'
import { keepNewest } from '../../scheduling/cache.ts'
import * as Keys from '../../storage/accounts/api-keys.ts'
import type { DatabaseClock } from '../../storage/postgres/database-clock.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { pollKeyChanges } from './changes.ts'
import { createLastUsed } from './last-used.ts'

export type KeyRing = ReturnType<typeof createKeyRing>

type Find = () => Promise<Principal | null>

/** A cached key. `isDoubted`: it has changed since it was looked up. */
type Entry = { readonly principal: Principal; isDoubted: boolean }

const unknownForMs = 3_000
const mostKeys = 50_000
const mostUnknown = 1_000

/**
 * Answers known keys from memory while a poll of the last 5 s says that they have not changed.
 * Without such a poll every look-up goes to the database. `steadyMs` is monotonic.
 */
export function createKeyRing(parts: {
  readonly sql: Sql
  readonly pollSql: Sql
  readonly clock: DatabaseClock
  readonly steadyMs: () => number
  readonly onFault: (error: unknown) => void
}) {
  const { sql, pollSql, clock, steadyMs, onFault } = parts
  const unixMs = () => clock.now().getTime()
  const lastUsed = createLastUsed({ sql, unixMs, onFault })
  const known = new Map<string, Entry>()
  const unknownUntilMs = new Map<string, number>()
  const loading = new Map<string, Promise<Principal | null>>()
  const changes = pollKeyChanges({ pollSql, clock, steadyMs, onChanged: doubt, onFault })

  return { find, findById, close }

  /**
   * The principal of this raw key; null if the key is invalid. A promise only when the database has
   * to be asked. Before that, `beforeLookup` is called for a key that is not cached, and may
   * prevent the look-up by throwing.
   */
  function find(
    key: string,
    beforeLookup?: () => void,
  ): Principal | null | Promise<Principal | null> {
    // The cache also holds entries under key ids, which many people may read: no id may open it.
    if (!isWellFormed(key)) return null
    const entry = vouchedFor(key)
    if (entry) return use(entry)
    if (!known.has(key)) beforeLookup?.()
    return ask(key, () => byHash(key))
  }

  /** Like `find`, by the key's id, which tokens issued to the key carry. */
  function findById(keyId: string): Principal | null | Promise<Principal | null> {
    const entry = vouchedFor(keyId)
    return entry ? use(entry) : ask(keyId, () => Keys.findKeyById(sql, keyId))
  }

  /** The cached entry, if it may be relied on. `name` is a raw key or a key's id. */
  function vouchedFor(name: string): Entry | undefined {
    const entry = known.get(name)
    return entry?.isDoubted || !changes.isFresh() ? undefined : entry
  }

  function use({ principal }: Entry): Principal | null {
    if (principal.expiresAtMs !== null && unixMs() >= principal.expiresAtMs) return null
    lastUsed.note(principal.keyId)
    return principal
  }

  function ask(name: string, find: Find): null | Promise<Principal | null> {
    if (steadyMs() < (unknownUntilMs.get(name) ?? 0)) return null
    return loading.get(name) ?? load(name, find)
  }

  function load(name: string, find: Find): Promise<Principal | null> {
    const answer = read(name, find).finally(() => loading.delete(name))
    loading.set(name, answer)
    return answer
  }

  async function read(name: string, find: Find): Promise<Principal | null> {
    const before = changes.count()
    const principal = await find()
    if (!principal) {
      known.delete(name)
      keepNewest(unknownUntilMs, name, steadyMs() + unknownForMs, mostUnknown)
      return null
    }
    const entry = { principal, isDoubted: false }
    // A poll that ended in the meantime may have reported a change that this answer lacks.
    if (changes.count() === before) keepNewest(known, name, entry, mostKeys)
    return use(entry)
  }

  async function byHash(key: string): Promise<Principal | null> {
    const hash = keyHash(key)
    const found = await Keys.findKey(sql, hash)
    return found && timingSafeEqual(found.hash, hash) ? found.principal : null
  }

  function doubt(keyIds: ReadonlySet<string>) {
    for (const entry of known.values())
      if (keyIds.has(entry.principal.keyId)) entry.isDoubted = true
  }

  async function close() {
    changes.close()
    await lastUsed.close()
  }
}
