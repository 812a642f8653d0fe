import { shareRuns } from '../../scheduling/cache.ts'
import { changedSince } from '../../storage/accounts/api-keys.ts'
import type { DatabaseClock } from '../../storage/postgres/database-clock.ts'
import type { Sql } from '../../storage/postgres/db.ts'

const pollEveryMs = 2_000
/** How long a poll vouches for a cache: the longest that a revoked key is still admitted. */
const freshMs = 5_000

/**
 * Polls which keys have changed, and gives `clock` PostgreSQL's time, by which keys expire.
 * `steadyMs` is monotonic.
 */
export function pollKeyChanges(parts: {
  readonly pollSql: Sql
  readonly clock: DatabaseClock
  readonly steadyMs: () => number
  readonly onChanged: (keyIds: ReadonlySet<string>) => void
  readonly onFault: (error: unknown) => void
}) {
  const { pollSql, clock, steadyMs, onChanged, onFault } = parts
  let asOf: Date | null = null
  let polledAtMs = Number.NEGATIVE_INFINITY
  let polls = 0

  const poll = shareRuns(async () => {
    const startedAtMs = steadyMs()
    try {
      const changes = await changedSince(pollSql, asOf)
      clock.learn(changes.asOf)
      if (changes.keyIds.length > 0) onChanged(new Set(changes.keyIds))
      asOf = changes.asOf
      polledAtMs = startedAtMs
      polls++
    } catch (error) {
      onFault(error)
    }
  })
  const timer = setInterval(poll, pollEveryMs)
  timer.unref()
  void poll()

  return {
    isFresh: () => steadyMs() - polledAtMs < freshMs,
    /** The number of successful polls. */
    count: () => polls,
    close: () => clearInterval(timer),
  }
}
