import { beforeAll, describe, expect, test } from 'bun:test'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { quittance } from '../../support/cli.ts'
import { depositXpub, walletAddress } from '../../support/deposit-key.ts'
import { fillDatabase } from '../../support/full-database.ts'
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts'
import { useWorld } from '../../support/world.ts'

const { database, node, env } = useWorld({ chains: ['base'], anchored: true, service: 'none' })

const another = `0x${'c0'.repeat(20)}`

beforeAll(async () => {
  await node.rpc('anvil_setCode', [another, '0x6000'])
  await quittance(env, 'account', 'create', '--name', 'Ada')
})

type Env = Readonly<Record<string, string>>
type Finding = { verdict: string; what: string; detail: string; remedy: string | null }

async function doctor(over: Env = {}) {
  // The node makes no blocks by itself, and an old newest block is a problem.
  await node.mine(1)
  const { code, json } = await quittance({ ...env, ...over }, 'doctor', '--json')
  const findings: readonly Finding[] = json
  return {
    code,
    findings,
    find: (what: string) => findings.find((finding) => finding.what.startsWith(what)),
    problems: findings.filter(({ verdict }) => verdict === 'problem'),
  }
}

const host = () => new URL(node.url).host
const anchorer = () => node.wallet(7).address.toLowerCase()
const unfundedKey = `0x${'77'.repeat(32)}`
const containing = (text: string) => expect.stringContaining(text)

test('finds nothing but the missing durability of a test server', async () => {
  const { problems, find } = await doctor()
  // The server of these tests runs with fsync off, for speed.
  expect(problems.map(({ what }) => what)).toEqual(['durability'])
  for (const what of [
    'database',
    'clock',
    'SECRETS_KEY',
    `base at ${host()}`,
    'anchor',
    'anchor sender',
    'balances',
    'retention of idempotency keys',
    'retention of deliveries',
  ])
    expect(find(what)).toMatchObject({ what, verdict: 'ok', remedy: null })
  for (const what of ['polygon', 'Redis']) expect(find(what)).toMatchObject({ verdict: 'note' })
  expect(find('paid to')).toMatchObject({ verdict: 'ok', detail: containing(' on base') })
  expect(find('solana addresses')).toBeUndefined()
})

test('prints a remedy after each problem, and exits with 1', async () => {
  const { code, text } = await quittance(env, 'doctor')
  expect(code).toBe(1)
  expect(text).toContain('✗ durability: a power cut would lose committed invoices\n    set fsync')
})

const ownAddresses = { PAYMENT_ADDRESS_MODE: 'per_invoice', DEPOSIT_XPUB: depositXpub }
const facilitator = { FACILITATOR_EVM_PRIVATE_KEY: unfundedKey }
const remote = { X402_FACILITATOR_URL: 'http://127.0.0.1:1' }

/** What is found with a changed environment; under `none`, subjects without any finding. */
type Case = readonly [
  name: string,
  over: () => Env,
  found: () => readonly Partial<Finding>[],
  none?: readonly string[],
]

