import { Redis } from 'ioredis'
import { depositAddresses } from '../../chain/evm/deposits.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { type ConfiguredKeys, keyStatus, keysIn, otherKey } from '../../config/secrets-key.ts'
import { invoiceChains } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { postgresBackend } from '../../queues/backends/postgres.ts'
import { mostSkewMs, readServer } from '../../storage/postgres/database-server.ts'
import { type Sql, tryWrite } from '../../storage/postgres/db.ts'
import { isDatabaseRefused, requireDatabase } from '../../storage/redis/connection.ts'
import { redisArguments } from '../../storage/redis/redis-url.ts'
import { resealAll } from '../rotate-key.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const oldestMajor = 15
const timeoutMs = 3_000

export async function databaseFindings(sql: Sql): Promise<readonly Finding[]> {
  const startMs = Date.now()
  const { version, versionNumber, fsync, nowMs } = await readServer(sql)
  const skewMs = Math.round(nowMs - (startMs + Date.now()) / 2)
  return [
    versionNumber < oldestMajor * 10_000
      ? problem('database', `PostgreSQL ${version}`, `use version ${oldestMajor} or later`)
      : ok('database', `PostgreSQL ${version}`),
    fsync === 'on'
      ? ok('durability', 'fsync is on')
      : problem(
          'durability',
          'a power cut would lose committed invoices',
          'set fsync = on in PostgreSQL',
        ),
    Math.abs(skewMs) > mostSkewMs
      ? problem(
          'clock',
          `the database's clock differs from ours by ${skewMs} ms`,
          'run an NTP client, such as chrony, on both machines',
        )
      : ok('clock', `within ${Math.abs(skewMs)} ms of the database's`),
  ]
}

export async function databaseWriteFindings(sql: Sql): Promise<readonly Finding[]> {
  await tryWrite(sql, timeoutMs)
  return [ok('writes', 'the database accepts them')]
}

export async function keyFindings(config: Config, sql: Sql): Promise<readonly Finding[]> {
  const secrets = await loadSecrets(config)
  const { wallets } = secrets
  const { depositXpub } = config
  const unpayable = invoiceChains.filter(
    (network) => wallets[network] === null && !(depositXpub && registry[network].kind === 'evm'),
  )
  return [
    await sealFinding(sql, secrets),
    unpayable.length > 0
      ? note(
          'wallets',
          `no invoice can be created on ${unpayable.join(', ')}: <CHAIN>_WALLET is not set`,
        )
      : ok('wallets', 'one for every chain'),
    ...(depositXpub
      ? [ok('deposit key', `its first address is ${depositAddresses(depositXpub)(0)}`)]
      : []),
  ]
}

async function sealFinding(sql: Sql, configured: ConfiguredKeys): Promise<Finding> {
  const status = await keyStatus(sql, configured)
  if (status === 'unknown') return note('SECRETS_KEY', 'not used yet')
  if (status === 'other') return problem('SECRETS_KEY', otherKey.detail, otherKey.remedy)
  if (status === 'previous')
    return note('SECRETS_KEY', 'the rotation to it waits for `quittance secrets rotate`')
  const { unreadable } = await resealAll(sql, keysIn(configured).key, null)
  return unreadable === 0
    ? ok('SECRETS_KEY', 'it is the key of the database')
    : note('SECRETS_KEY', `${unreadable} secret(s) are sealed under an earlier key`)
}

export async function queueFindings(
  { redisUrl }: Config,
  databaseUrl: string,
): Promise<readonly Finding[]> {
  if (redisUrl !== null) return []
  const backend = await postgresBackend(databaseUrl, { warn() {}, error() {} })
  await backend.close()
  return [ok('queues', 'on PostgreSQL')]
}

export async function redisFindings(url: string | null): Promise<readonly Finding[]> {
  if (url === null) return [note('Redis', 'not configured: queues and limits use PostgreSQL')]
  const settings = {
    lazyConnect: true,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 1,
    sentinelRetryStrategy: () => null,
  }
  const client = requireDatabase(new Redis(...redisArguments(url, settings)))
  let fault: Error | undefined
  client.on('error', (error) => {
    fault = error
  })
  try {
    // The rejection says only that the connection closed; the `error` event has the cause.
    await client.connect().catch((error) => {
      throw fault ?? error
    })
    return await redisStateFindings(client)
  } catch (error) {
    const refusal = error as Error
    const remedy = remedyOfRefusal(refusal)
    if (remedy === null) throw refusal
    return [problem('Redis', refusal.message, remedy)]
  } finally {
    client.disconnect()
  }
}

/** Null for errors other than a refused connection. */
function remedyOfRefusal(error: Error): string | null {
  const [code] = error.message.split(' ', 1)
  if (code === 'NOAUTH' || code === 'WRONGPASS')
    return 'correct the user or the password in REDIS_URL'
  if (!isDatabaseRefused(error)) return null
  return code === 'NOPERM'
    ? 'allow its user SELECT, or remove the database from REDIS_URL'
    : 'put the number of an existing database into REDIS_URL'
}

/** Reads INFO, since providers forbid CONFIG. */
async function redisStateFindings(client: Redis): Promise<readonly Finding[]> {
  let info: string
  try {
    info = await client.info()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ReplyError')) throw error
    return [
      problem('Redis', error.message, 'allow its user INFO, from which workers read the version'),
    ]
  }
  const value = (name: string) => new RegExp(`^${name}:(\\w[\\w-]*)`, 'm').exec(info)?.[1]
  const role = value('role')
  if (role !== undefined && role !== 'master')
    return [problem('Redis', 'it is a replica', 'put the primary into REDIS_URL')]
  return [
    ...(await writeFindings(client)),
    policyFinding(value('maxmemory_policy')),
    logFinding(value('aof_enabled')),
  ]
}

async function writeFindings(client: Redis): Promise<readonly Finding[]> {
  try {
    await client.set(`quittance-doctor:${crypto.randomUUID()}`, '', 'PX', 1)
    return []
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ReplyError')) throw error
    const remedy = 'raise maxmemory, free memory or disk, or allow its user to write ~quittance-*'
    return [problem('Redis', `it refuses writes: ${error.message}`, remedy)]
  }
}

function policyFinding(policy: string | undefined): Finding {
  if (policy === 'noeviction') return ok('Redis', 'noeviction')
  if (policy === undefined)
    return note('Redis', 'it does not report its maxmemory-policy, which must be noeviction')
  return problem(
    'Redis',
    `maxmemory-policy is ${policy}: under memory pressure jobs are lost`,
    "set it to noeviction, in redis.conf and by CONFIG SET, or in the provider's settings",
  )
}

function logFinding(isAppendOnly: string | undefined): Finding {
  return isAppendOnly === '1'
    ? ok('Redis log', 'append-only file')
    : note('Redis log', 'no append-only file: after a restart the sweep finds the jobs again')
}
