import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deployAnchor } from '../../../src/chain/anchor/anchor.ts'
import { testEnv } from '../../support/app.ts'
import { quittance } from '../../support/cli.ts'
import { depositXpub, walletAddress } from '../../support/deposit-key.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { fillDatabase } from '../../support/full-database.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts'

let node: EvmNode
let database: TestDatabase
let env: Record<string, string>

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  database = await testDatabase()
  const { privateKey } = node.wallet(3)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  env = testEnv(database.url, {
    BASE_RPC_URL: node.url,
    ANCHOR_RPC_URL: node.url,
    ANCHOR_CONTRACT: contract,
    ANCHOR_PRIVATE_KEY: privateKey,
  })
  await quittance(env, 'account', 'create', '--name', 'Ada')
})
afterAll(async () => {
  await node.stop()
  await database.drop()
})

type Finding = { verdict: string; what: string; detail: string; remedy: string | null }

async function doctor(over: Record<string, string> = {}) {
  // The node makes no blocks by itself, and one whose newest is old is a problem.
  await node.mine(1)
  const { code, json } = await quittance({ ...env, ...over }, 'doctor', '--json')
  const find = (what: string) =>
    (json as Finding[]).find((finding) => finding.what.startsWith(what))
  return {
    code,
    find,
    problems: (json as Finding[]).filter(({ verdict }) => verdict === 'problem'),
  }
}

/** Inserts an event tied to a signed transaction that is in no block. */
async function tieEvent(sender: string, chainId: number): Promise<void> {
  const id = Bun.randomUUIDv7()
  await database.sql`
    with signed as (
      insert into anchor_transactions (id, chain_id, sender, contract, nonce, state, tx_hashes, signed_bytes,
        max_fee_per_gas, max_priority_fee_per_gas, created_at, updated_at)
      values (${id}, ${chainId}, ${sender}, '0x', 0, 'signed', '{0x}', '0x', 1, 1, now(), now())
    )
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, transaction_id, created_at, updated_at)
    values (${Bun.randomUUIDv7()}, 'receipt', ${id}, 0, '0x', 'drs', 'sent', ${id}, now(), now())`
}

const host = () => new URL(node.url).host

test('says which addresses of the operator’s wallet invoices are paid at', async () => {
  const { find } = await doctor({
    PAYMENT_ADDRESS_MODE: 'per_invoice',
    DEPOSIT_XPUB: depositXpub,
  })
  expect(find('deposit key')?.detail).toContain(walletAddress(0))
  expect(find('wallets')?.detail).toContain('made on solana:')
})

test('notes that invoices are paid at very many wallets on Solana', async () => {
  expect((await doctor()).find('solana addresses')).toBeUndefined()
  const { sql } = database
  await sql`insert into payment_addresses (chain, address) select 'solana', 'W' || n from generate_series(1, 1001) as n`
  const { find } = await doctor()
  await sql`delete from payment_addresses where chain = 'solana'`
  expect(find('solana addresses')).toMatchObject({
    verdict: 'note',
    detail: expect.stringContaining('more than 1000'),
  })
})

test('0 when all is well but the durability that tests go without', async () => {
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
  ])
    expect(find(what)).toMatchObject({ what, verdict: 'ok', remedy: null })
  expect(find('polygon')).toMatchObject({ verdict: 'note' })
  expect(find('Redis')).toMatchObject({ verdict: 'note' })
})

test('as text every problem is followed by what helps, and the exit code is 1', async () => {
  const { code, text } = await quittance(env, 'doctor')
  expect(code).toBe(1)
  expect(text).toContain('✗ durability: a power cut loses committed invoices\n    set fsync = on')
})

