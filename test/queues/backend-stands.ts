import { createConnection, createServer, type Socket } from 'node:net'
import type { Backend, QueueLog } from '../../src/queues/backends/backend.ts'
import { postgresBackend } from '../../src/queues/backends/postgres.ts'
import { redisBackend } from '../../src/queues/backends/redis.ts'
import { createRedisHealth } from '../../src/storage/redis/health.ts'
import { testDatabase } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'

/** A real queue server, and the ways it can fail its clients. */
export type Stand = {
  connect(log: QueueLog): Promise<Backend>
  /** Deletes every job, scheduler and all other data of the queues. */
  loseEverything(): Promise<unknown>
  /** Deletes only the jobs. */
  loseJobs(): Promise<unknown>
  /**
   * Breaks every connection. New ones are possible at once (PostgreSQL), or after a restart (Redis,
   * killed).
   */
  restart(): Promise<unknown>
  /** Keeps connections open and answers nothing, until `goOn`. */
  hang(): void
  goOn(): void
  /**
   * Refuses new jobs until `admit`: Redis is full; PostgreSQL drops connections as soon as they are
   * made.
   */
  refuse(): Promise<unknown>
  admit(): Promise<unknown>
  /** How often it has refused so far. */
  refusals(): Promise<number>
  /** Breaks all connections and refuses new ones. */
  vanish(): Promise<unknown>
  stop(): Promise<unknown>
}

export async function redisStand(): Promise<Stand> {
  const server = await startRedis()
  const redis = new Bun.RedisClient(server.url)
  let pid = server.pid
  return {
    connect: async (log) =>
      redisBackend(
        { url: server.url, prefix: 'test' },
        log,
        createRedisHealth(() => {}),
      ),
    loseEverything: () => redis.send('FLUSHALL', []),
    async loseJobs() {
      const keys: string[] = await redis.send('KEYS', ['test:*'])
      const kept = /:(?:de|meta|id|repeat)/
      for (const key of keys) if (!kept.test(key)) await redis.send('DEL', [key])
    },
    async restart() {
      process.kill(pid, 'SIGKILL')
      await server.restart()
      pid = server.pid
    },
    hang: () => process.kill(pid, 'SIGSTOP'),
    goOn: () => process.kill(pid, 'SIGCONT'),
    refuse: () => redis.send('CONFIG', ['SET', 'maxmemory', '1mb']),
    admit: () => redis.send('CONFIG', ['SET', 'maxmemory', '0']),
    async refusals() {
      const stats: string = await redis.send('INFO', ['errorstats'])
      return Number(/errorstat_OOM:count=(\d+)/.exec(stats)?.[1] ?? 0)
    },
    async vanish() {
      process.kill(pid, 'SIGKILL')
      await Bun.sleep(50)
    },
    async stop() {
      redis.close()
      await server.stop()
    },
  }
}

export async function postgresStand(): Promise<Stand> {
  const { url, sql, drop } = await testDatabase()
  const wire = await openWire(url)
  const tables = () => sql<{ name: string }[]>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'bullmq' and tablename <> 'migration'`
  return {
    connect: (log) => postgresBackend(wire.url, log),
    async loseEverything() {
      for (const { name } of await tables()) await sql.unsafe(`delete from bullmq.${name}`)
    },
    loseJobs: () => sql`delete from bullmq.job`,
    restart: () => sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    hang: wire.hang,
    goOn: wire.goOn,
    refuse: async () => wire.refuse(true),
    admit: async () => wire.refuse(false),
    refusals: async () => wire.refusals(),
    vanish: wire.cut,
    async stop() {
      await wire.cut()
      await drop()
    },
  }
}

/**
 * A relay to a server that can block or cut connections. The server itself is shared by all tests.
 */
async function openWire(serverUrl: string) {
  const target = new URL(serverUrl)
  const ends = new Set<Socket>()
  let isRefusing = false
  let refusals = 0
  let isHanging = false
  const server = createServer((near) => {
    if (isRefusing) {
      refusals++
      near.destroy()
      return
    }
    const far = createConnection(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from)
      from.pipe(to)
      if (isHanging) from.pause()
      from.on('error', () => {})
      from.on('close', () => {
        ends.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const near = new URL(serverUrl)
  near.hostname = '127.0.0.1'
  near.port = String((server.address() as { port: number }).port)
  return {
    url: near.href,
    hang() {
      isHanging = true
      for (const end of ends) end.pause()
    },
    goOn() {
      isHanging = false
      for (const end of ends) end.resume()
    },
    refuse(from: boolean) {
      isRefusing = from
      if (from) for (const end of ends) end.destroy()
    },
    refusals: () => refusals,
    async cut() {
      server.close()
      for (const end of ends) end.destroy()
    },
  }
}
