import { expect, test } from 'bun:test'
import { keyHash } from '../../src/domain/accounts/account.ts'
import { findAccount } from '../../src/storage/accounts/accounts.ts'
import { findKey } from '../../src/storage/accounts/api-keys.ts'
import { quittance } from '../support/cli.ts'
import { useWorld } from '../support/world.ts'

const evmWallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const solanaWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const { database, env } = useWorld({ service: 'none' })
const [first, second] = [`0x${'5e'.repeat(20)}`, `0x${'6f'.repeat(20)}`]
const nobody = Bun.randomUUIDv7()

const account = (...words: readonly string[]) => quittance(env, 'account', ...words)
const createAda = (...words: readonly string[]) =>
  account('create', '--name', ' Ada ', ...words, '--json')

test('create makes an account with its own limits and wallets, and keys that work', async () => {
  const limits = ['--plan', 'enterprise', '--per-minute', '7']
  const { code, json } = await createAda(...limits, '--wallet', `base=${first}`)
  expect(code).toBe(0)
  expect(json).toEqual({
    account: { id: expect.any(String), name: 'Ada', plan: 'enterprise' },
    apiKey: expect.stringMatching(/^inv_[0-9a-f]{64}$/),
    v1Key: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
    signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(await findAccount(database.sql, json.account.id)).toMatchObject({
    limits: { perMinute: 7, perDay: 1_000_000 },
    wallets: { base: first },
  })
  const found = await findKey(database.sql, keyHash(json.v1Key))
  expect(found?.principal.accountId).toBe(json.account.id)
})

test('list and show tell plan, limits, wallets, creation and last use of an account', async () => {
  const { json: made } = await createAda('--plan', 'pro', '--wallet', `base=${first}`)
  const { id } = made.account
  const usedAt = new Date('2026-05-04T03:02:01Z')
  await database.sql`update api_keys set last_used_at = ${usedAt} where account_id = ${id} and hint like 'sk_%'`
  const listed = (await account('list', '--json')).json
  expect(listed[0]).toEqual({
    ...{ id, name: 'Ada', plan: 'pro', limits: { perMinute: 600, perDay: 50_000 } },
    ...{ wallets: { base: first }, createdAt: expect.any(String), lastUsedAt: usedAt.toJSON() },
  })
  expect((await account('show', id, '--json')).json).toEqual(listed[0])
  expect((await account('list')).text).toMatch(new RegExp(`^${id}  Ada  pro, .*own wallets: base`))
  const { text } = await account('show', id)
  expect(text).toContain(`base     ${first}\npolygon  not paid there: no wallet\n`)
  expect(text).toContain('used 2026-05-04T03:02:01.000Z')
})

test('set-wallet changes the payment address of each given chain, and leaves an audit entry', async () => {
  const { json } = await createAda('--wallet', `base=${first}`, '--wallet', `polygon=${first}`)
  const { id } = json.account
  const changes = ['--wallet', `base=${second}`, '--wallet', 'polygon=', '--wallet', 'skale=']
  const set = await account('set-wallet', '--account', id, ...changes, '--json')
  expect([set.code, set.json]).toEqual([0, { wallets: { base: second } }])
  expect((await findAccount(database.sql, id))?.wallets).toEqual({ base: second })
  const { json: entries } = await quittance(env, 'audit', 'list', '--account', id, '--json')
  const changed = entries.find(({ action }: { action: string }) => action === 'changed')
  expect(changed).toMatchObject({
    before: { wallets: { base: first, polygon: first } },
    after: { wallets: { base: second } },
  })
})

test('rotate-signing-secret shows the new secret once', async () => {
  const { json: made } = await createAda()
  const words = ['rotate-signing-secret', '--account', made.account.id]
  const { code, json } = await account(...words, '--json')
  expect(code).toBe(0)
  expect(json.signingSecret).not.toBe(made.signingSecret)
  expect((await account(...words)).text).toContain('it is not shown again')
})

test('1 for an unknown account', async () => {
  const changes = [['rotate-signing-secret'], ['set-wallet', '--wallet', 'base=']]
  for (const words of [
    ['show', nobody],
    ...changes.map((some) => [...some, '--account', nobody]),
  ]) {
    const { code, stderr } = await account(...words)
    expect([code, stderr]).toEqual([1, 'No such account\n'])
  }
})

const create = ['create', '--name', 'Ada']
const setWallet = ['set-wallet', '--account', nobody]
test.each([
  [['create'], "required option '--name <name>' not specified"],
  [['create', '--name', ' '], 'must be a text of 1 to 256 characters without control characters'],
  [['create', '--name', '€'.repeat(257)], 'must be a text of 1 to 256 characters'],
  [['create', '--name', 'Ada\u001b[2J'], 'must be a text of 1 to 256 characters without control'],
  [[...create, '--plan', 'gold'], 'Allowed choices are free, pro, enterprise'],
  [[...create, '--per-day', '1.5'], 'must be an integer from 1 to 999999999'],
  [setWallet, "required option '--wallet <chain=address>'"],
  [[...setWallet, '--wallet', 'base=', '--wallet', 'base='], 'must be given once for each chain'],
])('2 for account %j', async (words, problem) => {
  expect(await account(...words)).toMatchObject({
    code: 2,
    text: '',
    stderr: expect.stringContaining(problem),
  })
})

test.each([
  ['base', 'must be <chain>=<address>, where chain is one of base,'],
  [`tron=${evmWallet}`, 'must be <chain>=<address>, where chain is one of base,'],
  ['base=me', 'the address must be an address on base'],
  [`base=${evmWallet}=${evmWallet}`, 'the address must be an address on base'],
  [`base=${evmWallet.replace('5aA', '5aa')}`, 'the address has capitals that are not its checksum'],
  [`solana=z${solanaWallet.slice(1)}`, 'the address must be an address on solana'],
  [`base=0x${'0'.repeat(40)}`, 'the address is no wallet: nobody can have what is paid there'],
])('2 for the wallet %s', async (wallet, problem) => {
  for (const words of [create, setWallet]) {
    const { code, stderr } = await account(...words, '--wallet', wallet)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  }
})

test('2 for a wallet that is the token configured on its chain', async () => {
  const token = `0x${'7c'.repeat(20)}`
  for (const words of [create, setWallet]) {
    const configured = { ...env, BASE_USDC: token }
    const ran = await quittance(configured, 'account', ...words, '--wallet', `base=${token}`)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('is no wallet: nobody')])
  }
})