const cases: readonly Case[] = [
  [
    'the first deposit address, and chains without any payment address',
    () => ownAddresses,
    () => [
      { what: 'deposit key', detail: containing(walletAddress(0)) },
      { what: 'wallets', detail: containing('created on solana:') },
    ],
  ],
  [
    'a wallet whose capitals are not its checksum',
    () => ({ BASE_WALLET: `0x${'00'.repeat(19)}aA` }),
    () => [{ what: 'configuration', verdict: 'problem', detail: containing('not its checksum') }],
  ],
  [
    'an invalid configuration',
    () => ({ PORT: 'x' }),
    () => [{ what: 'configuration', verdict: 'problem', detail: containing('PORT') }],
  ],
  [
    'a database that cannot be reached, and still checks the rest',
    () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }),
    () => [
      { what: 'database', verdict: 'problem', remedy: containing('DATABASE_URL') },
      { what: `base at ${host()}`, verdict: 'ok' },
    ],
  ],
  [
    'a SECRETS_KEY that is not the key of the data',
    () => ({ SECRETS_KEY: 'cd'.repeat(32) }),
    () => [{ what: 'SECRETS_KEY', verdict: 'problem' }],
  ],
  [
    'a node of another chain and one that does not answer, each by its host',
    () => ({ BASE_RPC_URL: `${node.url},http://127.0.0.1:1`, ARBITRUM_RPC_URL: node.url }),
    () => [
      { what: `base at ${host()}`, verdict: 'ok' },
      { what: 'base at 127.0.0.1:1', verdict: 'problem' },
      { what: `arbitrum at ${host()}`, detail: containing('serves chain 8453, not 42161') },
    ],
  ],
  [
    'a remote facilitator that takes no payments on a chain without a node',
    () => ({ ...remote, ...facilitator }),
    () => [
      {
        what: 'polygon',
        verdict: 'note',
        detail: containing('not set; X402_FACILITATOR_URL takes no payments there'),
      },
    ],
    ['base facilitator'],
  ],
  [
    'a facilitator key that cannot pay',
    () => facilitator,
    () => [{ what: 'base facilitator', verdict: 'problem' }],
  ],
  [
    'nothing about a facilitator key on a chain without a wallet',
    () => ({ ...facilitator, BASE_WALLET: '' }),
    () => [],
    ['base facilitator'],
  ],
  [
    'an anchor contract that does not exist',
    () => ({ ANCHOR_CONTRACT: `0x${'11'.repeat(20)}` }),
    () => [{ what: 'anchor', verdict: 'problem', remedy: containing('quittance anchor deploy') }],
  ],
  [
    'a contract that is not the anchor contract',
    () => ({ ANCHOR_CONTRACT: another }),
    () => [{ what: 'anchor', verdict: 'problem', detail: containing('a different contract at') }],
  ],
  [
    'that there is no anchor contract yet, and a key that can deploy it',
    () => ({ ANCHOR_CONTRACT: '' }),
    () => [
      { what: 'anchor', verdict: 'note', detail: containing('`quittance anchor deploy` deploys') },
      { what: 'anchor sender', verdict: 'ok', detail: anchorer() },
    ],
  ],
  [
    'a key that cannot pay for deploying it',
    () => ({ ANCHOR_CONTRACT: '', ANCHOR_PRIVATE_KEY: unfundedKey }),
    () => [
      {
        what: 'anchor sender',
        verdict: 'problem',
        detail: expect.stringMatching(/^0x[0-9a-f]{40} has 0 for fees, but .+ up to 0\.00\d+$/),
        remedy: 'send it some of the native coin of chain 8453',
      },
    ],
  ],
  [
    'that neither node nor contract is set for anchoring',
    () => ({ ANCHOR_CONTRACT: '', ANCHOR_RPC_URL: '' }),
    () => [
      { what: 'anchor', detail: containing('ANCHOR_RPC_URL and ANCHOR_CONTRACT are not set') },
    ],
    ['anchor sender'],
  ],
]

test.each(cases)('finds %s', async (_, over, found, none = []) => {
  const { findings, find } = await doctor(over())
  for (const one of found()) expect(findings).toContainEqual(expect.objectContaining(one))
  for (const what of none) expect(find(what)).toBeUndefined()
})

