import { isUuid } from '../domain/id.ts'
import type { Sql } from './db.ts'

const channel = 'quittance_invoices'
/** Ids in one notification, whose payload may have 8,000 bytes. */
const idsPerNotification = 200
const beatEveryMs = 500
const freshMs = 2_000

/**
 * The part of a statement that tells all processes which invoices the rows of its CTE `trail` have changed. PostgreSQL runs it only if
 * the statement reads from it.
 */
export function notifyChanges(sql: Sql) {
  return sql`select pg_notify(${channel}, string_agg(subject_id::text, ' ')) from (
      select subject_id, row_number() over () as place from trail group by subject_id
    ) as changed group by (place - 1) / ${idsPerNotification}`
}

/** News of changed invoices, from whichever process changed them. */
export type ChangeFeed = {
  /**
   * Whether every change that was committed more than two seconds ago has been told; usually it takes milliseconds. False while the
   * connection is away, or pretends to be there.
   */
  isFresh(): boolean
  close(): Promise<void>
}

/**
 * Listens for changes. `onChanged` gets their ids, `onGap` is called when some may have been missed. Each process sends itself a beat
 * twice a second: notifications come in the order of commits, so a beat that comes back vouches for all that was committed before it.
 * `sql` must be a pool of its own: listening takes one more connection than it has.
 */
export function listenForChanges(
  sql: Sql,
  options: {
    readonly name: string
    readonly steadyMs: () => number
    readonly onChanged: (ids: readonly string[]) => void
    readonly onGap: () => void
    readonly onFault: (error: unknown) => void
  },
): ChangeFeed {
  const { name, steadyMs, onFault } = options
  let vouchedAtMs = Number.NEGATIVE_INFINITY
  const timer = setInterval(beat, beatEveryMs)
  timer.unref()
  const listening = sql
    .listen(channel, hear, () => {
      options.onGap()
      beat()
    })
    .catch(onFault)

  function beat(): void {
    sql`select pg_notify(${channel}, ${`${name} ${steadyMs()}`})`.catch(onFault)
  }

  function hear(payload: string): void {
    const words = payload.split(' ')
    if (words[0] === name) vouchedAtMs = Number(words[1])
    // Anything else is the beat of another process, whose name may have any length.
    else if (isUuid(words[0] ?? '')) options.onChanged(words)
  }

  return {
    isFresh: () => steadyMs() - vouchedAtMs < freshMs,
    async close() {
      clearInterval(timer)
      await listening
    },
  }
}
