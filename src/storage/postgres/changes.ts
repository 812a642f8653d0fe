import { isUuid } from '../../domain/id.ts'
import { listening as listeningOn, type Sql } from './db.ts'

const channel = 'quittance_invoices'
/** The payload of a notification is limited to 8,000 bytes. */
const idsPerNotification = 200
const beatEveryMs = 500
const freshMs = 2_000

/** Notifies all processes of the invoices in the CTE `trail`. The statement must read from it. */
export function notifyChanges(sql: Sql) {
  return sql`select pg_notify(${channel}, string_agg(subject_id::text, ' ')) from (
      select subject_id, row_number() over () as place from trail group by subject_id
    ) as changed group by (place - 1) / ${idsPerNotification}`
}

/** A feed of changed invoices, whichever process changed them. */
export type ChangeFeed = ReturnType<typeof listenForChanges>

/**
 * Listens on `sql`, a pool for this alone. `onGap`: changes may have been missed. Twice a second a
 * heartbeat goes through the same connection: notifications arrive in commit order, so its return
 * proves that everything committed before it has arrived.
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
) {
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

  async function beat(): Promise<void> {
    if (isBeating) return
    isBeating = true
    try {
      await listeningOn(sql)`select pg_notify(${channel}, ${`${name} ${steadyMs()}`})`
    } catch (error) {
      if (!isClosed) onFault(error)
    } finally {
      isBeating = false
    }
  }

  function hear(payload: string): void {
    const words = payload.split(' ')
    if (words[0] === name) vouchedAtMs = Number(words[1])
    // Anything else is another process's heartbeat.
    else if (isUuid(words[0] ?? '')) options.onChanged(words)
  }

  return {
    /** Whether every change committed more than two seconds ago has been reported. */
    isFresh: (): boolean => steadyMs() - vouchedAtMs < freshMs,
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      await listening
    },
  }
}
