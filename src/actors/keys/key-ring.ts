import { timingSafeEqual } from 'node:crypto'
import { isWellFormed, keyHash, type Principal } from '../../domain/accounts/account.ts'
import { keepNewest, shareRuns } from '../../scheduling/cache.ts'
import * as Keys from '../../storage/accounts/api-keys.ts'
import type { DatabaseClock } from '../../storage/postgres/database-clock.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { createLastUsed } from './last-used.ts'

export type KeyRing = ReturnType<typeof createKeyRing>

type Find = () => Promise<Principal | null>

/** A cached key. `isDoubted`: it has changed since it was looked up. */
type Entry = { readonly principal: Principal; isDoubted: boolean }

const pollEveryMs = 2_000
/** How long a poll vouches for the cache: the longest that a revoked key is still admitted. */
const freshMs = 5_000
const unknownForMs = 3_000
const mostKeys = 50_000
const mostUnknown = 1_000

/**
 * Answers known keys from memory while a poll of the last 5 s says that they have not changed.
 * Without such a poll every look-up goes to the database. Each poll gives `clock` PostgreSQL's
 * time, by which keys expire. `steadyMs` is monotonic.
 */
export function createKeyRing(parts: {
  readonly sql: Sql
  readonly pollSql: Sql
  readonly clock: DatabaseClock
  readonly steadyMs: () => number
  /** Called with polls and writes that fail. */
  readonly onFault: (error: unknown) => void
}) {
  const { sql, pollSql, clock, steadyMs, onFault } = parts
  const unixMs = () => clock.now().getTime()
  const lastUsed = createLastUsed({ sql, unixMs, onFault })
  const known = new Map<string, Entry>()
  const unknownUntilMs = new Map<string, number>()
  const loading = new Map<string, Promise<Principal | null>>()
  let asOf: Date | null = null
  let polledAtMs = Number.NEGATIVE_INFINITY
  let polls = 0

  const poll = shareRuns(readChanges)
  const timer = setInterval(poll, pollEveryMs)
  timer.unref()
  void poll()
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
    return entry?.isDoubted || steadyMs() - polledAtMs >= freshMs ? undefined : entry
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
    const before = polls
    const principal = await find()
    if (!principal) {
      known.delete(name)
      keepNewest(unknownUntilMs, name, steadyMs() + unknownForMs, mostUnknown)
      return null
    }
    const entry = { principal, isDoubted: false }
    // A poll that ended in the meantime may have reported a change that this answer lacks.
    if (polls === before) keepNewest(known, name, entry, mostKeys)
    return use(entry)
  }

  async function byHash(key: string): Promise<Principal | null> {
    const hash = keyHash(key)
    const found = await Keys.findKey(sql, hash)
    return found && timingSafeEqual(found.hash, hash) ? found.principal : null
  }

  async function readChanges(): Promise<void> {
    const startedAtMs = steadyMs()
    try {
      const changes = await Keys.changedSince(pollSql, asOf)
      clock.learn(changes.asOf)
      if (changes.keyIds.length > 0) doubt(new Set(changes.keyIds))
      asOf = changes.asOf
      polledAtMs = startedAtMs
      polls++
    } catch (error) {
      onFault(error)
    }
  }

  function doubt(keyIds: ReadonlySet<string>) {
    for (const entry of known.values())
      if (keyIds.has(entry.principal.keyId)) entry.isDoubted = true
  }

  /** Stops polling and writes the last uses. */
  async function close() {
    clearInterval(timer)
    await lastUsed.close()
  }
}
