import { randomBytes } from 'node:crypto'
import { createGroupCommit } from './actors/group-commit.ts'
import { createInvoices } from './actors/invoices.ts'
import { createPayees } from './actors/payees.ts'
import { anchorClient } from './chain/anchor.ts'
import { evmChain } from './chain/evm.ts'
import { paymentUri, registry } from './chain/registry.ts'
import type { Config } from './config.ts'
import { type Network, networks } from './domain/network.ts'
import { derive, keyFrom, open, seal } from './domain/secret.ts'
import { newWebhookSecret } from './domain/signature.ts'
import { createKeyRing, identify } from './http/auth.ts'
import { createEgress } from './http/egress.ts'
import { createLimits } from './http/limits.ts'
import { createServer } from './http/server.ts'
import type { Webhooks } from './http/v1/webhooks.ts'
import type { Log } from './log.ts'
import { createAnchorWorker } from './queues/anchor.ts'
import type { Backend } from './queues/backend.ts'
import { createDeliver } from './queues/deliver.ts'
import { createOutbox } from './queues/outbox.ts'
import { postgresBackend } from './queues/postgres-backend.ts'
import { createQueues, type Queues } from './queues/queues.ts'
import { redisBackend } from './queues/redis-backend.ts'
import { createSweep } from './queues/sweep.ts'
import { createWatcher } from './queues/watch.ts'
import { createWorkers } from './queues/workers.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import * as Accounts from './storage/accounts.ts'
import { anchorStore } from './storage/anchors.ts'
import { connect, type Sql, within } from './storage/db.ts'
import * as Deliveries from './storage/deliveries.ts'
import { type Embedded, startEmbedded } from './storage/embedded.ts'
import * as InvoiceRows from './storage/invoices.ts'
import { migrate } from './storage/migrate.ts'
import { fanOut } from './storage/outbox.ts'
import { findReceipt } from './storage/receipts.ts'
import { postgresWindows, pruneWindows } from './storage/request-windows.ts'
import { connectRedis, firstThat, redisWindows } from './storage/request-windows-redis.ts'
import { watchStore } from './storage/watching.ts'
import * as WebhookRows from './storage/webhooks.ts'

export type App = {
  /** Where it listens; null for a worker. */
  readonly url: string | null
  readonly databaseUrl: string
  /** Stops accepting, finishes what runs, closes everything. */
  drain(): Promise<void>
}

