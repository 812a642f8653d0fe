import type { LeaseWindows, WindowAsk, WindowGrant } from '../domain/request-windows.ts'

/** Where the counts of a store that may lose everything are kept too: the day's count of every bucket that has a daily limit. */
export type Mirror = {
  /** Keeps in mind what was counted, until it is written. */
  note(asks: readonly WindowAsk[], grants: readonly WindowGrant[]): void
  /** Writes what was noted since the last time, many buckets in a statement. */
  write(): Promise<void>
  /** The same asks, knowing what was written of their buckets, by this process or by others. */
  recall(asks: readonly WindowAsk[]): Promise<readonly WindowAsk[]>
}

/** As many as a lease asks for: the statement's time grows with their square, and nobody who waits for its rows waits long. */
const bucketsAtOnce = 256
/** An ask of nothing: it leaves behind what its asker knows, and answers what the store does. */
const nothing = { want: 0, spare: 0, unused: 0 }

/**
 * A mirror in `store`. Neither writing nor recalling ever fails: `onFault` hears why it did not succeed, and counting goes on from what
 * the asker knows. What was counted since the last writing is lost with the store it was counted in.
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
