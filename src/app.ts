import { createGroupCommit } from './actors/group-commit.ts'
import { createInvoices } from './actors/invoices.ts'
import { createPayees } from './actors/payees.ts'
import { paymentUri, registry } from './chain/registry.ts'
import type { Config } from './config.ts'
import { type Network, networks } from './domain/network.ts'
import { derive, keyFrom } from './domain/secret.ts'
import { createKeyRing, identify } from './http/auth.ts'
import { createLimits } from './http/limits.ts'
import { createServer } from './http/server.ts'
import type { Log } from './log.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import * as Accounts from './storage/accounts.ts'
import { connect, type Sql, within } from './storage/db.ts'
import { type Embedded, startEmbedded } from './storage/embedded.ts'
import * as InvoiceRows from './storage/invoices.ts'
import { migrate } from './storage/migrate.ts'
import { findReceipt } from './storage/receipts.ts'
import { postgresWindows } from './storage/request-windows.ts'
import { connectRedis, firstThat, redisWindows } from './storage/request-windows-redis.ts'

export type App = {
  /** Where it listens; null for a worker. */
  readonly url: string | null
  readonly databaseUrl: string
  /** Stops accepting, finishes what runs, closes everything. */
  drain(): Promise<void>
}

const lanes = 2
const now = () => new Date()
const steadyMs = () => performance.now()
const newId = () => Bun.randomUUIDv7()

/** The composition root: the one list of what the service is made of, and who may call whom. */
export async function startApp(config: Config, log: Log): Promise<App> {
  const secrets = await loadSecrets(config)
  const embedded =
    config.databaseUrl === null ? await startEmbedded({ dataDir: config.dataDir }) : null
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? ''
  const database = openDatabase(databaseUrl)
  const migrated = await migrate(database.sql)
  if (migrated.length > 0) log.info({ migrated }, 'schema brought up to date')
  const service = createService(config, secrets, database)
  const http = config.role === 'worker' ? null : serveHttp(config, log, database, service)
  announce(config, secrets, embedded, http?.url ?? null, log)
  return {
    url: http?.url ?? null,
    databaseUrl,
    async drain() {
      await http?.stop()
      await service.invoices.drain()
      await database.close()
      await embedded?.stop()
    },
  }
}

type Database = {
  readonly sql: Sql
  /** For the polls that vouch for caches: they must not queue behind requests. */
  readonly pollSql: Sql
  /** One connection each: a lane has one statement under way. */
  readonly lanes: readonly Sql[]
  close(): Promise<void>
}

function openDatabase(url: string): Database {
  const sql = connect(url, { max: 10, name: 'requests' })
  const pollSql = connect(url, { max: 1, name: 'polls' })
  const laneSqls = Array.from({ length: lanes }, (_, n) =>
    connect(url, { max: 1, name: `lane ${n}` }),
  )
  return {
    sql,
    pollSql,
    lanes: laneSqls,
    close: async () =>
      void (await Promise.all([sql, pollSql, ...laneSqls].map((pool) => pool.end({ timeout: 5 })))),
  }
}

type Service = ReturnType<typeof createService>

/** The actors and what they stand on: the same in every role. */
function createService(config: Config, secrets: Secrets, { sql, lanes: laneSqls }: Database) {
  const sealKey = keyFrom(secrets.secretsKey)
  const referenceKey = derive(sealKey, 'invoice references')
  const commit = { lanes, maxBatch: 256, maxWaiting: 4_096 }
  const lane = (n: number) => laneSqls[n] as Sql
  const invoices = createInvoices({
    store: {
      load: (ids) => InvoiceRows.loadMany(sql, ids),
      list: (accountId, query) => InvoiceRows.list(sql, accountId, query),
    },
    insertions: createGroupCommit({
      ...commit,
      flush: (n, rows) => InvoiceRows.insertAll(lane(n), rows),
    }),
    changes: createGroupCommit({
      ...commit,
      flush: (n, changes) => InvoiceRows.updateAll(lane(n), changes),
    }),
    now,
    newId,
    fx: config.fx,
    payee: createPayees({
      networks: networkTable((network) => ({
        wallet: secrets.wallets[network],
        usdcAddress: config.networks[network].usdcAddress,
      })),
      walletsOf: async (accountId) => (await Accounts.findAccount(sql, accountId))?.wallets ?? {},
      watch: (chain, address) => InvoiceRows.rememberPaymentAddress(sql, chain, address),
      paymentUri: (chain, payment) => paymentUri(registry[chain], payment),
      referenceKey,
      nowMs: steadyMs,
    }),
    onCommit: () => {},
  })
  return { invoices, sealKey, referenceKey }
}

function networkTable<T>(row: (network: Network) => T): Record<Network, T> {
  return Object.fromEntries(networks.map((network) => [network, row(network)])) as Record<
    Network,
    T
  >
}

function serveHttp(config: Config, log: Log, { sql, pollSql }: Database, { invoices }: Service) {
  const onFault = (error: unknown) => log.warn({ err: error }, 'a background task failed')
  const redis = config.redisUrl === null ? null : connectRedis(config.redisUrl, onFault)
  const counts = postgresWindows(sql)
  const limits = createLimits({
    store: redis ? firstThat(redisWindows(redis), counts, steadyMs, onFault) : counts,
    clock: steadyMs,
  })
  const keys = createKeyRing({
    store: {
      findKey: (hash) => Accounts.findKey(sql, hash),
      changedSince: (asOf) => Accounts.changedSince(pollSql, asOf),
      touchLastUsed: (uses) => Accounts.touchLastUsed(sql, uses),
    },
    unixMs: Date.now,
    steadyMs,
    onFault,
  })
  const server = createServer({
    gate: {
      identify: (request) => identify(request, keys),
      limits,
      log,
      newRequestId: () => crypto.randomUUID(),
    },
    trustProxy: config.trustProxy,
    now,
    invoices,
    receipts: { find: (receiptId) => findReceipt(sql, receiptId) },
    readiness: () => readiness(config, sql),
  }).listen({
    port: config.port,
    hostname: config.host,
    idleTimeout: 30,
    maxRequestBodySize: 4_194_304,
  })
  const port = server.server?.port ?? config.port
  return {
    url: `http://localhost:${port}`,
    async stop() {
      await server.stop()
      await Promise.all([limits.close(), keys.close()])
      redis?.disconnect()
    },
  }
}

async function readiness(config: Config, sql: Sql) {
  const isUp = await within(() => sql`select 1`, 2_000).then(
    () => true,
    () => false,
  )
  return {
    problems: isUp ? [] : ['the database does not answer'],
    notes: unwatched(config).map((network) => `${network} is not watched: no RPC URL`),
  }
}

function unwatched(config: Config): readonly Network[] {
  return networks.filter((network) => config.networks[network].rpcUrls.length === 0)
}

function announce(
  config: Config,
  secrets: Secrets,
  embedded: Embedded | null,
  url: string | null,
  log: Log,
): void {
  if (embedded) log.info({ directory: embedded.directory }, 'embedded PostgreSQL is running')
  if (secrets.file)
    log.info(
      { file: secrets.file },
      'missing secrets and chain wallets are generated in this file; back it up',
    )
  const watched = networks.filter((network) => config.networks[network].rpcUrls.length > 0)
  log.info({ role: config.role, url, watched, unwatched: unwatched(config) }, 'ready')
}
