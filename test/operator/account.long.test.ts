import { afterAll, beforeAll, expect, test } from 'bun:test'
import { registry } from '../../src/chain/registry.ts'
import { keyHash } from '../../src/domain/account.ts'
import { findAccount } from '../../src/storage/accounts.ts'
import { findKey } from '../../src/storage/api-keys.ts'
import { testEnv } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const [evmWallet, solanaWallet] = [registry.base.usdcAddress, registry.solana.usdcAddress]
let database: TestDatabase
let env: Record<string, string>

beforeAll(async () => {
  database = await testDatabase()
  env = testEnv(database.url)
})
afterAll(() => database.drop())

test('create makes an account with its own limits and wallets, and keys that work', async () => {
  const address = `0x${'5e'.repeat(20)}`
  const words = [
    '--name',
    ' Ada ',
    '--plan',
    'enterprise',
    '--per-minute',
    '7',
    '--wallet',
    `base=${address}`,
  ]
  const { code, json } = await quittance(env, 'account', 'create', ...words, '--json')
  expect(code).toBe(0)
  expect(json).toEqual({
    account: { id: expect.any(String), name: 'Ada', plan: 'enterprise' },
    apiKey: expect.stringMatching(/^inv_[0-9a-f]{64}$/),
    v1Key: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
    signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(await findAccount(database.sql, json.account.id)).toMatchObject({
    limits: { perMinute: 7, perDay: 1_000_000 },
    wallets: { base: address },
  })
  const found = await findKey(database.sql, keyHash(json.v1Key))
  expect(found?.principal.accountId).toBe(json.account.id)
})

test('rotate-signing-secret gives another secret, once', async () => {
  const { json: made } = await quittance(env, 'account', 'create', '--name', 'Ada', '--json')
  const words = ['account', 'rotate-signing-secret', '--account', made.account.id]
  const { code, json } = await quittance(env, ...words, '--json')
  expect(code).toBe(0)
  expect(json.signingSecret).not.toBe(made.signingSecret)
  expect((await quittance(env, ...words)).text).toContain('it is not shown again')
})

test('1 for an account that does not exist', async () => {
  const id = Bun.randomUUIDv7()
  const { code, complaint } = await quittance(
    env,
    'account',
    'rotate-signing-secret',
    '--account',
    id,
  )
  expect([code, complaint]).toEqual([1, 'No such account\n'])
})

test.each([
  [['create'], "required option '--name <name>' not specified"],
  [['create', '--name', ' '], 'must be a text of 1 to 256 characters without control characters'],
  [['create', '--name', '€'.repeat(257)], 'must be a text of 1 to 256 characters'],
  [['create', '--name', 'Ada\u001b[2J'], 'must be a text of 1 to 256 characters without control'],
  [['create', '--name', 'Ada', '--plan', 'gold'], 'Allowed choices are free, pro, enterprise'],
  [['create', '--name', 'Ada', '--per-day', '1.5'], 'must be a positive integer'],
  [['create', '--name', 'Ada', '--wallet', 'base=me'], 'must be <chain>=<address>'],
  [['create', '--name', 'Ada', '--wallet', `tron=${evmWallet}`], 'the chain one of base,'],
  [
    ['create', '--name', 'Ada', '--wallet', `base=${evmWallet.replace('fCD6', 'fCd6')}`],
    'must be <chain>=<address>: this one has capitals that are not its checksum',
  ],
  [
    ['create', '--name', 'Ada', '--wallet', `solana=z${solanaWallet.slice(1)}`],
    'must be <chain>=<address>: this one is no address on solana',
  ],
  [
    [
      'create',
      '--name',
      'Ada',
      '--wallet',
      `base=${evmWallet}`,
      '--wallet',
      `base=0x${'1'.repeat(40)}`,
    ],
    'must be given once for each chain: there is one on base already',
  ],
  [
    ['create', '--name', 'Ada', '--wallet', `base=${evmWallet}=${evmWallet}`],
    'must be <chain>=<address>: this one is no address on base',
  ],
])('2 for account %j', async (words, problem) => {
  const { code, text, complaint } = await quittance(env, 'account', ...words)
  expect([code, text]).toEqual([2, ''])
  expect(complaint).toContain(problem)
})
