import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { isExtendedPublicKey } from '../chain/evm/deposits.ts'
import { isEvmPrivateKey, isSolanaPrivateKey } from '../chain/wallets.ts'
import { isSecretsKey } from '../domain/accounts/secret.ts'
import { type AddressRules, addressProblem } from '../domain/address.ts'
import { type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { type QueueName, queueNames } from '../queues/queues.ts'
import { readDatabaseUrl } from '../storage/postgres/database-url.ts'
import { checkRedisUrl } from '../storage/redis/redis-url.ts'
import { withFirstServer } from '../storage/server-list.ts'
import { logLevels } from '../telemetry/log.ts'
import { type Env, EnvReader } from './env.ts'
import { fxFrom } from './fx.ts'
import { taxTableFrom } from './tax-rates.ts'
import { tracingFrom } from './tracing.ts'

export type Config = Readonly<ReturnType<typeof readConfig>>

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const defaultRetryScheduleMs = [
  0, 5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000,
]

const ports = { least: 0, most: 65_535 }

/** Reads the whole configuration. Throws one `ConfigError` that lists all problems. */
export function readConfig(env: Env = process.env) {
  const read = new EnvReader(env)
  const evmKey = (name: string) =>
    read.matching(name, isEvmPrivateKey, 'a private key: 0x and 64 hex digits')
  const secretsKey = (name: string) =>
    read.matching(name, isSecretsKey, '32 bytes as hex or base64')
  const databaseUrl = databaseUrlFrom(read)
  const isProduction = env.NODE_ENV === 'production'
  const config = {
    port: read.integer('PORT', ports) ?? 3000,
    host: read.matching('HOST', isHost, 'an IP address or the name of a host') ?? '0.0.0.0',
    /** Null: localhost with the port it listens on. */
    publicUrl: publicUrlFrom(read),
    /** Null: health and metrics are on the API's port, and a worker has none. */
    metricsPort: read.integer('METRICS_PORT', ports),
    /** Null: start the embedded PostgreSQL under `dataDir`. */
    databaseUrl,
    /** Null: BullMQ and request limits use PostgreSQL. */
    redisUrl: redisUrlFrom(read),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    role: read.oneOf('ROLE', ['all', 'http', 'worker']) ?? 'all',
    queues: queuesFrom(read),
    isProduction,
    /** Identifies this process in leases and logs. */
    processId: `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
    /** Null only on the embedded default, where `secrets.ts` generates what is missing. */
    secretsKey: secretsKey('SECRETS_KEY'),
    /** During a rotation, the key before it. */
    previousSecretsKey: secretsKey('SECRETS_KEY_PREVIOUS'),
    jwtSecret: read.matching('JWT_SECRET', like(/^.{32,}$/), 'at least 32 characters'),
    mandateSigningSecret: read.matching(
      'MANDATE_SIGNING_SECRET',
      like(/^.{16,}$/),
      'at least 16 characters',
    ),
    networks: networksFrom(read),
    /** Its children are EVM payment addresses. Null: invoices share their chain's wallet. */
    depositXpub: depositXpubFrom(read),
    anchor: {
      rpcUrls: read.urls('ANCHOR_RPC_URL'),
      contract: addressFrom(read, 'ANCHOR_CONTRACT', 'base'),
      privateKey: evmKey('ANCHOR_PRIVATE_KEY'),
    },
    facilitator: {
      evmPrivateKey: evmKey('FACILITATOR_EVM_PRIVATE_KEY'),
      svmPrivateKey: read.matching(
        'FACILITATOR_SVM_PRIVATE_KEY',
        isSolanaPrivateKey,
        'a key pair of 64 bytes in base58, whose public half belongs to its private half',
      ),
      url: read.matching('X402_FACILITATOR_URL', isBaseUrl, aBaseUrl),
    },
    fx: fxFrom(read, databaseUrl === null),
    taxTable: taxTableFrom(read),
    feeBasisPoints: read.integer('FEE_BPS', { least: 0, most: 10_000 }) ?? 0,
    allowPrivateTargets: read.flag('ALLOW_PRIVATE_TARGETS') ?? !isProduction,
    trustProxy: read.flag('TRUST_PROXY') ?? false,
    webhookRetryScheduleMs: retryScheduleFrom(read),
    deliveriesKeptDays: read.integer('RETENTION_DELIVERIES_DAYS', { least: 1, most: 36_500 }) ?? 30,
    logLevel: read.oneOf('LOG_LEVEL', logLevels) ?? 'info',
    /** Null: nothing is traced. */
    tracing: tracingFrom(read),
    /** A line for each request. */
    accessLog: read.flag('ACCESS_LOG') ?? false,
    /** What the build was made from, for operators. */
    commit: read.text('GIT_COMMIT'),
    typos: read.typos(),
  }
  if (databaseUrl !== null) {
    for (const name of ['SECRETS_KEY', 'JWT_SECRET'] as const) {
      if (read.text(name) === null) read.problems.push(`${name} is required with DATABASE_URL`)
    }
  }
  if (read.problems.length > 0) {
    throw new ConfigError(
      `Configuration:\n${read.problems.map((line) => `  - ${line}`).join('\n')}`,
    )
  }
  return config
}

function publicUrlFrom(read: EnvReader): string | null {
  const text = read.matching('PUBLIC_URL', isBaseUrl, aBaseUrl)
  return URL.parse(text ?? '')?.href.replace(/\/+$/, '') ?? null
}

const aBaseUrl = 'a URL with http:// or https://, without user, query or fragment'

function isHost(text: string): boolean {
  // An IPv6 address may be in brackets, as in a URL.
  return isIP(text.replace(/^\[(.+:.*)\]$/, '$1')) !== 0 || /^[a-z\d][\w-]*(\.[\w-]+)*$/i.test(text)
}

function isBaseUrl(text: string): boolean {
  const { protocol = '', username, password } = URL.parse(text) ?? {}
  return /^https?:$/.test(protocol) && !/[?#]/.test(text) && !username && !password
}

/** The delay in ms before each attempt of a delivery (contract §8). */
function retryScheduleFrom(read: EnvReader): readonly number[] {
  const given = read.integers('WEBHOOK_RETRY_SCHEDULE_MS') ?? defaultRetryScheduleMs
  if (given[0] !== 0) {
    read.problems.push(
      'WEBHOOK_RETRY_SCHEDULE_MS must begin with 0, the delay before the first attempt',
    )
  }
  return given
}

function like(pattern: RegExp) {
  return (text: string) => pattern.test(text)
}

function databaseUrlFrom(read: EnvReader): string | null {
  const value = read.url('DATABASE_URL', ['postgres:', 'postgresql:'], withFirstServer)
  unlessInvalid(read, 'DATABASE_URL', value, readDatabaseUrl)
  return value
}

/** Adds what `parse` throws to the problems. An invalid URL is one already. */
function unlessInvalid(
  { problems }: EnvReader,
  name: string,
  url: string | null,
  parse: (url: string) => unknown,
): void {
  try {
    if (URL.canParse(withFirstServer(url ?? ''))) parse(url ?? '')
  } catch (error) {
    problems.push(`${name}: ${(error as Error).message}`)
  }
}

function redisUrlFrom(read: EnvReader): string | null {
  const protocols = ['redis:', 'rediss:', 'redis+sentinel:']
  const value = read.url('REDIS_URL', protocols, withFirstServer)
  unlessInvalid(read, 'REDIS_URL', value, checkRedisUrl)
  return value
}

function depositXpubFrom(read: EnvReader): string | null {
  const mode = read.oneOf('PAYMENT_ADDRESS_MODE', ['shared', 'per_invoice']) ?? 'shared'
  const xpub = read.matching(
    'DEPOSIT_XPUB',
    isExtendedPublicKey,
    'an extended public key (xpub…), never a private one',
  )
  if (mode === 'per_invoice' && xpub === null)
    read.problems.push('DEPOSIT_XPUB is required with PAYMENT_ADDRESS_MODE=per_invoice')
  return mode === 'per_invoice' ? xpub : null
}

/** `watch:base,deliver`; all if none are given. */
function queuesFrom(read: EnvReader): readonly QueueName[] {
  const given = read
    .text('QUEUES')
    ?.split(',')
    .map((name) => name.trim().replace(':', '-'))
  if (!given) return queueNames
  if (!given.every((name) => queueNames.some((known) => known === name))) {
    const known = queueNames.map((name) => name.replace('-', ':')).join(', ')
    read.problems.push(`QUEUES must be a comma-separated list of ${known}`)
  }
  return queueNames.filter((name) => given.includes(name))
}

function addressFrom(read: EnvReader, variable: string, on: Network, rules?: AddressRules) {
  const text = read.text(variable)
  const problem = text && addressProblem(on, text, rules)
  if (problem) read.problems.push(`${variable} ${problem}`)
  return text
}

function networksFrom(read: EnvReader) {
  const rows = networks.map((name) => [name, networkFrom(read, name)])
  return Object.fromEntries(rows) as Readonly<Record<Network, ReturnType<typeof networkFrom>>>
}

function networkFrom(read: EnvReader, name: Network) {
  const row = registry[name]
  const prefix = name.toUpperCase()
  const usdcAddress =
    addressFrom(read, `${prefix}_USDC`, name, { usdcAddress: null }) ?? row.usdcAddress
  const wallet = addressFrom(read, `${prefix}_WALLET`, name, { usdcAddress })
  const blocks = read.integer(`${prefix}_CONFIRMATIONS`, { least: 1, most: 10_000 })
  return {
    startBlock: read.integer(`${prefix}_START_BLOCK`, { least: 0 }),
    rpcUrls: read.urls(`${prefix}_RPC_URL`),
    /** Null: none. An account may have its own. */
    wallet,
    usdcAddress,
    // An operator's depth replaces the chain's own finality.
    confirmations: blocks === null ? row.confirmations : { blocks, finalized: false },
    pollMs: read.integer(`${prefix}_POLL_MS`, { least: 50, most: 600_000 }) ?? row.pollMs,
    /** The most blocks in one range query; halved when a provider refuses. */
    maxRangeBlocks:
      read.integer(`${prefix}_MAX_RANGE_BLOCKS`, { least: 1, most: 1_000_000 }) ??
      row.maxRangeBlocks,
  }
}