describe('finds', () => {
  test('too many payment addresses on Solana', async () => {
    await database.sql`insert into payment_addresses (chain, address) select 'solana', int4send(n) from generate_series(1, 1001) as n`
    const { find } = await doctor()
    await database.sql`delete from payment_addresses`
    const detail = containing('more than 1000')
    expect(find('solana addresses')).toMatchObject({ verdict: 'note', detail })
  })

  test('keys and deliveries that were not removed in time', async () => {
    await database.sql`insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
      values (gen_random_uuid(), '/', 'a', '\\x00', gen_random_uuid(), now() - interval '27 hours')`
    await database.sql`insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
      values (gen_random_uuid(), '{0}', array[gen_random_uuid()], '{1}', now() - interval '32 days', '[null]')`
    const { find } = await doctor()
    expect(find('retention of idempotency keys')).toMatchObject({ verdict: 'problem' })
    expect(find('retention of deliveries')).toMatchObject({ verdict: 'note' })
    const { find: findLater } = await doctor({ RETENTION_DELIVERIES_DAYS: '60' })
    expect(findLater('retention of deliveries')).toMatchObject({ verdict: 'ok' })
    await database.sql`truncate idempotency_keys, delivery_batches`
  })

  test('addresses with more than the recorded transfers explain', async () => {
    await database.sql`insert into payment_addresses (chain, address, agreed_block, agreed_hash, agreed_base, unexplained_base)
      values ('base', '\\x01', 7, '\\x02', 0, 2500000), ('base', '\\x03', 9, '\\x04', 0, -10)`
    expect((await doctor()).find('base balances')).toMatchObject({
      verdict: 'problem',
      detail: '2 address(es) differ by 2.50001 USDC from what the transfers since block 7 explain',
    })
    await database.sql`delete from payment_addresses`
  })

  test('a database that refuses writes', async () => {
    const makeRoom = await fillDatabase(database.sql)
    const { find } = await doctor()
    expect(find('writes')).toMatchObject({ verdict: 'problem', remedy: 'is its disk full?' })
    expect(find('writes')?.detail).toContain('No space left on device')
    expect(find('SECRETS_KEY')).toMatchObject({ verdict: 'ok' })
    await makeRoom()
    expect((await doctor()).find('writes')).toMatchObject({ verdict: 'ok' })
  })

  test('keys that cannot pay for one transaction, or for a hundred', async () => {
    const { address, privateKey } = node.wallet(5)
    const over = { ANCHOR_PRIVATE_KEY: privateKey, FACILITATOR_EVM_PRIVATE_KEY: privateKey }
    for (const [wei, verdict, detail] of [
      [1n, 'problem', / has 0\.0{17}1 for fees, but a transaction costs up to 0\.000/],
      [10n ** 15n, 'note', / has 0\.001 for fees, enough for \d+ transactions at present$/],
      [10n ** 18n, 'ok', /^0x/],
    ] as const) {
      await node.rpc('anvil_setBalance', [address, `0x${wei.toString(16)}`])
      const { find } = await doctor(over)
      for (const what of ['anchor sender', 'base facilitator'])
        expect(find(what)).toMatchObject({ verdict, detail: expect.stringMatching(detail) })
    }
  })

  test('events that wait for a transaction of another anchoring key or chain', async () => {
    const [before, elsewhere] = [node.wallet(4).address.toLowerCase(), `0x${'22'.repeat(20)}`]
    await tieEvent(before, 8453)
    await tieEvent(elsewhere, 137)
    await tieEvent(anchorer(), 8453)
    const { problems } = await doctor()
    expect(problems.filter(({ what }) => what === 'anchor transactions')).toMatchObject([
      {
        detail: `1 event(s) wait for transactions that ${elsewhere} sent on chain 137`,
        remedy: containing('back to chain 137'),
      },
      {
        detail: `1 event(s) wait for transactions that ${before} sent on chain 8453`,
        remedy: containing(`fund ${before}`),
      },
    ])
    await database.sql`truncate anchors, anchor_transactions`
  })
})

/** Inserts an event tied to a signed transaction that is in no block. */
async function tieEvent(sender: string, chainId: number): Promise<void> {
  const id = Bun.randomUUIDv7()
  await database.sql`
    with signed as (
      insert into anchor_transactions (id, chain_id, sender, contract, nonce, state, tx_hashes, signed_bytes,
        max_fee_per_gas, max_priority_fee_per_gas, created_at, updated_at)
      values (${id}, ${chainId}, ${toBytes(sender)}, '', 0, 'signed', '{}', '', 1, 1, now(), now())
    )
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, transaction_id, created_at, updated_at)
    values (${Bun.randomUUIDv7()}, 'batch', ${id}, 0, '', '1', 'sent', ${id}, now(), now())`
}

