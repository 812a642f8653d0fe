import { isUuid } from '../../domain/id.ts'
import { listening as listeningOn, type Sql } from './db.ts'

const channel = 'quittance_invoices'
/** Ids in one notification, whose payload is limited to 8,000 bytes. */
const idsPerNotification = 200
const beatEveryMs = 500
const freshMs = 2_000

/**
 * The part of a statement that notifies all processes of the invoices changed by the rows in its
 * CTE `trail`. PostgreSQL runs it only if the statement reads from it.
 */
export function notifyChanges(sql: Sql) {
  return sql`select pg_notify(${channel}, string_agg(subject_id::text, ' ')) from (
      select subject_id, row_number() over () as place from trail group by subject_id
    ) as changed group by (place - 1) / ${idsPerNotification}`
}

/** A feed of changed invoices, whichever process changed them. */
export type ChangeFeed = {
  /**
   * Whether every change committed more than two seconds ago has been reported; usually it takes
   * milliseconds. False while the connection is down, or looks alive but delivers nothing.
   */
  isFresh(): boolean
  close(): Promise<void>
}

/**
 * Listens for changes. `onChanged` gets the ids of changed invoices; `onGap` is called when some
 * may have been missed. Each process sends itself a heartbeat twice a second: notifications arrive
 * in commit order, so a heartbeat that returns proves that everything committed before it has
 * arrived. It is sent on the connection that listens, which nothing else would ever find dead.
 * `sql` must be a pool of its own: listening takes one connection more than the pool has.
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
  let isBeating = false
  let isClosed = false
  const listening = sql
    .listen(channel, hear, () => {
      options.onGap()
      void beat()
    })
    .catch(onFault)
  const timer = setInterval(beat, beatEveryMs)
  timer.unref()

  /** One at a time: behind one that hangs the others would only wait. */
  async function beat(): Promise<void> {
    if (isBeating) return
    isBeating = true
    try {
      await listeningOn(sql)`select pg_notify(${channel}, ${`${name} ${steadyMs()}`})`
    } catch (error) {
      // Whoever closes ends the connection next, with the heartbeat that is on its way.
      if (!isClosed) onFault(error)
    } finally {
      isBeating = false
    }
  }

  function hear(payload: string): void {
    const words = payload.split(' ')
    if (words[0] === name) vouchedAtMs = Number(words[1])
    // Anything else is another process's heartbeat, whose name may have any length.
    else if (isUuid(words[0] ?? '')) options.onChanged(words)
  }

  return {
    isFresh: () => steadyMs() - vouchedAtMs < freshMs,
    async close() {
      isClosed = true
      clearInterval(timer)
      await listening
    },
  }
}
