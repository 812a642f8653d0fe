import { describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSolanaWallet } from '../../src/chain/wallets.ts'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { networks } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'
import { depositXpub, privateXprv } from '../support/deposit-key.ts'

type Env = Readonly<Record<string, string>>

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const solanaWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const solanaKey = newSolanaWallet().privateKey
const [token, usdc] = [`0x${'ab'.repeat(20)}`, registry.base.usdcAddress]
const perInvoice = { PAYMENT_ADDRESS_MODE: 'per_invoice' }
const secrets = { SECRETS_KEY: 'ab'.repeat(32), JWT_SECRET: 'ab'.repeat(32) }
const database = (parameters: string, servers = 'db.test') => ({
  DATABASE_URL: `postgres://ada:hunter2@${servers}/money?${parameters}`,
  ...secrets,
})

test('an empty environment means embedded PostgreSQL, no Redis and all roles', () => {
  expect(readConfig({})).toMatchObject({
    databaseUrl: null,
    redisUrl: null,
    role: 'all',
    port: 3000,
    allowPrivateTargets: true,
    depositXpub: null,
    queues: [
      'outbox',
      'deliver',
      'anchor',
      'expiry',
      'trust',
      'retention',
      'balances',
      'rates',
      ...networks.map((network) => `watch-${network}`),
    ],
  })
})

const ratesDay = { FX_RATES_AS_OF: '2026-05-01' }
const ecb = { FX_SOURCE: 'ecb' }
const accepted: readonly (readonly [env: Env, config: object])[] = [
  [
    { BASE_RPC_URL: 'http://a.example, http://b.example', BASE_CONFIRMATIONS: '2' },
    {
      networks: {
        base: {
          rpcUrls: ['http://a.example', 'http://b.example'],
          confirmations: { blocks: 2, finalized: false },
        },
      },
    },
  ],
  [
    { POLYGON_START_BLOCK: '7' },
    { networks: { polygon: { startBlock: 7, confirmations: { blocks: 64, finalized: true } } } },
  ],
  [{ ANCHOR_RPC_URL: 'http://a.test,' }, { anchor: { rpcUrls: ['http://a.test'] } }],
  [{ ANCHOR_RPC_URL: ' ' }, { anchor: { rpcUrls: [] } }],
  [{ NODE_ENV: 'production' }, { isProduction: true, allowPrivateTargets: false }],
  [{ RETENTION_DELIVERIES_DAYS: '90' }, { deliveriesKeptDays: 90 }],
  [{ WEBHOOK_RETRY_SCHEDULE_MS: '0,10' }, { webhookRetryScheduleMs: [0, 10] }],
  [
    { TRUST_PROXY: 'true', ALLOW_PRIVATE_TARGETS: '0' },
    { trustProxy: true, allowPrivateTargets: false },
  ],
  [
    { TRUST_PROXY: '1', ALLOW_PRIVATE_TARGETS: 'false' },
    { trustProxy: true, allowPrivateTargets: false },
  ],
  [{ QUEUES: 'watch:base, deliver' }, { queues: ['deliver', 'watch-base'] }],
  [{ PUBLIC_URL: 'HTTPS://Pay.test//' }, { publicUrl: 'https://pay.test' }],
  [
    { PUBLIC_URL: 'http://bücher.example:80/zahl mal/' },
    { publicUrl: 'http://xn--bcher-kva.example/zahl%20mal' },
  ],
  [{ DEPOSIT_XPUB: depositXpub }, { depositXpub: null }],
  [{ ...perInvoice, DEPOSIT_XPUB: depositXpub }, { depositXpub }],
  [{ SOLANA_WALLET: solanaWallet }, { networks: { solana: { wallet: solanaWallet } } }],
  [{ BASE_WALLET: token }, { networks: { base: { wallet: token } } }],
  [{ FACILITATOR_SVM_PRIVATE_KEY: solanaKey }, { facilitator: { svmPrivateKey: solanaKey } }],
  [
    { FX_RATES: 'XCG=0.55, EUR=1.10', ...ratesDay },
    {
      fx: {
        ecbUrl: null,
        fixed: {
          rates: { XCG: '0.55', EUR: '1.10' },
          source: 'FX_RATES',
          asOf: '2026-05-01T00:00:00.000Z',
        },
      },
    },
  ],
  [{ FX_RATES: 'EUR=1.08,USD=1.0', ...ratesDay }, { fx: { fixed: { rates: { EUR: '1.08' } } } }],
  [ecb, { fx: { ecbUrl: expect.stringMatching(/eurofxref-daily\.xml$/), fixed: { rates: {} } } }],
  [{ ...ecb, FX_ECB_URL: 'http://mirror/day' }, { fx: { ecbUrl: 'http://mirror/day' } }],
  [database('sslmode=require&channel_binding=require'), {}],
  ...['::', '[::]', '[::1]', '0.0.0.0', 'localhost', 'node-1.example.com'].map(
    (host) => [{ HOST: host }, { host }] as const,
  ),
  ...['redis://h', 'redis://h/', 'redis://h/0', 'rediss://u:p@h:6380/12'].map(
    (url) => [{ REDIS_URL: url }, { redisUrl: url }] as const,
  ),
  // O7: several servers.
  [database('target_session_attrs=read-write', 'a:5432,b'), {}],
  ...['redis+sentinel://a,b:1/name', 'redis+sentinel://u:p@a/name/3?sentinelPassword=x'].map(
    (url) => [{ REDIS_URL: url }, { redisUrl: url }] as const,
  ),
]

