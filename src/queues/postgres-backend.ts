import { Socket } from 'node:net'
import {
  type BackendFactory,
  type PgPool,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  runMigrations,
  withBackend,
} from 'bullmq'
import { type ClientBase, Pool } from 'pg'
import { readDatabaseUrl } from '../storage/database-url.ts'
import { type Backend, faultLog, type QueueLog, restful, within, workerTimes } from './backend.ts'

const closeLimitMs = 500

/**
 * BullMQ on PostgreSQL, in the schema `bullmq`, which is migrated first. Rejects when the server
 * cannot be reached.
 */
export async function postgresBackend(url: string, log: QueueLog): Promise<Backend> {
  const onFault = faultLog(log)
  const sockets = new Set<Socket>()
  const address = readDatabaseUrl(url)
  const pool = new Pool({
    ...address,
    application_name: 'quittance queues',
    options: [address.options, '-c search_path=bullmq'].filter(Boolean).join(' '),
    // Each worker keeps one connection for LISTEN; all queries share the rest.
    max: 24,
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
    onConnect: refuseReadOnly,
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
  })
  // Every queue and worker adds a listener to the pool.
  pool.setMaxListeners(0).on('error', (error) => onFault(error, ''))
  const close = async () => {
    await within(pool.end(), closeLimitMs).catch(() => {})
    for (const socket of sockets) socket.destroy()
  }
  try {
    await migrate(pool)
  } catch (error) {
    await close()
    throw error
  }
  const { Queue, Worker } = withBackend(migratedBackend)
  // pg has everything BullMQ asks for; only the overloads of `on` are declared differently.
  const connection = pool as unknown as PgPool

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
    close,
  }
}

/**
 * Refuses a read-only server when connecting: an old primary, after a standby was promoted, answers
 * for ever but lets no job be taken. If a server becomes read-only later, each error drops one of
 * the connections.
 */
async function refuseReadOnly(client: ClientBase): Promise<void> {
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'on') throw new Error('The server is not read-write')
}

async function migrate(pool: Pool): Promise<void> {
  const session = await pool.connect()
  try {
    await runMigrations(session)
  } finally {
    session.release()
  }
}

const migratedBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  name,
  options,
) => restful(new WatchfulBackend(new MigratedConnection(options.connection), name, options))

class MigratedConnection extends PostgresConnection {
  // BullMQ checks its schema at first use and would remember for ever that the server was down.
  override async waitUntilReady(): Promise<void> {}
}

class WatchfulBackend extends PostgresQueueBackend {
  // In seconds. While a delayed job exists BullMQ would wait for up to an hour and rely on TCP
  // keepalive to notice a dead LISTEN connection.
  override get maximumBlockTimeout(): number {
    return 10
  }
}
