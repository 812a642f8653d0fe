import type { Redis } from 'ioredis'

/** No memory, cannot save, too few replicas, or a replica itself. */
const refusals = /\b(OOM|MISCONF|NOREPLICAS|READONLY)\b/
const tryEveryMs = 1_000
/** Larger than what a full memory has free now and then. */
const trial = 'x'.repeat(100_000)

/**
 * How long connections must last to count as back: a replica accepts them, then closes them at the
 * first command it refuses.
 */
const settledMs = 1_000

export type RedisHealth = ReturnType<typeof createRedisHealth>

/**
 * Calls `onChange` once, for all connections, when Redis goes away or refuses writes, with the
 * reason, and once with null when it is back.
 */
export function createRedisHealth(onChange: (reason: string | null) => void) {
  const lost = new Set<Redis>()
  const refusing = new Set<Redis>()
  let isReported = false
  let settling: Timer | undefined

  function lose(client: Redis, reason: string): void {
    clearTimeout(settling)
    lost.add(client)
    if (isReported) return
    isReported = true
    onChange(reason)
  }

  function regain(client: Redis): void {
    lost.delete(client)
    if (!isReported || lost.size > 0) return
    clearTimeout(settling)
    settling = setTimeout(() => {
      isReported = false
      onChange(null)
    }, settledMs)
    settling.unref()
  }

  /** A connection whose write was refused counts as lost until a write succeeds. */
  async function refuse(client: Redis, trialKey: string, reason: string): Promise<void> {
    if (refusing.has(client)) return
    refusing.add(client)
    lose(client, reason)
    do await Bun.sleep(tryEveryMs)
    while (client.status !== 'end' && (await refusesWrites(client, trialKey)))
    refusing.delete(client)
    if (client.status !== 'end') regain(client)
  }

  /** Watches and returns a connection, on which `trialKey` may be written. */
  function watch<Client extends Redis>(client: Client, trialKey: string): Client {
    lost.add(client)
    let reason: string | undefined
    client.on('connecting', () => {
      reason = undefined
    })
    client.on('error', (error: NodeJS.ErrnoException) => {
      // The first is the cause.
      reason ??= error.message || error.code
    })
    // Not `close`, which we also do ourselves.
    client.on('reconnecting', () => lose(client, reason ?? 'the connection was closed'))
    client.on('ready', () => refusing.has(client) || regain(client))
    client.on('end', () => lost.delete(client))
    const { reconnectOnError } = client.options
    client.options.reconnectOnError = (error) => {
      if (refusals.test(error.message)) void refuse(client, trialKey, error.message)
      return reconnectOnError?.(error) ?? false
    }
    return client
  }

  return {
    watch,
    /** Whether Redis is away or was a moment ago: a command that fails then is no news. */
    isAway: () => isReported || lost.size > 0,
    isRefusing: () => [...refusing].some(({ status }) => status === 'ready'),
  }
}

async function refusesWrites(client: Redis, trialKey: string): Promise<boolean> {
  try {
    await client.set(trialKey, trial, 'PX', 1)
    return false
  } catch (error) {
    // Another reply, such as that this key may not be written, proves nothing.
    const { name, message } = error as Error
    return name !== 'ReplyError' || refusals.test(message)
  }
}
