import { createKeyRing, type KeyRing } from '../actors/key-ring.ts'
import * as Keys from '../storage/accounts/api-keys.ts'
import type { DatabaseClock } from '../storage/postgres/database-clock.ts'
import type { Log } from '../telemetry/log.ts'
import { steadyMs } from './clock.ts'
import type { Database } from './database.ts'

/** The keys that this process has seen. Each poll for changes also tells it PostgreSQL's time. */
export function keyRing({ sql, pollSql }: Database, clock: DatabaseClock, log: Log): KeyRing {
  return createKeyRing({
    store: {
      findKey: (hash) => Keys.findKey(sql, hash),
      findKeyById: (keyId) => Keys.findKeyById(sql, keyId),
      async changedSince(asOf) {
        const changes = await Keys.changedSince(pollSql, asOf)
        clock.learn(changes.asOf)
        return changes
      },
      touchLastUsed: (uses) => Keys.touchLastUsed(sql, uses),
    },
    unixMs: () => clock.now().getTime(),
    steadyMs,
    onFault: (error) => log.warn({ err: error }, 'a background task failed'),
  })
}
