import { deployAnchor } from '../../src/chain/anchor/deployment.ts'
import type { Limits } from '../../src/domain/accounts/account.ts'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { connect } from '../../src/storage/postgres/db.ts'
import { migrate } from '../../src/storage/postgres/migrate.ts'
import { testEnv, testSecretsKey } from './app.ts'
import { startDurablePostgres } from './durable-postgres.ts'
import { startEvmNode } from './evm-node.ts'
import { freePort } from './free-port.ts'
import { startHighAvailability } from './high-availability.ts'
import { hasRedis, startRedis } from './redis.ts'
import { startRpcRelay } from './rpc-relay.ts'
import { type Service, startService } from './service.ts'
import { startSolanaNode } from './solana-node.ts'
import { statementsThrough } from './statements.ts'

/** Can be stopped and started again at the same address. */
export type Process = {
  readonly name: string
  /** A worker serves only health and metrics there. */
  readonly url: string
  readonly pid: number
  isRunning(): boolean
  /** Over all its starts. */
  log(): readonly Readonly<Record<string, unknown>>[]
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  kill(): Promise<void>
  /** Answers the exit code. */
  end(): Promise<number>
  start(): Promise<void>
}

/** As in production: several processes of each role share one instance of each server. */
export type Topology = Awaited<ReturnType<typeof startTopology>>

const noLimits: Limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
const slotMs = 400
export const confirmations = 6
export const blockTimeSeconds = 1

/**
 * `workerEnv` is extra environment for the worker at an index, such as its queues. With `isHa` the
 * servers are those of docs/high-availability.md, and there are no `postgres` and `redis`.
 */
export async function startTopology(options: {
  http: number
  workers: number
  env?: Readonly<Record<string, string>>
  workerEnv?: (index: number) => Readonly<Record<string, string>>
  isHa?: boolean
}) {
  const [ha, postgres, redis, base, anchorNode] = await Promise.all([
    options.isHa ? startHighAvailability() : null,
    options.isHa ? null : startDurablePostgres(),
    hasRedis && !options.isHa ? startRedis() : null,
    startEvmNode({ chainId: 8453, blockTimeSeconds }),
    startEvmNode({ chainId: 31_337, blockTimeSeconds }),
  ])
  const solana = startSolanaNode()
  const slots = setInterval(() => solana.advance(1), slotMs)
  const baseRelay = startRpcRelay(base.url)
  const anchorRelay = startRpcRelay(anchorNode.url)
  const { privateKey } = anchorNode.wallet(7)
  const { contract } = await deployAnchor({ rpcUrls: [anchorNode.url], privateKey })
  const wallets = {
    base: '0x00000000000000000000000000000000000000aa',
    solana: String(solana.wallet(8).publicKey),
  }
  const databaseUrl = ha?.url ?? postgres?.url ?? ''
  const redisUrl = ha?.redis.url ?? redis?.url
  const sql = connect(databaseUrl, { max: 4, name: 'onlooker' })
  await migrate(sql)
  const env = testEnv(databaseUrl, {
    ...(redisUrl && { REDIS_URL: redisUrl }),
    BASE_RPC_URL: baseRelay.url,
    BASE_POLL_MS: '500',
    BASE_WALLET: wallets.base,
    BASE_CONFIRMATIONS: `${confirmations}`,
    SOLANA_RPC_URL: solana.url,
    SOLANA_POLL_MS: '500',
    SOLANA_WALLET: wallets.solana,
    // As behind a load balancer.
    PUBLIC_URL: 'http://pay.test',
    ANCHOR_RPC_URL: anchorRelay.url,
    ANCHOR_CONTRACT: contract,
    ANCHOR_PRIVATE_KEY: privateKey,
    WEBHOOK_RETRY_SCHEDULE_MS: '0,500,1000,2000,4000,8000,16000,16000',
    LOG_LEVEL: 'info',
    ...options.env,
  })
  const statements = postgres && statementsThrough(postgres.relay)
  const throughOwnDoor = async (name: string) => {
    if (!postgres) return env
    const url = new URL(postgres.url)
    url.port = `${await postgres.relay.openDoor(name)}`
    return { ...env, DATABASE_URL: url.href }
  }
  const [http, workers] = await Promise.all([
    startMany(options.http, async (n) => {
      const name = `http ${n}`
      return startProcess(name, { ...(await throughOwnDoor(name)), ROLE: 'http' }, 'PORT')
    }),
    startMany(options.workers, async (n) => {
      const name = `worker ${n}`
      const own = { ...(await throughOwnDoor(name)), ROLE: 'worker', ...options.workerEnv?.(n) }
      return startProcess(name, own, 'METRICS_PORT')
    }),
  ])
  return {
    http,
    workers,
    get postgres() {
      return present(postgres, 'a PostgreSQL alone')
    },
    /** By process name. */
    get statements() {
      return present(statements, 'a PostgreSQL alone')
    },
    get ha() {
      return present(ha, 'high availability')
    },
    sql,
    /** Null without a Redis on this machine: PostgreSQL serves then. */
    redis,
    base,
    anchorNode,
    /** What the processes use as RPC endpoints. */
    baseRelay,
    anchorRelay,
    solana,
    anchorContract: contract,
    wallets,
    env,
    newAccount: (name: string, limits: Limits = noLimits) =>
      openAccount(sql, keyFrom(testSecretsKey), { name, plan: 'enterprise', limits }),
    async stop() {
      for (const process of [...http, ...workers]) process.signal('SIGCONT')
      await Promise.all([...http, ...workers].map((process) => process.end()))
      await sql.end({ timeout: 1 })
      clearInterval(slots)
      await Promise.all([baseRelay.stop(), anchorRelay.stop(), solana.stop()])
      await Promise.all([postgres?.stop(), redis?.stop(), base.stop(), anchorNode.stop()])
      await ha?.stop()
    },
  }
}

function present<T>(part: T | null, what: string): T {
  if (part === null) throw new Error(`this topology has no ${what}`)
  return part
}

function startMany<T>(count: number, start: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => start(index)))
}

async function startProcess(
  name: string,
  env: Readonly<Record<string, string>>,
  portVariable: 'PORT' | 'METRICS_PORT',
): Promise<Process> {
  const port = freePort()
  const starts: Service[] = []
  const running = () => starts.at(-1) as Service
  const start = async () => {
    starts.push(await startSupervised({ ...env, [portVariable]: `${port}` }))
  }
  await start()
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return running().process.pid
    },
    isRunning: () => !running().process.killed,
    log: () => starts.flatMap(({ lines }) => lines),
    signal: (which) => running().process.kill(which),
    kill: () => running().kill(),
    end: () => running().stop(),
    start,
  }
}

/**
 * As a supervisor does: a process that exits during its start is started again, at most five times.
 */
async function startSupervised(env: Readonly<Record<string, string>>): Promise<Service> {
  for (let tries = 1; ; tries++) {
    try {
      return await startService(env)
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}
