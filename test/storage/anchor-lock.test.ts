import { afterAll, beforeAll, expect, test } from 'bun:test'
import { anchorStore } from '../../src/storage/anchors.ts'
import { connect } from '../../src/storage/db.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const sender = { chainId: 8453, address: '0x1' }
let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('a client that vanished is noticed within half a minute, and its locks are free', async () => {
  const [settings] = await database.sql`
    select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
      current_setting('tcp_keepalives_count') as count`
  expect(settings).toEqual({ idle: '10', interval: '5', count: '3' })
})

test('who gets no connection for the lock is told so, and leaves neither a connection nor the lock taken', async () => {
  const sql = connect(database.url, { max: 1, name: 'test' })
  const { asOnlySender } = anchorStore(sql, () => new Date())
  const held = await sql.reserve()
  await expect(asOnlySender(sender, async () => {})).rejects.toThrow('cannot reach its database')
  held.release()
  expect(await asOnlySender(sender, async () => {})).toBe(true)
  const others = anchorStore(database.sql, () => new Date())
  expect(await others.asOnlySender(sender, async () => {})).toBe(true)
  await sql.end()
})

test('of two processes only one sends, and the other one may once that is through', async () => {
  const sql = connect(database.url, { max: 1, name: 'test' })
  const { asOnlySender } = anchorStore(sql, () => new Date())
  const others = anchorStore(database.sql, () => new Date())
  const nested = await others.asOnlySender(sender, async () => {
    expect(await asOnlySender(sender, async () => {})).toBe(false)
  })
  expect(nested).toBe(true)
  expect(await asOnlySender(sender, async () => {})).toBe(true)
  await sql.end()
})