const lanes = 2
const sweepEveryMs = 15_000
const jobDrainMs = 8_000
const requestDrainMs = 8_000
/** Longer than an attempt can take, so that nobody makes it a second time meanwhile. */
const deliveryLeaseMs = 30_000
const anchorLookMs = 1_000
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
  const backend = config.redisUrl
    ? redisBackend(config.redisUrl, log)
    : await postgresBackend(databaseUrl, log)
  const queues = createQueues({ backend, log })
  const service = createService(config, secrets, database, queues)
  const workers =
    config.role === 'http'
      ? null
      : startWorkers({ config, secrets, log, database, backend, queues, service })
  const http = config.role === 'worker' ? null : serveHttp(config, log, database, service)
  announce(config, secrets, embedded, http?.url ?? null, log)
  return {
    url: http?.url ?? null,
    databaseUrl,
    async drain() {
      await Promise.all([http?.stop(), workers?.stop()])
      await service.drain()
      await queues.close()
      await backend.close()
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
function createService(
  config: Config,
  secrets: Secrets,
  { sql, lanes: laneSqls }: Database,
  queues: Queues,
) {
  const sealKey = keyFrom(secrets.secretsKey)
  const referenceKey = derive(sealKey, 'invoice references')
  const egress = createEgress({ allowPrivate: config.allowPrivateTargets })
  const commit = { lanes, maxBatch: 256, maxWaiting: 4_096 }
  const lane = (n: number) => laneSqls[n] as Sql
  const invoices = createInvoices({
    store: {
      load: (ids) => InvoiceRows.loadMany(sql, ids),
      firstAnswer: (accountId, route, key) => InvoiceRows.firstAnswer(sql, accountId, route, key),
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
    onCommit: () => queues.wake('outbox'),
  })
  const webhooks: Webhooks = {
    async create(accountId, { url, events, secret }) {
      await egress.check(url)
      const generatedSecret = secret === null ? newWebhookSecret(randomBytes(32)) : null
      const secretSealed = seal(secret ?? generatedSecret ?? '', sealKey, randomBytes(12))
      const webhook = await WebhookRows.createWebhook(
        sql,
        accountId,
        { id: newId(), url, events, secretSealed },
        now(),
      )
      return { webhook, generatedSecret }
    },
    list: (accountId) => WebhookRows.listWebhooks(sql, accountId),
    get: (accountId, id) => WebhookRows.findWebhook(sql, accountId, id),
    async update(accountId, id, change) {
      if (change.url !== null) await egress.check(change.url)
      return WebhookRows.updateWebhook(sql, accountId, id, change, now())
    },
    remove: (accountId, id) => WebhookRows.deleteWebhook(sql, accountId, id, now()),
  }
  return {
    invoices,
    webhooks,
    egress,
    sealKey,
    referenceKey,
    async drain() {
      await invoices.drain()
    },
  }
}

type WorkerParts = {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly database: Database
  readonly backend: Backend
  readonly queues: Queues
  readonly service: Service
}

/** Everything that happens by itself: watching, delivering, anchoring, expiring, and the sweep that finds what was forgotten. */
function startWorkers(parts: WorkerParts): { stop(): Promise<void> } {
  const { config, log, backend, queues, service } = parts
  const { sql } = parts.database
  const watchers = createWatchers(parts)
  const anchorWorker = createAnchors(parts)
  const deliver = createDeliver({
    claim: (ids) => Deliveries.claim(sql, ids, deliveryLeaseMs),
    record: (outcomes) => Deliveries.record(sql, outcomes),
    send: service.egress.send,
    openSecret: (sealed) => open(sealed, service.sealKey),
    scheduleMs: config.webhookRetryScheduleMs,
    now,
    random: Math.random,
    retryAt: (deliveryIds, at) =>
      void queues.add(
        'deliver',
        { deliveryIds },
        { delayMs: Math.max(0, at.getTime() - Date.now()) },
      ),
  })
  const enqueueDeliveries = (deliveryIds: readonly string[]) =>
    void queues.add('deliver', { deliveryIds })
  const fanOutAll = createOutbox({
    fanOut: (limit) => fanOut(sql, limit),
    deliver: enqueueDeliveries,
  })
  const expire = async (invoiceId: string) =>
    void (await service.invoices.tell(invoiceId, { kind: 'expire' }))
  const anchorAll = async () => {
    const { openTransactions } = (await anchorWorker?.run()) ?? { openTransactions: 0 }
    // One look a second, whoever asks for it: the id of that second.
    const jobId = `look-${Math.floor(Date.now() / anchorLookMs)}`
    if (openTransactions > 0) await queues.add('anchor', {}, { jobId, delayMs: anchorLookMs })
    return openTransactions
  }
  const scheduleWatching = async () => {
    for (const [network] of watchers)
      await queues.every(`watch-${network}`, {}, config.networks[network].pollMs)
    return 0
  }
  const workers = createWorkers({
    backend,
    log,
    processors: {
      outbox: async () => void (await fanOutAll()),
      deliver: ({ deliveryIds }) => deliver(deliveryIds),
      expiry: ({ invoiceId }) => expire(invoiceId),
      ...(anchorWorker ? { anchor: async () => void (await anchorAll()) } : {}),
      ...Object.fromEntries([...watchers].map(([network, watch]) => [`watch-${network}`, watch])),
    },
  })
  const sweep = createSweep({
    everyMs: sweepEveryMs,
    log,
    tasks: {
      watching: scheduleWatching,
      events: fanOutAll,
      deliveries: async () => {
        const waiting = await Deliveries.due(sql, 1_000)
        await queues.addBulk(
          'deliver',
          waiting.map(({ deliveryIds }) => ({
            payload: { deliveryIds },
            jobId: `due-${deliveryIds[0]}`,
          })),
        )
        return waiting.length
      },
      anchors: anchorAll,
      expiries: async () => {
        const ids = await InvoiceRows.expired(sql, 1_000)
        await Promise.all(ids.map(expire))
        return ids.length
      },
      limits: () => pruneWindows(sql),
      idempotency: () => InvoiceRows.pruneIdempotencyKeys(sql, 10_000),
    },
  })
  workers.start()
  sweep.start()
  return {
    async stop() {
      await sweep.stop()
      await workers.drain(jobDrainMs)
    },
  }
}

/** One watcher per chain that has an RPC URL; a step reads on until it is at the head. */
function createWatchers({ config, log, database, queues, service }: WorkerParts) {
  const { sql } = database
  const watched = networks.filter((network) => isWatched(config, network))
  return new Map(
    watched.map((network) => {
      const { rpcUrls, usdcAddress, confirmations, startBlock } = config.networks[network]
      const { chainId, maxRangeBlocks } = registry[network]
      const watcher = createWatcher({
        chain: evmChain({ network, chainId: chainId ?? 0, rpcUrls, usdc: usdcAddress }),
        store: watchStore(sql),
        confirmations,
        startBlock,
        maxRangeBlocks,
        feeBasisPoints: config.feeBasisPoints,
        referenceKey: service.referenceKey,
        now,
        newId,
        log,
        onSettled: (invoiceIds) => {
          service.invoices.forget(invoiceIds)
          queues.wake('outbox')
          queues.wake('anchor')
        },
      })
      const watch = async () => {
        for (let step = await watcher.step(); step.isAdvancing; step = await watcher.step());
      }
      return [network, watch] as const
    }),
  )
}

function createAnchors({ config, secrets, log, database, service }: WorkerParts) {
  const { rpcUrls, contract } = config.anchor
  const privateKey = secrets.anchorPrivateKey
  if (rpcUrls.length === 0 || contract === null || privateKey === null) return null
  const { sql } = database
  return createAnchorWorker({
    client: anchorClient({ rpcUrls, privateKey, contract }),
    contract,
    store: anchorStore(sql, now),
    now,
    newId,
    announce: async ({ invoiceId, subjectId }) => {
      if (invoiceId)
        await service.invoices.tell(invoiceId, { kind: 'receipt_anchored', receiptId: subjectId })
    },
    log,
  })
}

function networkTable<T>(row: (network: Network) => T): Record<Network, T> {
  return Object.fromEntries(networks.map((network) => [network, row(network)])) as Record<
    Network,
    T
  >
}

function serveHttp(
  config: Config,
  log: Log,
  { sql, pollSql }: Database,
  { invoices, webhooks }: Service,
) {
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
    webhooks,
    receipts: { find: (receiptId) => findReceipt(sql, receiptId) },
    readiness: () => readiness(config, sql),
  }).listen({
    port: config.port,
    hostname: config.host,
    idleTimeout: 30,
    // Elysia's default lets two services share a port, each getting some of the connections.
    reusePort: false,
    maxRequestBodySize: 4_194_304,
  })
  const port = server.server?.port ?? config.port
  return {
    url: `http://localhost:${port}`,
    async stop() {
      await stopServing(server)
      await Promise.all([limits.close(), keys.close()])
      redis?.disconnect()
    },
  }
}

/** No new connections, then an end to the old ones once their requests are answered: idle ones would never close by themselves. */
async function stopServing({ server }: ReturnType<typeof createServer>): Promise<void> {
  if (!server) return
  void server.stop()
  const deadline = performance.now() + requestDrainMs
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10)
  await server.stop(true)
}

