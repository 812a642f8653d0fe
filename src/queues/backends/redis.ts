import {
  type BackendFactory,
  createRedisBackend,
  Queue,
  type RedisQueueBackend,
  Worker,
} from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { isReadOnly, type RedisNamespace, requireDatabase } from '../../storage/redis/connection.ts'
import type { RedisHealth } from '../../storage/redis/health.ts'
import { redisArguments } from '../../storage/redis/redis-url.ts'
import { type Backend, faultLog, type QueueLog, restful, workerTimes } from './backend.ts'

const patience = {
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
  disconnectTimeout: 300,
}

/** After this a connection counts as dead. A worker's blocking read takes up to 10 s. */
const silenceMs = { producer: 3_000, consumer: 15_000 }

/**
 * BullMQ on Redis. Keeps trying to reach a Redis that is down or read-only; `health` learns of it.
 */
export function redisBackend(
  { url, prefix }: RedisNamespace,
  log: QueueLog,
  health: RedisHealth,
): Backend {
  const onFault = faultLog(log, health.isAway)
  // Producers fail rather than wait: the sweep finds the work of a job that was not added.
  const producer = new Redis(
    ...redisArguments(url, {
      ...patience,
      commandTimeout: 300,
      socketTimeout: silenceMs.producer,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      reconnectOnError: isReadOnly,
    }),
  )
  const consumer = new CopiedRedis(
    ...redisArguments(url, {
      ...patience,
      socketTimeout: silenceMs.consumer,
      maxRetriesPerRequest: null,
      // 2: ioredis repeats the refused command once it has reconnected.
      reconnectOnError: (error) => (isReadOnly(error) ? 2 : false),
    }),
  )
  for (const client of [producer, consumer])
    health.watch(requireDatabase(client), `${prefix}:trial`)

  return {
    openQueue(name) {
      // A failed version check is remembered for ever, and only workers need it.
      const queue = new Queue(name, { connection: producer, prefix, skipVersionCheck: true })
      return queue.on('error', (error) => onFault(error, name))
    },
    openWorker(name, { concurrency, process, onFailed }) {
      const options = { ...workerTimes, connection: consumer, prefix, concurrency }
      const worker = new Worker(name, process, options, restfulBackend)
      return worker.on('error', (error) => onFault(error, name)).on('failed', onFailed)
    },
    isAway: health.isAway,
    async close() {
      for (const client of [producer, consumer, ...consumer.copies]) client.disconnect()
    },
  }
}

const restfulBackend: BackendFactory<RedisQueueBackend> = (...which) =>
  restful(createRedisBackend(...which))

/**
 * BullMQ copies the connection for each worker's blocking read; only this can close the copies
 * while the server hangs.
 */
class CopiedRedis extends Redis {
  readonly copies: Redis[] = []

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = requireDatabase(super.duplicate(override))
    this.copies.push(copy)
    return copy
  }
}
