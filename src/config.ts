import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { isExtendedPublicKey } from './chain/deposits.ts'
import { type Confirmations, registry } from './chain/registry.ts'
import { currencies } from './domain/currency.ts'
import { evmAddress, evmWord, isAddress, type Network, networks } from './domain/network.ts'
import { isSecretsKey } from './domain/secret.ts'
import { type LogLevel, logLevels } from './log.ts'
import { type QueueName, queueNames } from './queues/queues.ts'
import { readDatabaseUrl } from './storage/database-url.ts'

export type Role = 'all' | 'http' | 'worker'

export type NetworkConfig = {
  readonly rpcUrls: readonly string[]
  /** The wallet for invoices on this chain unless the account has its own; null: none. */
  readonly wallet: string | null
  readonly usdcAddress: string
  readonly confirmations: Confirmations
  readonly startBlock: number | null
  readonly pollMs: number
  /** The most blocks in one range query; halved when a provider refuses. */
  readonly maxRangeBlocks: number
}

export type Config = {
  readonly port: number
  readonly host: string
  /** Null: localhost with the port it listens on. */
  readonly publicUrl: string | null
  /** A separate port for health and metrics. Null: the API's port, and none for a worker. */
  readonly metricsPort: number | null
  /** Null: start the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | null
  /** Null: BullMQ and request limits use PostgreSQL. */
  readonly redisUrl: string | null
  readonly dataDir: string
  readonly role: Role
  /** The queues a worker takes jobs from. */
  readonly queues: readonly QueueName[]
  readonly isProduction: boolean
  /** Identifies this process in leases and logs. */
  readonly processId: string
  /** Null only on the embedded default, where `secrets.ts` generates what is missing. */
  readonly secretsKey: string | null
  readonly jwtSecret: string | null
  readonly mandateSigningSecret: string | null
  readonly networks: Readonly<Record<Network, NetworkConfig>>
  /**
   * The extended public key whose children are the payment addresses of EVM invoices, one each.
   * Null: invoices share the wallet of their chain.
   */
  readonly depositXpub: string | null
  readonly anchor: {
    readonly rpcUrls: readonly string[]
    readonly contract: string | null
    readonly privateKey: string | null
  }
  readonly facilitator: {
    readonly evmPrivateKey: string | null
    readonly svmPrivateKey: string | null
    readonly url: string | null
  }
  readonly fx: {
    readonly rates: Readonly<Record<string, string>>
    readonly source: string
    readonly asOf: string
  }
  readonly feeBasisPoints: number
  readonly allowPrivateTargets: boolean
  readonly trustProxy: boolean
  readonly webhookRetryScheduleMs: readonly number[]
  /** How long the log of deliveries is kept. */
  readonly deliveriesKeptDays: number
  readonly logLevel: LogLevel
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Env = Readonly<Record<string, string | undefined>>

/** Indicative rates (USD for one unit), for trying the service out; operators set FX_RATES. */
const indicativeRates = 'EUR=1.08,GBP=1.27,SEK=0.095,DKK=0.145,PLN=0.25,CHF=1.13'
const indicativeAsOf = '2026-01-01T00:00:00.000Z'
const retryScheduleMs = '0,5000,60000,300000,1800000,7200000,18000000,36000000'

/** Reads the whole configuration. Throws one `ConfigError` that lists everything wrong with it. */
export function readConfig(env: Env = process.env): Config {
  const read = reader(env)
  const evmKey = (name: string) => read.matching(name, like(evmWord), '0x and 64 hex digits')
  const databaseUrl = read.databaseUrl()
  const isProduction = env.NODE_ENV === 'production'
  const config: Config = {
    port: read.integer('PORT', 3000, 0, 65_535),
    host: read.text('HOST') ?? '0.0.0.0',
    publicUrl: baseOf(read.url('PUBLIC_URL', ['http:', 'https:']) ?? ''),
    metricsPort:
      read.text('METRICS_PORT') === null ? null : read.integer('METRICS_PORT', 0, 0, 65_535),
    databaseUrl,
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    role: read.oneOf('ROLE', ['all', 'http', 'worker'] as const, 'all'),
    queues: read.queues(),
    isProduction,
    processId: `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
    secretsKey: read.matching('SECRETS_KEY', isSecretsKey, '32 bytes as hex or base64'),
    jwtSecret: read.matching('JWT_SECRET', like(/^.{32,}$/), 'at least 32 characters'),
    mandateSigningSecret: read.matching(
      'MANDATE_SIGNING_SECRET',
      like(/^.{16,}$/),
      'at least 16 characters',
    ),
    networks: read.networks(),
    depositXpub: read.depositXpub(),
    anchor: {
      rpcUrls: read.urls('ANCHOR_RPC_URL'),
      contract: read.matching('ANCHOR_CONTRACT', like(evmAddress), 'an EVM address'),
      privateKey: evmKey('ANCHOR_PRIVATE_KEY'),
    },
    facilitator: {
      evmPrivateKey: evmKey('FACILITATOR_EVM_PRIVATE_KEY'),
      svmPrivateKey: read.matching(
        'FACILITATOR_SVM_PRIVATE_KEY',
        like(/^[1-9A-HJ-NP-Za-km-z]{64,90}$/),
        'a base58 key',
      ),
      url: read.url('X402_FACILITATOR_URL', ['http:', 'https:']),
    },
    fx: read.fx(),
    feeBasisPoints: read.integer('FEE_BPS', 0, 0, 10_000),
    allowPrivateTargets: read.flag('ALLOW_PRIVATE_TARGETS', !isProduction),
    trustProxy: read.flag('TRUST_PROXY', false),
    webhookRetryScheduleMs: read.integers('WEBHOOK_RETRY_SCHEDULE_MS', retryScheduleMs),
    deliveriesKeptDays: read.integer('RETENTION_DELIVERIES_DAYS', 30, 1, 36_500),
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
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

/** A base URL to append paths to, normalised so that headers can carry it; null: not a URL. */
function baseOf(url: string): string | null {
  return URL.parse(url)?.href.replace(/\/+$/, '') ?? null
}

function like(look: RegExp) {
  return (text: string) => look.test(text)
}

function reader(env: Env) {
  const problems: string[] = []

  function text(name: string): string | null {
    const value = env[name]?.trim()
    return value ? value : null
  }

  /** A value that must fit. The error never repeats it, since it may be a secret. */
  function matching(
    name: string,
    fits: (text: string) => boolean,
    described: string,
  ): string | null {
    const value = text(name)
    if (value !== null && !fits(value)) problems.push(`${name} must be ${described}`)
    return value
  }

  function url(name: string, protocols: readonly string[]): string | null {
    const value = text(name)
    if (value !== null && !protocols.includes(URL.parse(value)?.protocol ?? '')) {
      problems.push(
        `${name} must be a URL with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      )
    }
    return value
  }

  function databaseUrl(): string | null {
    const value = url('DATABASE_URL', ['postgres:', 'postgresql:'])
    try {
      if (URL.canParse(value ?? '')) readDatabaseUrl(value ?? '')
    } catch (error) {
      problems.push(`DATABASE_URL: ${(error as Error).message}`)
    }
    return value
  }

  function urls(name: string): readonly string[] {
    const values =
      text(name)
        ?.split(',')
        .map((value) => value.trim())
        .filter(Boolean) ?? []
    for (const value of values) {
      if (!/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
        problems.push(`${name} must be a comma-separated list of http:// or https:// URLs`)
        return []
      }
    }
    return values
  }

  function integer(
    name: string,
    fallback: number,
    least: number,
    most = Number.MAX_SAFE_INTEGER,
  ): number {
    const value = text(name)
    if (value === null) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    problems.push(`${name} must be an integer from ${least} to ${most}`)
    return fallback
  }

  function integers(name: string, fallback: string): readonly number[] {
    const values = (text(name) ?? fallback).split(',').map((value) => value.trim())
    if (values.every((value) => /^\d{1,10}$/.test(value))) return values.map(Number)
    problems.push(`${name} must be a comma-separated list of milliseconds`)
    return []
  }

  function oneOf<const Value extends string>(
    name: string,
    values: readonly Value[],
    fallback: Value,
  ): Value {
    const value = text(name)
    if (value === null) return fallback
    const found = values.find((known) => known === value)
    if (found === undefined) problems.push(`${name} must be one of ${values.join(', ')}`)
    return found ?? fallback
  }

  function flag(name: string, fallback: boolean): boolean {
    const value = oneOf(name, ['true', 'false', '1', '0'], fallback ? 'true' : 'false')
    return value === 'true' || value === '1'
  }

  function fx(): Config['fx'] {
    const given = text('FX_RATES')
    const pairs = (given ?? indicativeRates).split(',').map((pair) => pair.trim().split('='))
    const isValid = pairs.every(
      ([code, rate, ...rest]) =>
        rest.length === 0 &&
        /^[A-Z]{3}$/.test(code ?? '') &&
        /^(?!0+(?:\.0+)?$)\d{1,6}(?:\.\d{1,9})?$/.test(rate ?? ''),
    )
    if (!isValid) problems.push('FX_RATES must look like EUR=1.08,GBP=1.27 (USD for one unit)')
    // A rate for an unknown code would never be used, and the intended one would be missed only by
    // the first invoice in that currency.
    const unknown = pairs.map(([code = '']) => code).filter((code) => !currencies.has(code))
    if (isValid && unknown.length > 0)
      problems.push(`FX_RATES has codes that ISO 4217 has not: ${unknown.join(', ')}`)
    return {
      rates: Object.fromEntries(pairs),
      source: given === null ? 'indicative default' : 'FX_RATES',
      asOf: given === null ? indicativeAsOf : new Date().toISOString(),
    }
  }

  function depositXpub(): string | null {
    const mode = oneOf('PAYMENT_ADDRESS_MODE', ['shared', 'per_invoice'], 'shared')
    const xpub = matching(
      'DEPOSIT_XPUB',
      isExtendedPublicKey,
      'an extended public key (xpub…), never a private one',
    )
    if (mode === 'per_invoice' && xpub === null)
      problems.push('DEPOSIT_XPUB is required with PAYMENT_ADDRESS_MODE=per_invoice')
    return mode === 'per_invoice' ? xpub : null
  }

  /** Queues are written as `watch:base,deliver`; if none are given, all of them. */
  function queues(): readonly QueueName[] {
    const given = text('QUEUES')
      ?.split(',')
      .map((name) => name.trim().replace(':', '-'))
    if (!given) return queueNames
    if (!given.every((name) => queueNames.some((known) => known === name))) {
      const known = queueNames.map((name) => name.replace('-', ':')).join(', ')
      problems.push(`QUEUES must be a comma-separated list of ${known}`)
    }
    return queueNames.filter((name) => given.includes(name))
  }

  function network(name: Network): NetworkConfig {
    const row = registry[name]
    const prefix = name.toUpperCase()
    const address = (variable: string) =>
      matching(variable, (text) => isAddress(name, text), `an address on ${name}`)
    const blocks = integer(`${prefix}_CONFIRMATIONS`, 0, 1, 10_000)
    const startBlock = integer(`${prefix}_START_BLOCK`, -1, 0)
    return {
      rpcUrls: urls(`${prefix}_RPC_URL`),
      wallet: address(`${prefix}_WALLET`),
      usdcAddress: address(`${prefix}_USDC`) ?? row.usdcAddress,
      // An operator's depth is taken literally: the chain's own finality no longer counts.
      confirmations: blocks === 0 ? row.confirmations : { blocks, finalized: false },
      startBlock: startBlock < 0 ? null : startBlock,
      pollMs: integer(`${prefix}_POLL_MS`, row.pollMs, 50, 600_000),
      maxRangeBlocks: integer(`${prefix}_MAX_RANGE_BLOCKS`, row.maxRangeBlocks, 1, 1_000_000),
    }
  }

  return {
    problems,
    text,
    matching,
    url,
    databaseUrl,
    urls,
    integer,
    integers,
    oneOf,
    flag,
    fx,
    depositXpub,
    queues,
    networks: () =>
      Object.fromEntries(networks.map((name) => [name, network(name)])) as Record<
        Network,
        NetworkConfig
      >,
  }
}