test.each(accepted)('%j is accepted', (env, config) => {
  expect(readConfig(env)).toMatchObject(config)
})

const noWallet = 'BASE_WALLET is no wallet: nobody can have what is paid there'
const mistypedWallet = '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const curveOrder = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const mistyped = `${solanaKey.startsWith('2') ? '3' : '2'}${solanaKey.slice(1)}`

const refused: readonly (readonly [env: Env, problem: string])[] = [
  [database('sslmode=prefer'), 'DATABASE_URL: sslmode must be disable, require'],
  [{ WEBHOOK_RETRY_SCHEDULE_MS: '5000,60000' }, 'WEBHOOK_RETRY_SCHEDULE_MS must begin with 0'],
  [{ QUEUES: 'deliver,watch:bitcoin' }, 'QUEUES must be'],
  [perInvoice, 'DEPOSIT_XPUB is required'],
  [{ ...perInvoice, DEPOSIT_XPUB: privateXprv() }, 'never a private one'],
  [{ SOLANA_WALLET: `${solanaWallet}v`.slice(1) }, 'SOLANA_WALLET must be an address on solana'],
  [{ BASE_WALLET: `0x${'0'.repeat(40)}` }, noWallet],
  [{ BASE_WALLET: usdc }, noWallet],
  [{ BASE_WALLET: token, BASE_USDC: token }, noWallet],
  [{ POLYGON_WALLET: mistypedWallet }, 'POLYGON_WALLET has capitals that are not its checksum'],
  [{ BASE_USDC: mistypedWallet }, 'BASE_USDC has capitals that are not its checksum'],
  [{ ANCHOR_CONTRACT: mistypedWallet }, 'ANCHOR_CONTRACT has capitals that are not its checksum'],
  [{ SOLANA_RPC_URL: ' , ,' }, '- SOLANA_RPC_URL must be a comma-separated list'],
  [
    { FX_RATES: 'ERU=1.08,GBP=1.27,ANG=0.55,BGN=0.55' },
    'FX_RATES has currency codes that ISO 4217 does not list: ERU, ANG, BGN',
  ],
  [{ FX_RATES: 'EUR=1.08' }, 'FX_RATES and FX_RATES_AS_OF need each other'],
  [ratesDay, 'FX_RATES and FX_RATES_AS_OF need each other'],
  ...['2026-02-30', '2999-01-01', '1 May 2026', '2026-05-01T00:00:00Z'].map(
    (FX_RATES_AS_OF) => [{ FX_RATES: 'EUR=1', FX_RATES_AS_OF }, 'FX_RATES_AS_OF must be'] as const,
  ),
  [{ ...ecb, FX_RATES: 'EUR=1.08', ...ratesDay }, 'FX_RATES cannot be set with FX_SOURCE=ecb'],
  [{ FX_ECB_URL: 'https://mirror.example' }, 'FX_ECB_URL needs FX_SOURCE=ecb'],
  [{ ...ecb, FX_ECB_URL: 'file:///etc/passwd' }, 'FX_ECB_URL must be a URL with http:// or'],
  [{ FX_SOURCE: 'yahoo' }, 'FX_SOURCE must be one of ecb'],
  [{ FX_RATES: 'EUR=1,GBP=1.27, EUR=2' }, 'FX_RATES has more than one rate for EUR'],
  [{ FX_RATES: 'EUR=1.08,USD=2' }, 'USD itself must be 1'],
  [{ ANCHOR_PRIVATE_KEY: `0x${'0'.repeat(64)}` }, 'ANCHOR_PRIVATE_KEY must be'],
  [{ FACILITATOR_EVM_PRIVATE_KEY: `0x${curveOrder}` }, 'FACILITATOR_EVM_PRIVATE_KEY must be'],
  [{ FACILITATOR_SVM_PRIVATE_KEY: mistyped }, 'FACILITATOR_SVM_PRIVATE_KEY must be'],
  [{ FACILITATOR_SVM_PRIVATE_KEY: '1'.repeat(64) }, 'FACILITATOR_SVM_PRIVATE_KEY must be'],
  ...['abc', '-1', '1/2', '1.5'].map(
    (path) => [{ REDIS_URL: `redis://h/${path}` }, 'must name its database by number'] as const,
  ),
  ...['', '/', '/name/x', '/name/1/2'].map(
    (path) =>
      [{ REDIS_URL: `redis+sentinel://:hunter2@h${path}` }, 'must name its master'] as const,
  ),
  [{ REDIS_URL: 'redis+sentinel://h:x/name' }, 'REDIS_URL must be a URL'],
  [database('', 'a:1,b:x'), 'DATABASE_URL must be a URL'],
  ...['[0.0.0.0]', '[::', '::]', '[x:y]', 'a b', '/tmp/socket'].map(
    (HOST) => [{ HOST }, 'HOST must be'] as const,
  ),
  ...['ftp://a', 'https://a?b', 'https://a#c', 'https://u@a', 'https://:p@a', 'https://a?'].map(
    (PUBLIC_URL) => [{ PUBLIC_URL }, 'PUBLIC_URL must be a URL'] as const,
  ),
]

