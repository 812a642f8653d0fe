import { expect, test } from 'bun:test'
import { keyHash } from '../../src/domain/accounts/account.ts'
import { findAccount } from '../../src/storage/accounts/accounts.ts'
import { findKey } from '../../src/storage/accounts/api-keys.ts'
import { quittance } from '../support/cli.ts'
import { useWorld } from '../support/world.ts'

const evmWallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const solanaWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const { database, env } = useWorld({ service: 'none' })

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

test('set-wallet changes where invoices are to be paid, chain by chain, and the audit log tells', async () => {
  const [first, second] = [`0x${'5e'.repeat(20)}`, `0x${'6f'.repeat(20)}`]
  const made = ['--name', 'Ada', '--wallet', `base=${first}`, '--wallet', `polygon=${first}`]
  const { json } = await quittance(env, 'account', 'create', ...made, '--json')
  const { id } = json.account
  const changes = ['--wallet', `base=${second}`, '--wallet', 'polygon=', '--wallet', 'skale=']
  const set = await quittance(env, 'account', 'set-wallet', '--account', id, ...changes, '--json')
  expect([set.code, set.json]).toEqual([0, { wallets: { base: second } }])
  expect((await findAccount(database.sql, id))?.wallets).toEqual({ base: second })
  const { json: entries } = await quittance(env, 'audit', 'list', '--account', id, '--json')
  const changed = entries.find(({ action }: { action: string }) => action === 'changed')
  expect(changed).toMatchObject({
    before: { wallets: { base: first, polygon: first } },
    after: { wallets: { base: second } },
  })
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
  const { code, stderr } = await quittance(env, 'account', 'rotate-signing-secret', '--account', id)
  expect([code, stderr]).toEqual([1, 'No such account\n'])
  const none = ['--account', id, '--wallet', 'base=']
  const set = await quittance(env, 'account', 'set-wallet', ...none)
  expect([set.code, set.stderr]).toEqual([1, 'No such account\n'])
})

test.each([
  [['create'], "required option '--name <name>' not specified"],
  [['create', '--name', ' '], 'must be a text of 1 to 256 characters without control characters'],
  [['create', '--name', '€'.repeat(257)], 'must be a text of 1 to 256 characters'],
  [['create', '--name', 'Ada\u001b[2J'], 'must be a text of 1 to 256 characters without control'],
  [['create', '--name', 'Ada', '--plan', 'gold'], 'Allowed choices are free, pro, enterprise'],
  [['create', '--name', 'Ada', '--per-day', '1.5'], 'must be an integer from 1 to 999999999'],
  [['set-wallet', '--account', Bun.randomUUIDv7()], "required option '--wallet <chain=address>'"],
  [
    ['set-wallet', '--account', Bun.randomUUIDv7(), '--wallet', 'base'],
    'must be <chain>=<address>, where chain is one of base,',
  ],
  [
    ['set-wallet', '--account', Bun.randomUUIDv7(), '--wallet', 'base=me'],
    'this one is no address on base',
  ],
  [
    ['set-wallet', '--account', Bun.randomUUIDv7(), '--wallet', 'base=', '--wallet', 'base='],
    'must be given once for each chain',
  ],
  [['create', '--name', 'Ada', '--wallet', 'base=me'], 'must be <chain>=<address>'],
  [['create', '--name', 'Ada', '--wallet', `tron=${evmWallet}`], 'where chain is one of base,'],
  [
    ['create', '--name', 'Ada', '--wallet', `base=${evmWallet.replace('5aA', '5aa')}`],
    'must be <chain>=<address>: this one has capitals that are not its checksum',
  ],
  [
    ['create', '--name', 'Ada', '--wallet', `solana=z${solanaWallet.slice(1)}`],
    'must be <chain>=<address>: this one is no address on solana',
  ],
  [
    ['create', '--name', 'Ada', '--wallet', `base=0x${'0'.repeat(40)}`],
    'must be <chain>=<address>: this one is no wallet: nobody can have what is paid there',
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
    'must be given once for each chain: there is already one on base',
  ],
  [
    ['create', '--name', 'Ada', '--wallet', `base=${evmWallet}=${evmWallet}`],
    'must be <chain>=<address>: this one is no address on base',
  ],
])('2 for account %j', async (words, problem) => {
  const { code, text, stderr } = await quittance(env, 'account', ...words)
  expect([code, text]).toEqual([2, ''])
  expect(stderr).toContain(problem)
})

test('2 for a wallet that is the token configured on its chain', async () => {
  const token = `0x${'7c'.repeat(20)}`
  const wallet = ['--wallet', `base=${token}`]
  const configured = { ...env, BASE_USDC: token }
  const { json } = await quittance(env, 'account', 'create', '--name', 'Ada', ...wallet, '--json')
  const { id } = json.account
  for (const words of [
    ['create', '--name', 'Bob'],
    ['set-wallet', '--account', id],
  ]) {
    const { code, text, stderr } = await quittance(configured, 'account', ...words, ...wallet)
    expect([code, text]).toEqual([2, ''])
    expect(stderr).toContain('is no wallet: nobody can have what is paid there')
  }
})
