import type { DatabaseAddress } from './database-url.ts'

/**
 * What this process knows of the servers in a URL, of which one takes writes. All of its pools
 * share it: what one connection learns, every other follows.
 */
export type Servers = ReturnType<typeof createServers>

const known = new Map<string, Servers>()

export function serversOf({ servers }: DatabaseAddress): Servers {
  const key = JSON.stringify(servers)
  const found = known.get(key) ?? createServers(servers.length)
  known.set(key, found)
  return found
}

function createServers(count: number) {
  const listeners = new Set<() => void>()
  let next = 0
  let writable = 0
  return {
    /** The index of the server to try next. */
    next: () => next,
    /** The index of the server that was last found to take writes. */
    writable: () => writable,
    /** A connection to this server was refused, lost, or found to take no writes. */
    leave(index: number): void {
      if (next === index) next = (index + 1) % count
    },
    /** This server takes writes. */
    settle(index: number): void {
      next = index
      if (writable === index) return
      writable = index
      for (const listener of listeners) listener()
    },
    /** Calls `listener` whenever another server takes the writes, until the returned call. */
    onMove(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
