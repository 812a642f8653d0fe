import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createReadiness, readReadiness } from '../../src/actors/readiness.ts'
import { readConfig } from '../../src/config/config.ts'
import { noteWatch } from '../../src/storage/settlement/chain-watches.ts'
import { testEnv } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { rowsRead } from '../support/rows-read.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('a chain that is watched and makes no blocks any more is named, and the service is ready all the same', async () => {
  const url = 'http://127.0.0.1:1'
  const config = readConfig(testEnv(database.url, { BASE_RPC_URL: url, SKALE_RPC_URL: url }))
  const headOf = (ageMs: number) => ({
    head: { number: 7, timestampMs: Date.now() - ageMs },
    caughtUpAt: null,
  })
  await noteWatch(database.sql, 'base', headOf(180_000))
  await noteWatch(database.sql, 'skale', headOf(60_000))
  const { problems, notes } = await readReadiness(config, database.sql)
  expect(problems).toEqual([])
  expect(notes.filter((note) => note.includes('stands still'))).toEqual([
    expect.stringMatching(/^base stands still: its newest block is 18\d s old$/),
  ])
})

test('a chain with a long poll interval is not said to stand still', async () => {
  const over = { BASE_RPC_URL: 'http://127.0.0.1:1', BASE_POLL_MS: '600000' }
  const config = readConfig(testEnv(database.url, over))
  const standing = async (polledSecondsAgo: number, headSecondsAgo: number) => {
    await database.sql`
      insert into chain_watches (chain, polled_at, head_number, head_at, updated_at)
      values ('base', now() - ${polledSecondsAgo} * interval '1 s', 7, now() - ${headSecondsAgo} * interval '1 s', now())
      on conflict (chain) do update set polled_at = excluded.polled_at, head_at = excluded.head_at`
    const { notes } = await readReadiness(config, database.sql)
    return notes.filter((note) => note.includes('stands still'))
  }
  expect(await standing(590, 595)).toEqual([])
  expect(await standing(590, 715)).toEqual([
    expect.stringMatching(/^base stands still: its newest block is 71\d s old$/),
  ])
})

test('chains without a node are named, and that a remote facilitator takes no payments there', async () => {
  async function unwatched(over: Record<string, string>) {
    const { notes } = await readReadiness(readConfig(testEnv(database.url, over)), database.sql)
    return notes.filter((note) => note.startsWith('not watched: '))
  }
  const chains = 'polygon, arbitrum, solana, skale, ethereum'
  const onBase = { BASE_RPC_URL: 'http://127.0.0.1:1' }
  expect(await unwatched(onBase)).toEqual([`not watched: ${chains} (no RPC URL)`])
  expect(await unwatched({ ...onBase, X402_FACILITATOR_URL: 'http://127.0.0.1:1' })).toEqual([
    `not watched: ${chains} (no RPC URL); X402_FACILITATOR_URL takes no payments there`,
  ])
})

test('a variable is named that was probably meant for another', async () => {
  const config = readConfig(testEnv(database.url, { BASE_RPC_URLS: 'http://127.0.0.1:1' }))
  const { notes } = await readReadiness(config, database.sql)
  expect(notes).toContain('BASE_RPC_URLS is not a known variable: is BASE_RPC_URL meant?')
})

test('a chain whose last step succeeded is not called out of reach when its worker stops', async () => {
  const over = { BASE_RPC_URL: 'http://127.0.0.1:1', POLYGON_RPC_URL: 'http://127.0.0.1:1' }
  const config = readConfig(testEnv(database.url, over))
  await database.sql`
    insert into chain_watches (chain, polled_at, head_number, head_at, fault, updated_at)
    values ('base', now() - interval '95 s', 7, now() - interval '96 s', null, now()),
      ('polygon', now() - interval '95 s', 7, now() - interval '96 s', 'unreachable', now())
    on conflict (chain) do update set polled_at = excluded.polled_at, head_at = excluded.head_at`
  const { problems, notes } = await readReadiness(config, database.sql)
  expect(problems).toEqual([])
  expect(notes.filter((note) => /^(?:base|polygon)/.test(note))).toEqual([
    expect.stringMatching(/^base: no worker has read it for 9\d s$/),
    'polygon is out of reach: unreachable',
  ])
})

test('a worker that could anchor but for the key says so, and no process that needs none', async () => {
  const anchor = { ANCHOR_RPC_URL: 'http://127.0.0.1:1', ANCHOR_CONTRACT: `0x${'a'.repeat(40)}` }
  async function notesOf(over: Record<string, string>) {
    const config = readConfig({ ...testEnv(database.url, over), ...anchor, ...over })
    const { notes } = await readReadiness(config, database.sql)
    return notes.filter((note) => note.includes('anchor'))
  }
  const missing = ['this process will not anchor: ANCHOR_PRIVATE_KEY is missing']
  expect(await notesOf({ ANCHOR_PRIVATE_KEY: '' })).toEqual(missing)
  expect(await notesOf({ ANCHOR_PRIVATE_KEY: '', ROLE: 'worker' })).toEqual(missing)
  expect(await notesOf({ ANCHOR_PRIVATE_KEY: '', ROLE: 'worker', QUEUES: 'deliver' })).toEqual([])
  expect(await notesOf({ ANCHOR_PRIVATE_KEY: '', ROLE: 'http' })).toEqual([])
  expect(await notesOf({ ANCHOR_PRIVATE_KEY: `0x${'ab'.repeat(32)}` })).toEqual([])
  expect(await notesOf({ DATABASE_URL: '' })).toEqual([])
})

test('concurrent callers share one read, and the next caller gets a new one', async () => {
  const config = readConfig(testEnv(database.url, { BASE_RPC_URL: 'http://127.0.0.1:1' }))
  await noteWatch(database.sql, 'base', { fault: null })
  const readFor = (askers: number) =>
    rowsRead(database, 'chain_watches', (sql) => {
      const look = createReadiness(config, sql)
      return Promise.all(Array.from({ length: askers }, look))
    })
  expect(await readFor(1_000)).toBe(await readFor(1))
  const look = createReadiness(config, database.sql)
  const faultOf = async () => (await look()).chains.find(({ chain }) => chain === 'base')?.fault
  await noteWatch(database.sql, 'base', { fault: 'unreachable' })
  expect(await faultOf()).toBe('unreachable')
  await noteWatch(database.sql, 'base', { fault: 'mistaken' })
  expect(await faultOf()).toBe('mistaken')
})
