import type { Redis } from 'ioredis'

/** Whether this process can reach Redis, judging by its connections. */
export type RedisStanding = {
  /**
   * Whether a connection is lost or not established yet, or came back only a moment ago. A command
   * that fails meanwhile tells nothing new.
   */
  isAway(): boolean
  /** Counts a connection in. Returns it. */
  watch<Client extends Redis>(client: Client): Client
}

/**
 * How long all connections must last to count as back: a Redis that has become a replica accepts
 * connections, which then close at the first command it refuses.
 */
const settledMs = 1_000

/**
 * Calls `onChange` once when Redis goes away, with the reason, and once with null when it is back,
 * for all connections of the process together: each of them tries again several times a second, and
 * every command fails meanwhile.
 */
export function redisStanding(onChange: (reason: string | null) => void): RedisStanding {
  const lost = new Set<Redis>()
  let isTold = false
  let settling: Timer | undefined

  function lose(client: Redis, reason: string): void {
    clearTimeout(settling)
    lost.add(client)
    if (isTold) return
    isTold = true
    onChange(reason)
  }

  function regain(client: Redis): void {
    lost.delete(client)
    if (!isTold || lost.size > 0) return
    clearTimeout(settling)
    settling = setTimeout(() => {
      isTold = false
      onChange(null)
    }, settledMs)
    settling.unref()
  }

  return {
    isAway: () => isTold || lost.size > 0,
    watch(client) {
      lost.add(client)
      let reason: string | undefined
      client.on('connecting', () => {
        reason = undefined
      })
      client.on('error', (error: NodeJS.ErrnoException) => {
        // The first is the cause; others only say that commands go nowhere.
        reason ??= error.message || error.code
      })
      // Not `close`, which is also what we do ourselves in the end.
      client.on('reconnecting', () => lose(client, reason ?? 'the connection was closed'))
      client.on('ready', () => regain(client))
      client.on('end', () => lost.delete(client))
      return client
    },
  }
}