describe('is refused, without a secret in the message:', () => {
  test.each(refused)('%j', (env, problem) => {
    const message = problemsOf(env)
    expect(message).toContain(problem)
    expect(message).not.toContain('hunter2')
    for (const [name, value] of Object.entries(env))
      if (/PRIVATE_KEY|XPUB/.test(name)) expect(message).not.toContain(value)
  })
})

test('a blank secret counts as missing, and all missing ones are named at once', () => {
  const blank = { DATABASE_URL: 'postgres://x', SECRETS_KEY: '  ', JWT_SECRET: '\t' }
  expect(problemsOf(blank)).toContain(
    '  - SECRETS_KEY is required with DATABASE_URL\n  - JWT_SECRET is required with DATABASE_URL',
  )
})

test('one error names every problem, and no value of a secret', () => {
  const wrong = {
    PORT: '99999',
    HOST: 'not a host!',
    ROLE: 'boss',
    QUEUES: 'watch:bitcoin',
    DATABASE_URL: 'mysql://x',
    REDIS_URL: 'x',
    SECRETS_KEY: 'topsecret',
    BASE_RPC_URL: 'ftp://x',
    BASE_WALLET: '0x12',
    SOLANA_WALLET: '0x12',
    FX_RATES: 'EUR=abc',
    FEE_BPS: '10001',
    RETENTION_DELIVERIES_DAYS: '0',
    TRUST_PROXY: 'yes',
    ARBITRUM_CONFIRMATIONS: '0',
    ANCHOR_PRIVATE_KEY: 'topsecret',
    LOG_LEVEL: 'loud',
    PAYMENT_ADDRESS_MODE: 'mine',
    DEPOSIT_XPUB: 'topsecret',
  }
  const message = problemsOf(wrong)
  for (const name of Object.keys(wrong)) expect(message).toContain(name)
  expect(message).toContain('JWT_SECRET is required with DATABASE_URL')
  expect(message).not.toContain('topsecret')
})

test('unknown variables whose names are almost those of known ones are reported', () => {
  const { typos } = readConfig({
    BASE_RPC_URLS: 'http://a.example',
    REDIS_URI: 'redis://localhost',
    TRUSTPROXY: 'true',
    LOG_LEVELS: ' ',
    BASE_URL: '/shop',
    POST: '1',
    BASE_RPC_URL: 'http://a.example',
  })
  expect(typos).toEqual([
    { name: 'BASE_RPC_URLS', meant: 'BASE_RPC_URL' },
    { name: 'REDIS_URI', meant: 'REDIS_URL' },
    { name: 'TRUSTPROXY', meant: 'TRUST_PROXY' },
  ])
})

test('a .env file is never read, wherever a command is started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
  const { PATH = '', HOME = '' } = process.env
  const read = (...command: readonly string[]) =>
    Bun.spawn([...command, '-p', 'process.env.BASE_WALLET'], { cwd: folder, env: { PATH, HOME } })
  try {
    writeFileSync(join(folder, '.env'), 'BASE_WALLET=0x1\n')
    expect(await read('sh', join(root, 'bin/bun')).stdout.text()).toBe('undefined\n')
    cpSync(join(root, 'bunfig.toml'), join(folder, 'bunfig.toml'))
    expect(await read(process.execPath).stdout.text()).toBe('undefined\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The message of the one error about a configuration. */
function problemsOf(env: Env): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('the configuration was accepted')
}

test('the built-in rates are for the embedded database alone', () => {
  const secrets = { SECRETS_KEY: 'ab'.repeat(32), JWT_SECRET: 'ab'.repeat(32) }
  const ratesWith = (env: Env) => Object.keys(readConfig(env).fx.fixed.rates)
  expect(ratesWith({})).toContain('EUR')
  expect(ratesWith({ DATABASE_URL: 'postgres://h/d', ...secrets })).toEqual([])
})
