import manifest from '../package.json' with { type: 'json' }
import { createReadiness } from './actors/readiness.ts'
import { serveHealth } from './app/health.ts'
import { serveHttp } from './app/http.ts'
import { createService } from './app/service.ts'
import { welcome } from './app/welcome.ts'
import { startWorkers } from './app/workers.ts'
import type { Config } from './config/config.ts'
import { isWatched, notesOn } from './config/notes.ts'
import { loadSecrets, type Secrets } from './config/secrets.ts'
import { requireKeys, tagOf } from './config/secrets-key.ts'
import type { Keys } from './domain/accounts/secret.ts'
import { networks } from './domain/network.ts'
import { postgresBackend } from './queues/backends/postgres.ts'
import { redisBackend } from './queues/backends/redis.ts'
import { createQueues } from './queues/queues.ts'
import { hasAccount } from './storage/accounts/accounts.ts'
import { recordWallets } from './storage/invoices/payment-addresses.ts'
import { createClockCheck } from './storage/postgres/clock-check.ts'
import { serverTime } from './storage/postgres/database-server.ts'
import type { Sql } from './storage/postgres/db.ts'
import { type Embedded, startEmbedded } from './storage/postgres/embedded/embedded.ts'
import { migrate } from './storage/postgres/migrate.ts'
import { openDatabase } from './storage/postgres/pools.ts'
import { findOwnKey } from './storage/postgres/secrets-key.ts'
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
  /** Called once the database belongs to a key that this process lacks. */
  readonly onForeignKey?: () => void
  readonly signal?: AbortSignal
  /** Takes a text for the person at a terminal, in place of the log's lines about the start. */
  readonly onReady?: ((text: string) => void) | undefined
}

const keyCheckMs = 2_000

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
  { onDatabaseDeath = () => {}, onForeignKey = () => {}, signal, onReady }: Circumstances,
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
  const database = openDatabase(databaseUrl, tagOf(secrets.secretsKey))
  ends.unshift(database.close)
  const onWait = () => log.info({}, 'waiting for another process to migrate the database')
  const migrated = await migrate(database.sql, { onWait, signal })
  if (migrated.length > 0) log.info({ migrated }, 'schema brought up to date')
  // On a connection that shows which key this process has, before it asks for the database's.
  const keys = await requireKeys(database.pollSql, secrets)
  ends.unshift(watchKey(database.pollSql, keys, onForeignKey))
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
  const tracing = await tracingOf(config)
  if (tracing) ends.unshift(tracing.stop)
  const startedAt = await serverTime(database.sql)
  const service = createService({
    ...{ config, log, secrets, keys, database, queues, tracing, startedAt },
  })
  ends.unshift(service.drain)
  signal?.throwIfAborted()
  const ending = new AbortController()
  const readiness = createReadiness(config, database.pollSql, redisHealth, ending.signal, () => [
    ...(config.role === 'worker' ? [] : service.saleNotes()),
    ...service.nodeNotes(),
  ])
  const health = serveHealth(config, service, readiness)
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
          readiness,
          ending: ending.signal,
        })
  if (http) serving.push(http)
  const ready = { config, secrets, url: http?.url ?? null }
  if (onReady) onReady(welcome({ ...ready, hasAccount: await hasAccount(database.sql) }))
  else announce({ ...ready, embedded, log })
  return {
    url: http?.url ?? null,
    metricsUrl: health?.url ?? null,
    databaseUrl,
    warmUp: () => http?.warmUp(),
  }
}

/** A process with an old key alone would not recognise new references. */
function watchKey(sql: Sql, keys: Keys, onForeignKey: () => void): () => Promise<void> {
  const timer = setInterval(async () => {
    const isOurs = await findOwnKey(sql, keys.opening).catch(() => 'unknown')
    if (!isOurs) onForeignKey()
  }, keyCheckMs)
  return async () => clearInterval(timer)
}

/** Only a service that traces loads OpenTelemetry. */
async function tracingOf({ tracing }: Config) {
  if (!tracing) return null
  const { startTracing } = await import('./telemetry/tracing.ts')
  return startTracing(tracing, manifest.version)
}

function walletsIn({ wallets }: Secrets) {
  return networks.flatMap((chain) => {
    const address = wallets[chain]
    return address === null ? [] : [{ chain, address }]
  })
}

type Announced = {
  readonly config: Config
  readonly secrets: Secrets
  readonly embedded: Embedded | null
  readonly url: string | null
  readonly log: Log
}

function announce({ config, secrets, embedded, url, log }: Announced): void {
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