describe.skipIf(!hasRedis)('finds of Redis', () => {
  const asUser = (rule: string) => (redis: TestRedis) =>
    send(redis, 'ACL', 'SETUSER', 'quittance', 'on', 'nopass', '~*', '+@all', rule)
  const ofUser = (path: string) => (url: string) =>
    `${url.replace('//', '//quittance:any@')}${path}`
  type RedisCase = {
    readonly settings?: readonly string[]
    readonly prepare?: (redis: TestRedis) => Promise<void>
    readonly url?: (url: string) => string
    readonly found: object
  }
  const wrongPassword = {
    detail: expect.stringMatching(/^(NOAUTH|WRONGPASS)/),
    remedy: 'correct the user or the password in REDIS_URL',
  }
  const withoutHello = ['--rename-command', 'HELLO', '']
  const redisCases: Readonly<Record<string, RedisCase>> = {
    'that all is well': { found: { verdict: 'ok', detail: 'noeviction' } },
    'the same without CONFIG, as with a provider': {
      settings: ['--rename-command', 'CONFIG', ''],
      found: { verdict: 'ok', detail: 'noeviction' },
    },
    'a policy that evicts jobs': {
      prepare: (redis) => send(redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'),
      found: { verdict: 'problem', detail: containing('allkeys-lru') },
    },
    'that it does not answer': {
      url: () => 'redis://127.0.0.1:1',
      found: { verdict: 'problem', detail: containing('ECONNREFUSED') },
    },
    'that its user may not run what the workers run': {
      prepare: asUser('-info'),
      url: ofUser(''),
      found: { verdict: 'problem', detail: containing('NOPERM'), remedy: containing('INFO') },
    },
    'that it refuses writes': {
      settings: ['--maxmemory', '1'],
      found: { detail: containing('it refuses writes: OOM'), remedy: containing('maxmemory') },
    },
    'that it lacks the database': {
      settings: ['--databases', '2'],
      url: (url) => `${url}/2`,
      found: {
        detail: 'ERR DB index is out of range',
        remedy: 'put the number of an existing database into REDIS_URL',
      },
    },
    'a missing password': {
      settings: ['--requirepass', 'secret'],
      url: (url) => `${url}/1`,
      found: wrongPassword,
    },
    'a wrong password, even of an old server': {
      settings: ['--requirepass', 'secret', ...withoutHello],
      url: (url) => `${url.replace('//', '//:wrong@')}/1`,
      found: wrongPassword,
    },
    'that its user may not select a database': {
      prepare: asUser('-select'),
      url: ofUser('/1'),
      found: {
        detail: containing('NOPERM'),
        remedy: 'allow its user SELECT, or remove the database from REDIS_URL',
      },
    },
    'that it is a replica': {
      settings: ['--replicaof', '127.0.0.1', '1'],
      found: { detail: 'it is a replica', remedy: 'put the primary into REDIS_URL' },
    },
  }

  test.each(Object.entries(redisCases))('%s', async (_, one) => {
    const redis = await startRedis(...(one.settings ?? []))
    await one.prepare?.(redis)
    const { find } = await doctor({ REDIS_URL: one.url?.(redis.url) ?? redis.url })
    await redis.stop()
    expect(find('Redis')).toMatchObject(one.found)
  })

  test('whether it has an append-only file', async () => {
    const redis = await startRedis()
    const url = { REDIS_URL: redis.url }
    expect((await doctor(url)).find('Redis log')).toMatchObject({ verdict: 'ok' })
    await send(redis, 'CONFIG', 'SET', 'appendonly', 'no')
    expect((await doctor(url)).find('Redis log')).toMatchObject({ verdict: 'note' })
    await redis.stop()
  })
})

async function send({ url }: TestRedis, command: string, ...words: string[]): Promise<void> {
  const client = new Bun.RedisClient(url)
  try {
    await client.send(command, words)
  } finally {
    client.close()
  }
}
