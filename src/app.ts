import { serveHealth } from './app/health.ts'
import { serveHttp } from './app/http.ts'
import { createService } from './app/service.ts'
import { startWorkers } from './app/workers.ts'
import { problemOf } from './chain/wallets.ts'
import type { Config } from './config/config.ts'
import { isWatched, notesOn } from './config/notes.ts'
import { loadSecrets, type Secrets } from './config/secrets.ts'
import { requireKey } from './config/secrets-key.ts'
import { networks } from './domain/network.ts'
import { postgresBackend } from './queues/backends/postgres.ts'
import { redisBackend } from './queues/backends/redis.ts'
import { createQueues } from './queues/queues.ts'
import { recordWallets } from './storage/invoices/payment-addresses.ts'
import { createClockCheck } from './storage/postgres/clock-check.ts'
import { type Embedded, startEmbedded } from './storage/postgres/embedded/embedded.ts'
import { migrate } from './storage/postgres/migrate.ts'
import { openDatabase } from './storage/postgres/pools.ts'
import { redisNamespace } from './storage/redis/connection.ts'
import { createRedisHealth } from './storage/redis/health.ts'
import type { Log } from './telemetry/log.ts'

export type App = {
  readonly url: string | null
  /** Null unless METRICS_PORT is set. */
  readonly metricsUrl: string | null
  readonly databaseUrl: string
  /** Starts what would fail later if the process ran out of file descriptors. */
  warmUp(): void
  /** Stops accepting, finishes what is running, closes everything. */
  drain(): Promise<void>
}

type Circumstances = {
  /** Called with the last output of an embedded PostgreSQL that ends by itself. */
  readonly onDatabaseDeath?: (lastWords: string) => void
  readonly signal?: AbortSignal
}

/**
 * The composition root: creates the parts of the service (app/) in the order in which they start,
 * and stops them in reverse, also if the start fails. Throws the reason of an aborted `signal`.
 */
export async function startApp(
  config: Config,
  log: Log,
  circumstances: Circumstances = {},
): Promise<App> {
  /** Stops what has been started, the latest first. */
  const ends: (() => Promise<unknown>)[] = []
  async function drain(): Promise<void> {
    for (const end of ends) await end()
  }
  try {
    return { ...(await startParts(config, log, circumstances, ends)), drain }
  } catch (error) {
    await drain().catch((err) =>
      log.warn({ err }, 'not everything that was started could be ended'),
    )
    throw error
  }
}

async function startParts(
  config: Config,
  log: Log,
  { onDatabaseDeath = () => {}, signal }: Circumstances,
  ends: (() => Promise<unknown>)[],
): Promise<Omit<App, 'drain'>> {
  const secrets = await loadSecrets(config)
  const { dataDir } = config
  const onData = () => log.info({ dataDir }, 'waiting for a command that uses the database')
  const embedded =
    config.databaseUrl === null
      ? await startEmbedded({ dataDir, onDeath: onDatabaseDeath, onWait: onData, signal })
      : null
  if (embedded) ends.unshift(embedded.stop)
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? ''
  const database = openDatabase(databaseUrl)
  ends.unshift(database.close)
  const onWait = () => log.info({}, 'waiting for another process to migrate the database')
  const migrated = await migrate(database.sql, { onWait, signal })
  if (migrated.length > 0) log.info({ migrated }, 'schema brought up to date')
  const sealKey = await requireKey(database.sql, secrets.secretsKey)
  await recordWallets(database.sql, walletsIn(secrets))
  const redis =
    config.redisUrl === null ? null : await redisNamespace(config.redisUrl, database.sql)
  const redisHealth = createRedisHealth((reason) => {
    if (reason === null) log.info({}, 'Redis is back')
    else log.warn({ reason }, 'Redis is away')
  })
  const backend = redis
    ? redisBackend(redis, log, redisHealth)
    : await postgresBackend(databaseUrl, log)
  ends.unshift(backend.close)
  const queues = createQueues({ backend, log })
  ends.unshift(queues.close)
  const service = createService({ config, log, secrets, sealKey, database, queues })
  ends.unshift(service.drain)
  signal?.throwIfAborted()
  const ending = new AbortController()
  const health = serveHealth(config, database, redisHealth, service, ending.signal)
  if (health) ends.unshift(health.stop)
  // Stopped concurrently: one after the other would exceed the time limit.
  const serving: { stop(): Promise<unknown> }[] = []
  ends.unshift(() => {
    ending.abort()
    return Promise.all(serving.map((part) => part.stop()))
  })
  // Workers check the clock in each sweep.
  if (config.role === 'http') await createClockCheck(database.sql, log)()
  if (config.role !== 'http')
    serving.push(startWorkers({ config, secrets, log, database, backend, queues, service }))
  const http =
    config.role === 'worker'
      ? null
      : serveHttp({
          config,
          log,
          database,
          redisNamespace: redis,
          redisHealth,
          service,
          ending: ending.signal,
        })
  if (http) serving.push(http)
  announce(config, secrets, embedded, http?.url ?? null, log)
  return {
    url: http?.url ?? null,
    metricsUrl: health?.url ?? null,
    databaseUrl,
    warmUp: () => http?.warmUp(),
  }
}

function walletsIn({ wallets }: Secrets) {
  return networks.flatMap((chain) => {
    const address = wallets[chain]
    return address !== null && problemOf(chain, address) === null ? [{ chain, address }] : []
  })
}

function announce(
  config: Config,
  secrets: Secrets,
  embedded: Embedded | null,
  url: string | null,
  log: Log,
): void {
  if (embedded)
    log.info({ dataDir: config.dataDir, data: embedded.folder }, 'embedded PostgreSQL is running')
  if (secrets.file)
    log.info(
      { file: secrets.file },
      'missing secrets and chain wallets are generated in this file; back it up',
    )
  for (const note of notesOn(config)) log.info({}, note)
  log.info(
    { role: config.role, url, watched: networks.filter((network) => isWatched(config, network)) },
    'ready',
  )
}
