import { describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSolanaWallet } from '../../src/chain/wallets.ts'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { networks } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'
import { depositXpub, privateXprv } from '../support/deposit-key.ts'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))

describe('the environment', () => {
  test('may be empty: embedded PostgreSQL, no Redis, all roles', () => {
    expect(readConfig({})).toMatchObject({
      databaseUrl: null,
      redisUrl: null,
      role: 'all',
      port: 3000,
      allowPrivateTargets: true,
    })
  })

  test('has its typos reported: variables that nothing reads, named almost like others', () => {
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

  test('is read whole: chains, lists, rates', () => {
    const config = readConfig({
      BASE_RPC_URL: 'http://a.example, http://b.example',
      BASE_CONFIRMATIONS: '2',
      POLYGON_START_BLOCK: '7',
      FX_RATES: 'EUR=1.10',
      WEBHOOK_RETRY_SCHEDULE_MS: '0,10',
      RETENTION_DELIVERIES_DAYS: '90',
      NODE_ENV: 'production',
    })
    expect(config.networks.base).toMatchObject({
      rpcUrls: ['http://a.example', 'http://b.example'],
      confirmations: { blocks: 2, finalized: false },
    })
    expect(config.networks.polygon).toMatchObject({
      startBlock: 7,
      confirmations: { blocks: 64, finalized: true },
    })
    expect(config.fx).toMatchObject({ rates: { EUR: '1.10' }, source: 'FX_RATES' })
    expect([config.webhookRetryScheduleMs, config.allowPrivateTargets]).toEqual([[0, 10], false])
    expect(config.deliveriesKeptDays).toBe(90)
  })

  test('names a database as libpq would: what it cannot do for TLS is said, without the password', () => {
    const started = (parameters: string) => () =>
      readConfig({
        DATABASE_URL: `postgres://ada:secret@db.test/money?${parameters}`,
        SECRETS_KEY: 'ab'.repeat(32),
        JWT_SECRET: 'ab'.repeat(32),
      })
    expect(started('sslmode=require&channel_binding=require')).not.toThrow()
    expect(started('sslmode=prefer')).toThrow('DATABASE_URL: sslmode must be disable, require')
    expect(started('sslmode=prefer')).not.toThrow('secret')
  })

  test('attempts a delivery at once: a schedule of attempts without that 0 is refused', () => {
    const started = (WEBHOOK_RETRY_SCHEDULE_MS: string) => () =>
      readConfig({ WEBHOOK_RETRY_SCHEDULE_MS })
    expect(started('0')).not.toThrow()
    expect(started('5000,60000')).toThrow('WEBHOOK_RETRY_SCHEDULE_MS must begin with 0')
  })

  test('takes true and false as words and as digits', () => {
    const flags = (value: string) => {
      const { trustProxy, allowPrivateTargets } = readConfig({
        TRUST_PROXY: value,
        ALLOW_PRIVATE_TARGETS: value,
      })
      return [trustProxy, allowPrivateTargets]
    }
    expect([flags('true'), flags('1')]).toEqual(Array(2).fill([true, true]))
    expect([flags('false'), flags('0')]).toEqual(Array(2).fill([false, false]))
  })

  test('spells the public URL as links need it, without a slash to end it', () => {
    const publicUrl = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).publicUrl
    expect(['https://pay.test', 'https://pay.test/', 'HTTPS://Pay.test//'].map(publicUrl)).toEqual(
      Array(3).fill('https://pay.test'),
    )
    expect(publicUrl('http://bücher.example:80/zahl mal/')).toBe(
      'http://xn--bcher-kva.example/zahl%20mal',
    )
    for (const url of [
      'ftp://pay.test',
      'https://pay.test/?a=b',
      'https://pay.test/#c',
      'https://u@pay.test',
      'https://:p@pay.test',
      'https://pay.test/?',
      'https://pay.test/#',
    ])
      expect(() => publicUrl(url)).toThrow('PUBLIC_URL must be a URL')
  })

  test('is all there is: a file named .env is not read, wherever a command is started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
    try {
      writeFileSync(join(folder, '.env'), 'BASE_WALLET=0x1\n')
      const { PATH = '', HOME = '' } = process.env
      const read = Bun.spawn(['sh', join(root, 'bin/bun'), '-p', 'process.env.BASE_WALLET'], {
        cwd: folder,
        env: { PATH, HOME },
      })
      expect(await read.stdout.text()).toBe('undefined\n')
      cpSync(join(root, 'bunfig.toml'), join(folder, 'bunfig.toml'))
      const here = Bun.spawn([process.execPath, '-p', 'process.env.BASE_WALLET'], {
        cwd: folder,
        env: {},
      })
      expect(await here.stdout.text()).toBe('undefined\n')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('limits a worker to queues, which are all of them when none is named', () => {
    expect(readConfig({ QUEUES: 'watch:base, deliver' }).queues).toEqual(['deliver', 'watch-base'])
    expect(readConfig({}).queues).toEqual([
      'outbox',
      'deliver',
      'anchor',
      'expiry',
      'trust',
      'retention',
      'balances',
      ...networks.map((network) => `watch-${network}` as const),
    ])
    expect(() => readConfig({ QUEUES: 'deliver,watch:bitcoin' })).toThrow(/QUEUES must be/)
  })

  test('gives each EVM invoice an address of its own only when asked to, and only from a public key', () => {
    expect(readConfig({}).depositXpub).toBe(null)
    expect(readConfig({ DEPOSIT_XPUB: depositXpub }).depositXpub).toBe(null)
    const mode = { PAYMENT_ADDRESS_MODE: 'per_invoice' }
    expect(readConfig({ ...mode, DEPOSIT_XPUB: depositXpub }).depositXpub).toBe(depositXpub)
    expect(() => readConfig(mode)).toThrow('DEPOSIT_XPUB is required')
    const xprv = privateXprv()
    expect(() => readConfig({ ...mode, DEPOSIT_XPUB: xprv })).toThrow('never a private one')
    expect(() => readConfig({ ...mode, DEPOSIT_XPUB: xprv })).not.toThrow(xprv)
  })

  test('refuses a Solana wallet that is not 32 bytes', () => {
    const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
    expect(readConfig({ SOLANA_WALLET: wallet }).networks.solana.wallet).toBe(wallet)
    expect(() => readConfig({ SOLANA_WALLET: `${wallet}v`.slice(1) })).toThrow(
      'SOLANA_WALLET must be an address on solana',
    )
  })

  test('refuses a wallet at which nobody has what is paid, such as the configured token', () => {
    const problem = 'BASE_WALLET is no wallet: nobody can have what is paid there'
    const [token, usdc] = [`0x${'ab'.repeat(20)}`, registry.base.usdcAddress]
    expect(problemsOf({ BASE_WALLET: `0x${'0'.repeat(40)}` })).toContain(problem)
    expect(problemsOf({ BASE_WALLET: usdc })).toContain(problem)
    expect(problemsOf({ BASE_WALLET: token, BASE_USDC: token })).toContain(problem)
    expect(readConfig({ BASE_WALLET: token }).networks.base.wallet).toBe(token)
  })

  test('names a node wherever it names a list of them: one of separators only is refused, not unset', () => {
    const started = (list: string) => readConfig({ SOLANA_RPC_URL: list, ANCHOR_RPC_URL: list })
    expect(() => started(' , ,')).toThrow(
      /- SOLANA_RPC_URL must be a comma-separated list of .*\n {2}- ANCHOR_RPC_URL must be/,
    )
    expect(started('http://a.test,').anchor.rpcUrls).toEqual(['http://a.test'])
    expect(started(' ').anchor.rpcUrls).toEqual([])
  })

  test('of rates has currencies that there are, or each that there is not is named', () => {
    expect(readConfig({ FX_RATES: 'XCG=0.55, EUR=1.10' }).fx.rates).toEqual({
      XCG: '0.55',
      EUR: '1.10',
    })
    expect(() =>
      readConfig({ FX_RATES: 'ERU=1.08,GBP=1.27,ANG=0.55,BGN=0.55', PORT: 'x' }),
    ).toThrow(/PORT[\s\S]*FX_RATES has currency codes that ISO 4217 does not list: ERU, ANG, BGN/)
  })

  test('of rates has one for each currency: a second one is refused, not believed', () => {
    const problem = problemsOf({ FX_RATES: 'EUR=1,GBP=1.27, EUR=2' })
    expect(problem).toContain('  - FX_RATES has more than one rate for EUR')
  })

  test('of rates has no other one for USD than 1, as none would be used', () => {
    expect(problemsOf({ FX_RATES: 'EUR=1.08,USD=2' })).toContain('USD itself must be 1')
    expect(readConfig({ FX_RATES: 'EUR=1.08,USD=1.0' }).fx.rates).toMatchObject({ EUR: '1.08' })
  })

  test('takes a secret of blanks for none, and says of all that are missing at once', () => {
    const blank = { DATABASE_URL: 'postgres://x', SECRETS_KEY: '  ', JWT_SECRET: '\t' }
    expect(() => readConfig(blank)).toThrow(
      '  - SECRETS_KEY is required with DATABASE_URL\n  - JWT_SECRET is required with DATABASE_URL',
    )
  })

  test('holds keys that can sign: placeholders and mistyped ones are refused, and not repeated', () => {
    const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
    const solana = newSolanaWallet().privateKey
    const mistyped = solana.startsWith('2') ? `3${solana.slice(1)}` : `2${solana.slice(1)}`
    for (const [name, value] of [
      ['ANCHOR_PRIVATE_KEY', `0x${'0'.repeat(64)}`],
      ['FACILITATOR_EVM_PRIVATE_KEY', `0x${order}`],
      ['FACILITATOR_SVM_PRIVATE_KEY', mistyped],
      ['FACILITATOR_SVM_PRIVATE_KEY', '1'.repeat(64)],
    ] as const) {
      const problem = problemsOf({ [name]: value })
      expect(problem).toContain(`${name} must be`)
      expect(problem).not.toContain(value)
    }
    expect(readConfig({ FACILITATOR_SVM_PRIVATE_KEY: solana }).facilitator.svmPrivateKey).toBe(
      solana,
    )
  })

  test('takes a HOST of any form that can be listened at, and no other', () => {
    for (const HOST of ['::', '[::]', '[::1]', '0.0.0.0', 'localhost', 'node-1.example.com'])
      expect(readConfig({ HOST }).host).toBe(HOST)
    for (const HOST of ['[0.0.0.0]', '[::', '::]', '[x:y]', 'a b', '/tmp/socket'])
      expect(problemsOf({ HOST })).toContain('HOST')
  })

  test('with everything wrong is one error that names every problem and no value of a secret', () => {
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
})

test('a Redis database is named by its number', () => {
  for (const url of ['redis://h', 'redis://h/', 'redis://h/0', 'rediss://u:p@h:6380/12'])
    expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url)
  for (const path of ['abc', '-1', '1/2', '1.5'])
    expect(problemsOf({ REDIS_URL: `redis://h/${path}` })).toContain(
      'REDIS_URL must name its database by number, as redis://host/1',
    )
})

/** What the one error about a configuration says. */
function problemsOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('the configuration was taken')
}
