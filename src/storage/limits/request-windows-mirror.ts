import type { LeaseWindows, WindowAsk, WindowGrant } from '../../domain/accounts/request-windows.ts'

/**
 * A durable copy of the counts of a store that may lose everything: the day's count of every bucket
 * with a daily limit.
 */
export type Mirror = {
  /** Remembers counts in memory until they are written. */
  note(asks: readonly WindowAsk[], grants: readonly WindowGrant[]): void
  /** Writes the counts noted since the last write, many buckets per statement. */
  write(): Promise<void>
  /** The same asks, with the counts that this or another process has written for their buckets. */
  recall(asks: readonly WindowAsk[]): Promise<readonly WindowAsk[]>
}

/**
 * As many as a lease asks for: the statement's time grows with the square of their number, and it
 * must not make others wait long for its rows.
 */
const bucketsAtOnce = 256
/** An ask for no requests: it stores what the asker knows and returns what the store knows. */
const nothing = { want: 0, spare: 0, unused: 0 }

/**
 * A mirror in `store`. Writing and recalling never fail: `onFault` gets the reason, and counting
 * goes on from what the asker knows. Counts noted since the last write are lost if the mirrored
 * store is lost with this process.
 */
export function createMirror(store: LeaseWindows, onFault: (error: unknown) => void): Mirror {
  const noted = new Map<string, WindowAsk>()
  return {
    note(asks, grants) {
      for (const [at, known] of grants.entries()) {
        const ask = asks[at]
        if (ask && ask.perDay !== null) noted.set(ask.bucket, { ...ask, ...nothing, known })
      }
    },
    async write() {
      const asks = [...noted.values()]
      noted.clear()
      for (let at = 0; at < asks.length; at += bucketsAtOnce) {
        const some = asks.slice(at, at + bucketsAtOnce)
        try {
          await store(some)
        } catch (error) {
          onFault(error)
          for (const ask of some) if (!noted.has(ask.bucket)) noted.set(ask.bucket, ask)
        }
      }
    },
    async recall(asks) {
      try {
        const grants = await store(asks.map((ask) => ({ ...ask, ...nothing })))
        return asks.map((ask, at) => ({ ...ask, known: grants[at] ?? ask.known }))
      } catch (error) {
        onFault(error)
        return asks
      }
    },
  }
}