describe('finds', () => {
  test('keys and deliveries that nobody has removed in time', async () => {
    const { find: early } = await doctor()
    expect(early('retention')).toMatchObject({ verdict: 'ok' })
    await database.sql`insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
      values (gen_random_uuid(), '/', 'a', '\\x00', gen_random_uuid(), now() - interval '27 hours')`
    await database.sql`insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
      values (gen_random_uuid(), '{0}', array[gen_random_uuid()], '{1}', now() - interval '32 days', '[null]')`
    const { find: late } = await doctor()
    expect(late('retention of idempotency keys')).toMatchObject({ verdict: 'problem' })
    expect(late('retention of deliveries')).toMatchObject({ verdict: 'note' })
    const { find: patient } = await doctor({ RETENTION_DELIVERIES_DAYS: '60' })
    expect(patient('retention of deliveries')).toMatchObject({ verdict: 'ok' })
  })

  test('addresses that hold more than the transfers on record explain', async () => {
    const { find: before } = await doctor()
    expect(before('balances')).toMatchObject({ verdict: 'ok' })
    await database.sql`insert into payment_addresses (chain, address, agreed_block, agreed_hash, agreed_base, unexplained_base)
      values ('base', '0x1', 7, '0x2', 0, 2500000), ('base', '0x3', 9, '0x4', 0, -10)`
    const { find: after } = await doctor()
    expect(after('base balances')).toMatchObject({
      verdict: 'problem',
      detail: '2 address(es) differ by 2.50001 USDC from what the transfers behind block 7 explain',
    })
    await database.sql`delete from payment_addresses`
  })

  test('a wallet whose capitals are no checksum', async () => {
    const mistyped = { ...env, BASE_WALLET: `0x${'00'.repeat(19)}aA` }
    const { problems } = await doctor(mistyped)
    expect(problems).toContainEqual(
      expect.objectContaining({
        what: 'wallets',
        detail: `${mistyped.BASE_WALLET} has capitals that are not its checksum: it may be mistyped`,
      }),
    )
  })

  test('a configuration that cannot be read', async () => {
    const { code, problems } = await doctor({ PORT: 'x' })
    expect(code).toBe(1)
    expect(problems).toMatchObject([
      { what: 'configuration', detail: expect.stringContaining('PORT') },
    ])
  })

  test('a database that is away, and checks the rest all the same', async () => {
    const { find } = await doctor({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' })
    expect(find('database')).toMatchObject({ verdict: 'problem' })
    expect(find('database')?.remedy).toContain('DATABASE_URL')
    expect(find('base at')).toMatchObject({ verdict: 'ok' })
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

  test('a SECRETS_KEY that is not the one the data was sealed with', async () => {
    const { find } = await doctor({ SECRETS_KEY: 'cd'.repeat(32) })
    expect(find('SECRETS_KEY')).toMatchObject({ verdict: 'problem' })
  })

  test('a node of another chain, and one that does not answer, each by its own host', async () => {
    const urls = `${node.url},http://127.0.0.1:1`
    const { find } = await doctor({ BASE_RPC_URL: urls, ARBITRUM_RPC_URL: node.url })
    expect(find(`base at ${host()}`)).toMatchObject({ verdict: 'ok' })
    expect(find('base at 127.0.0.1:1')).toMatchObject({ verdict: 'problem' })
    expect(find('arbitrum')?.detail).toContain('serves chain 8453, not 42161')
  })

  test('a contract that is not there, and a sender without coin', async () => {
    const { find } = await doctor({
      ANCHOR_CONTRACT: `0x${'11'.repeat(20)}`,
      ANCHOR_PRIVATE_KEY: `0x${'77'.repeat(32)}`,
    })
    expect(find('anchor')).toMatchObject({ verdict: 'problem' })
    expect(find('anchor')?.remedy).toContain('quittance anchor deploy')
    expect(find('anchor sender')).toMatchObject({ verdict: 'problem' })
  })

  test('a sender without coin before there is a contract, so that it can be funded to deploy one', async () => {
    const before = { ANCHOR_CONTRACT: '' }
    const poor = await doctor({ ...before, ANCHOR_PRIVATE_KEY: `0x${'77'.repeat(32)}` })
    expect(poor.find('anchor')).toMatchObject({
      verdict: 'note',
      detail: 'receipts wait: ANCHOR_CONTRACT is not set, and `quittance anchor deploy` makes one',
    })
    expect(poor.find('anchor sender')).toMatchObject({
      verdict: 'problem',
      detail: expect.stringMatching(/^0x[0-9a-f]{40} has 0 to pay with, and .+ up to 0\.00\d+$/),
      remedy: 'send it some of the coin of chain 8453',
    })
    expect((await doctor(before)).find('anchor sender')).toMatchObject({
      verdict: 'ok',
      detail: node.wallet(3).address.toLowerCase(),
    })
    const { find } = await doctor({ ...before, ANCHOR_RPC_URL: '' })
    expect(find('anchor')?.detail).toBe(
      'receipts wait: ANCHOR_RPC_URL and ANCHOR_CONTRACT are not set',
    )
    expect(find('anchor sender')).toBeUndefined()
  }, 30_000)

  test('a contract that is not the anchor contract', async () => {
    const { find } = await doctor({ ANCHOR_CONTRACT: node.usdc })
    expect(find('anchor')).toMatchObject({
      verdict: 'problem',
      detail: `there is another contract at ${node.usdc} on chain 8453`,
    })
  })

  test('an anchoring key or a facilitator’s that cannot pay for one transaction, or not for a hundred', async () => {
    const { address, privateKey } = node.wallet(5)
    const over = { ANCHOR_PRIVATE_KEY: privateKey, FACILITATOR_EVM_PRIVATE_KEY: privateKey }
    const whats = ['anchor sender', 'base facilitator']
    const hold = (wei: bigint) => node.rpc('anvil_setBalance', [address, `0x${wei.toString(16)}`])
    await hold(1n)
    const poor = await doctor(over)
    for (const what of whats) {
      expect(poor.find(what)).toMatchObject({ what, verdict: 'problem' })
      expect(poor.find(what)?.detail).toMatch(
        new RegExp(
          `^${address} has 0\\.0{17}1 to pay with, and a transaction takes up to 0\\.000`,
          'i',
        ),
      )
      expect(poor.find(what)?.remedy).toStartWith('send it some of the coin of ')
    }
    await hold(10n ** 15n)
    const short = await doctor(over)
    for (const what of whats) {
      expect(short.find(what)).toMatchObject({ what, verdict: 'note' })
      expect(short.find(what)?.detail).toMatch(/ has 0\.001 to pay with, .+ for \d+ transactions$/)
    }
    await hold(10n ** 18n)
    const well = await doctor(over)
    for (const what of whats) expect(well.find(what)).toMatchObject({ what, verdict: 'ok' })
  }, 30_000)

  test('nothing of a facilitator’s key where it would not send', async () => {
    const key = { FACILITATOR_EVM_PRIVATE_KEY: `0x${'77'.repeat(32)}` }
    expect((await doctor(key)).find('base facilitator')).toMatchObject({ verdict: 'problem' })
    for (const over of [{ X402_FACILITATOR_URL: 'http://127.0.0.1:1' }, { BASE_WALLET: '' }])
      expect((await doctor({ ...key, ...over })).find('base facilitator')).toBeUndefined()
  }, 30_000)

  test('that a remote facilitator takes no payments on a chain without a node', async () => {
    const { find } = await doctor({ X402_FACILITATOR_URL: 'http://127.0.0.1:1' })
    expect(find('polygon')).toMatchObject({
      verdict: 'note',
      detail:
        'not watched: POLYGON_RPC_URL is not set; X402_FACILITATOR_URL takes no payments there',
    })
  })

  test('events that wait for what another anchoring key has signed, on this chain or another', async () => {
    const [before, elsewhere] = [node.wallet(4).address.toLowerCase(), `0x${'22'.repeat(20)}`]
    await tieEvent(before, 8453)
    await tieEvent(elsewhere, 137)
    await tieEvent(node.wallet(3).address.toLowerCase(), 8453)
    const { problems } = await doctor()
    const ties = problems.filter(({ what }) => what === 'anchor transactions')
    expect(ties.map(({ detail }) => detail)).toEqual([
      `1 event(s) are tied to transactions of ${elsewhere} on chain 137`,
      `1 event(s) are tied to transactions of ${before} on chain 8453`,
    ])
    expect(ties[0]?.remedy).toContain('back to those of chain 137')
    expect(ties[1]?.remedy).toContain(`send ${before} some coin`)
    await database.sql`truncate anchors, anchor_transactions`
  })

  describe.skipIf(!hasRedis)('of Redis', () => {
    test('that it may throw jobs away, or is gone', async () => {
      const redis = await startRedis()
      const url = { REDIS_URL: redis.url }
      const well = await doctor(url)
      expect(well.find('Redis')).toMatchObject({ verdict: 'ok', detail: 'noeviction' })
      expect(well.find('Redis log')).toMatchObject({ verdict: 'ok', detail: 'append-only file' })
      await send(redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
      await send(redis, 'CONFIG', 'SET', 'appendonly', 'no')
      const ill = await doctor(url)
      expect(ill.find('Redis')).toMatchObject({ verdict: 'problem' })
      expect(ill.find('Redis')?.detail).toContain('allkeys-lru')
      expect(ill.find('Redis log')).toMatchObject({ verdict: 'note' })
      await redis.stop()
      const gone = (await doctor(url)).find('Redis')
      expect(gone).toMatchObject({ verdict: 'problem' })
      expect(gone?.detail).toContain('ECONNREFUSED')
    }, 30_000)

    test('the same where it has no CONFIG, as with a provider', async () => {
      const redis = await startRedis('--rename-command', 'CONFIG', '')
      await expect(send(redis, 'CONFIG', 'GET', 'appendonly')).rejects.toThrow('unknown command')
      const { find } = await doctor({ REDIS_URL: redis.url })
      expect(find('Redis')).toMatchObject({ verdict: 'ok', detail: 'noeviction' })
      expect(find('Redis log')).toMatchObject({ verdict: 'ok' })
      await redis.stop()
    })

    test('that its user may not ask for what the workers ask', async () => {
      const redis = await startRedis()
      await send(redis, 'ACL', 'SETUSER', 'quittance', 'on', 'nopass', '~*', '+@all', '-info')
      const url = redis.url.replace('//', '//quittance:any@')
      expect((await doctor({ REDIS_URL: url })).find('Redis')).toMatchObject({
        verdict: 'problem',
        detail: expect.stringContaining('NOPERM'),
        remedy: expect.stringContaining('INFO'),
      })
      await redis.stop()
    })

    test('that it refuses what is written', async () => {
      const redis = await startRedis('--maxmemory', '1')
      const { find } = await doctor({ REDIS_URL: redis.url })
      expect(find('Redis')).toMatchObject({
        verdict: 'problem',
        detail: expect.stringContaining('it refuses writes: OOM'),
        remedy: expect.stringContaining('maxmemory'),
      })
      await redis.stop()
    })

    test('that it has not the database that is named', async () => {
      const redis = await startRedis('--databases', '2')
      expect((await doctor({ REDIS_URL: `${redis.url}/1` })).find('Redis')?.verdict).toBe('ok')
      expect((await doctor({ REDIS_URL: `${redis.url}/2` })).find('Redis')).toMatchObject({
        verdict: 'problem',
        detail: 'ERR DB index is out of range',
        remedy: 'name a database that it has in REDIS_URL',
      })
      await redis.stop()
    })

    test('that it wants another password, told from a database that it has not', async () => {
      // Old servers have no HELLO, and refuse what comes next.
      for (const settings of [[], ['--rename-command', 'HELLO', '']]) {
        const redis = await startRedis('--requirepass', 'secret', ...settings)
        for (const part of ['//', '//:wrong@']) {
          const url = `${redis.url.replace('//', part)}/1`
          expect((await doctor({ REDIS_URL: url })).find('Redis')).toMatchObject({
            verdict: 'problem',
            detail: expect.stringMatching(/^(NOAUTH|WRONGPASS)/),
            remedy: 'correct the user or the password in REDIS_URL',
          })
        }
        await redis.stop()
      }
    })

    test('that its user may not name a database', async () => {
      const redis = await startRedis()
      await send(redis, 'ACL', 'SETUSER', 'quittance', 'on', 'nopass', '~*', '+@all', '-select')
      const url = `${redis.url.replace('//', '//quittance:any@')}/1`
      expect((await doctor({ REDIS_URL: url })).find('Redis')).toMatchObject({
        verdict: 'problem',
        detail: expect.stringContaining('NOPERM'),
        remedy: 'allow its user SELECT, or name no database in REDIS_URL',
      })
      await redis.stop()
    })

    test('that it is a replica', async () => {
      const redis = await startRedis('--replicaof', '127.0.0.1', '1')
      expect((await doctor({ REDIS_URL: redis.url })).find('Redis')).toMatchObject({
        verdict: 'problem',
        detail: 'it is a replica',
        remedy: 'name the primary in REDIS_URL',
      })
      await redis.stop()
    })
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