async function readiness(config: Config, sql: Sql) {
  const isUp = await within(() => sql`select 1`, 2_000).then(
    () => true,
    () => false,
  )
  return {
    problems: isUp ? [] : ['the database does not answer'],
    notes: notesOn(config),
  }
}

/** What an operator should know the service does not do as it is configured. */
function notesOn(config: Config): readonly string[] {
  const unwatched = networks.filter((network) => !isWatched(config, network))
  const { rpcUrls, contract } = config.anchor
  const isAnchoring = rpcUrls.length > 0 && contract !== null
  return [
    ...(unwatched.length > 0
      ? [`not watched: ${unwatched.join(', ')} (no RPC URL, or no adapter yet)`]
      : []),
    ...(isAnchoring
      ? []
      : ['receipts wait to be anchored: ANCHOR_RPC_URL or ANCHOR_CONTRACT is missing']),
  ]
}

function isWatched(config: Config, network: Network): boolean {
  return config.networks[network].rpcUrls.length > 0 && registry[network].kind === 'evm'
}

function announce(
  config: Config,
  secrets: Secrets,
  embedded: Embedded | null,
  url: string | null,
  log: Log,
): void {
  if (embedded) log.info({ dataDir: config.dataDir }, 'embedded PostgreSQL is running')
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
