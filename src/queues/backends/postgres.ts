import { Socket } from 'node:net'
import {
  assertSchemaCompatibility,
  type BackendFactory,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq'
import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  type PoolConfig,
} from 'pg'
import { type DatabaseAddress, readDatabaseUrl } from '../../storage/postgres/database-url.ts'
import { serversOf } from '../../storage/postgres/servers.ts'
import { type Backend, faultLog, type QueueLog, restful, within, workerTimes } from './backend.ts'

const closeLimitMs = 500
// Any constant, the same in every process.
const lockId = 7_110_263_542

/**
 * BullMQ on PostgreSQL, in the schema `bullmq`, which it migrates. Rejects when the server is away.
 */
export async function postgresBackend(url: string, log: QueueLog): Promise<Backend> {
  const onFault = faultLog(log)
  const sockets = new Set<Socket>()
  const dropAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const pool = new Pool({
    ...poolSettings(url),
    max: 10,
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
  })
  pool.on('error', (error) => onFault(error, ''))
  // Those to the server before may be dead without a word. BullMQ would listen there for 10 s.
  const stay = serversOf(readDatabaseUrl(url)).onMove(dropAll)
  // pg has everything BullMQ needs; only the overloads of `on` differ.
  const connection = pool as unknown as PgPool
  const shared = new SharedConnection(connection)
  const close = async () => {
    stay()
    await within(shared.end(), closeLimitMs).catch(() => {})
    await within(pool.end(), closeLimitMs).catch(() => {})
    dropAll()
  }
  try {
    await migrate(pool)
  } catch (error) {
    await close()
    throw error
  }
  const onShared: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
    name,
    options,
  ) => restful(new WatchfulBackend(shared, name, options))
  const { Queue, Worker } = withBackend(onShared)

  return {
    openQueue(name) {
      const queue = new Queue(name, { connection })
      return queue.on('error', (error) => onFault(error, name))
    },
    openWorker(name, { concurrency, process, onFailed }) {
      const options = { ...workerTimes, connection, concurrency }
      const worker = new Worker(name, process, options)
      return worker.on('error', (error) => onFault(error, name)).on('failed', onFailed)
    },
    isAway: () => false,
    close,
  }
}

/** Migrates the schema `bullmq` for processes whose user may not. False if it was current. */
export async function migrateQueues(url: string): Promise<boolean> {
  const pool = new Pool({ ...poolSettings(url), max: 1 })
  try {
    return await migrate(pool)
  } finally {
    await pool.end()
  }
}

function poolSettings(url: string): PoolConfig {
  const address = readDatabaseUrl(url)
  const { servers: _, ...rest } = address
  return {
    ...rest,
    Client: clientOf(address),
    application_name: 'quittance queues',
    options: [address.options, '-c search_path=bullmq'].filter(Boolean).join(' '),
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
    onConnect: refuseReadOnly,
  }
}

/** Connects to the server that our other pools have found to take writes. */
function clientOf(address: DatabaseAddress) {
  const servers = serversOf(address)
  return class extends Client {
    constructor(config?: ClientConfig) {
      // pg hides the password from whoever copies its settings.
      super({ ...config, password: address.password, ...address.servers[servers.next()] })
    }
  }
}

/** An old primary, after a standby was promoted, answers but lets no job be taken. */
async function refuseReadOnly(client: ClientBase): Promise<void> {
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'on') throw new Error('The server is not read-write')
}

/** False if it was current. */
async function migrate(pool: Pool): Promise<boolean> {
  const session = await pool.connect()
  // `runMigrations` always needs the right to create a schema.
  const isCurrent = async () => (await schemaVersion(session)) >= LATEST_SCHEMA_VERSION
  try {
    if (await isCurrent()) return false
    // BullMQ takes its own lock only after it has created the schema.
    await session.query(`select pg_advisory_lock(${lockId})`)
    if (await isCurrent()) return false
    await session.query(dropUnrecorded)
    await runMigrations(session)
    return true
  } finally {
    await session.query('select pg_advisory_unlock_all()').catch(() => {})
    session.release()
  }
}

const dropUnrecorded = `
  do $$ begin
    if to_regclass('bullmq.migration') is not null then
      if not exists (select from bullmq.migration) then drop schema bullmq cascade; end if;
    end if;
  end $$`

/** 0: no schema. */
async function schemaVersion(session: PoolClient): Promise<number> {
  try {
    return await assertSchemaCompatibility(session)
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0
    throw error
  }
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** Shared by all queues and workers: BullMQ would open, and listen on, one for each. */
class SharedConnection extends PostgresConnection {
  #listening: ListenClient | undefined

  constructor(pool: PgPool) {
    super(pool)
    this.setMaxListeners(0)
  }

  // BullMQ would remember for ever that the server was down at first use.
  override async waitUntilReady(): Promise<void> {}

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient()
    if (client !== this.#listening) {
      this.#listening = client
      ;(client as unknown as ClientBase).setMaxListeners(0)
      client.query = inTurn(client.query.bind(client))
    }
    return client
  }

  // Called when one queue or worker closes.
  override async close(): Promise<void> {}

  end(): Promise<void> {
    return super.close()
  }
}

/** pg warns of a client that is asked while it is busy. */
function inTurn(query: ListenClient['query']): ListenClient['query'] {
  let last: Promise<unknown> = Promise.resolve()
  return <Row>(...asked: Parameters<typeof query>) => {
    const answer = last.then(() => query<Row>(...asked))
    last = answer.catch(() => {})
    return answer
  }
}

class WatchfulBackend extends PostgresQueueBackend {
  // In seconds. BullMQ would wait for up to an hour and not notice a dead LISTEN connection.
  override get maximumBlockTimeout(): number {
    return 10
  }
}
