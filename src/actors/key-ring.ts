import { timingSafeEqual } from 'node:crypto'
import { isWellFormed, keyHash, type Principal } from '../domain/accounts/account.ts'
import { keepNewest } from '../scheduling/cache.ts'
import * as Keys from '../storage/accounts/api-keys.ts'
import type { DatabaseClock } from '../storage/postgres/database-clock.ts'
import type { Sql } from '../storage/postgres/db.ts'

export type KeyRing = ReturnType<typeof createKeyRing>

type Find = () => Promise<Principal | null>

/**
 * A cached key. `usedIn` is the last minute of this process in which it was used; `isDoubted` is
 * set once it has changed since it was looked up.
 */
type Entry = { readonly principal: Principal; usedIn: number; isDoubted: boolean }

const pollEveryMs = 2_000
/**
 * How long a successful poll vouches for the cache, and so the longest that a revoked key is still
 * admitted.
 */
const freshMs = 5_000
const touchEveryMs = 60_000
const unknownForMs = 3_000
const mostKeys = 50_000
const mostUnknown = 1_000

/**
 * Keys seen before are answered from memory as long as a poll within the last 5 s says that they
 * have not changed; without such a poll every look-up goes to the database. Each poll tells `clock`
 * PostgreSQL's time, by which keys expire; `steadyMs` (never set back) gives the age of a poll.
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
  const known = new Map<string, Entry>()
  const unknownUntilMs = new Map<string, number>()
  const loading = new Map<string, Promise<Principal | null>>()
  let usedAtMs = new Map<string, number>()
  let minute = 0
  let asOf: Date | null = null
  let polledAtMs = Number.NEGATIVE_INFINITY
  let polls = 0
  let polling = false

  const timers = [setInterval(poll, pollEveryMs), setInterval(touch, touchEveryMs)]
  for (const timer of timers) timer.unref()
  void poll()
  return { find, findById, close }

  /**
   * The principal of this raw key; null where the key is not valid. It is a promise only when the
   * database has to be asked. Before that is done for a key that this process has not found valid
   * earlier, `beforeLookup` is called and may prevent it by throwing.
   */
  function find(
    key: string,
    beforeLookup?: () => void,
  ): Principal | null | Promise<Principal | null> {
    // Checked first: the cache also holds entries under key ids, which many people may read and
    // which must not open anything.
    if (!isWellFormed(key)) return null
    const entry = vouchedFor(key)
    if (entry) return use(entry)
    if (!known.has(key)) beforeLookup?.()
    return ask(key, () => byHash(key))
  }

  /**
   * The principal of the key with this id, which tokens issued to the key carry; null where it is
   * not valid. It is a promise only when the database has to be asked.
   */
  function findById(keyId: string): Principal | null | Promise<Principal | null> {
    const entry = vouchedFor(keyId)
    return entry ? use(entry) : ask(keyId, () => Keys.findKeyById(sql, keyId))
  }

  /**
   * The cached entry, if it may be relied on. `name` is a raw key or a key's id; the two cannot be
   * confused.
   */
  function vouchedFor(name: string): Entry | undefined {
    const entry = known.get(name)
    return entry?.isDoubted || steadyMs() - polledAtMs >= freshMs ? undefined : entry
  }

  function use(entry: Entry): Principal | null {
    const { principal } = entry
    if (principal.expiresAtMs !== null && unixMs() >= principal.expiresAtMs) return null
    if (entry.usedIn !== minute) {
      entry.usedIn = minute
      usedAtMs.set(principal.keyId, unixMs())
    }
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
    const usedIn = known.get(name)?.usedIn ?? minute - 1
    const entry = { principal, usedIn, isDoubted: false }
    // A poll that ended in the meantime may have reported a change that this answer lacks.
    if (polls === before) keepNewest(known, name, entry, mostKeys)
    return use(entry)
  }

  async function byHash(key: string): Promise<Principal | null> {
    const hash = keyHash(key)
    const found = await Keys.findKey(sql, hash)
    return found && timingSafeEqual(found.hash, hash) ? found.principal : null
  }

  async function poll() {
    if (polling) return
    polling = true
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
    } finally {
      polling = false
    }
  }

  function doubt(keyIds: ReadonlySet<string>) {
    for (const entry of known.values())
      if (keyIds.has(entry.principal.keyId)) entry.isDoubted = true
  }

  async function touch() {
    const uses = Array.from(usedAtMs, ([keyId, usedAtMs]) => ({ keyId, usedAtMs }))
    usedAtMs = new Map()
    minute++
    if (uses.length > 0) await Keys.touchLastUsed(sql, uses).catch(onFault)
  }

  /** Stops polling and writes the last uses. */
  async function close() {
    for (const timer of timers) clearInterval(timer)
    await touch()
  }
}
