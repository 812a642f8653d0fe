import { afterAll, describe, expect, test } from 'bun:test'
import { listenForChanges } from '../../../src/storage/postgres/changes.ts'
import { connect, type Sql, within, withoutTimeLimit } from '../../../src/storage/postgres/db.ts'
import { asOnlyOne } from '../../../src/storage/postgres/only-one.ts'
import { startTcpRelay, type TcpRelay } from '../../support/tcp-relay.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })
const relays: TcpRelay[] = []

afterAll(async () => {
  for (const relay of relays) relay.stop()
})

const yes = () => true
const no = () => false

/** The address of the database behind a relay of its own. */
async function relayed(): Promise<{ relay: TcpRelay; url: string }> {
  const address = new URL(database.url)
  const relay = await startTcpRelay(Number(address.port))
  relays.push(relay)
  address.port = `${relay.port}`
  return { relay, url: address.href }
}

describe('a connection that has died without a word', () => {
  for (const [name, max] of [
    ['a lane', 1],
    ['a pool', 4],
  ] as const)
    test.concurrent(`is replaced, be it one of ${name}: statements are answered again`, async () => {
      const { relay, url } = await relayed()
      const sql = connect(url, { max, name: 'silent' })
      const ask = () => within(() => sql`select pg_sleep(0.05)`)
      await Promise.all(Array.from({ length: max }, ask))
      relay.forget()
      const lost = await Promise.allSettled(Array.from({ length: max }, ask))
      expect(lost.map(({ status }) => status)).toEqual(lost.map(() => 'rejected'))
      await eventually(() => ask().then(yes, no))
      await Promise.all(Array.from({ length: max }, ask))
      await sql.end({ timeout: 1 })
    })

  test.concurrent('is replaced while work has reserved it: others may do that work again', async () => {
    const { relay, url } = await relayed()
    const sql = connect(url, { max: 1, name: 'silent' })
    const work = () => asOnlyOne(sql, 'silent work', async () => {})
    expect(await work()).toBe(true)
    relay.forget()
    await expect(work()).rejects.toMatchObject({ reason: 'unavailable' })
    await eventually(() => work().catch(no))
    await sql.end({ timeout: 1 })
  })

  test.concurrent('is replaced where only notifications come: changes are heard again, and the gap is known', async () => {
    const { relay, url } = await relayed()
    const sql = connect(url, { max: 1, name: 'silent' })
    const heard: string[] = []
    let gaps = 0
    const feed = listenForChanges(sql, {
      name: 'test',
      steadyMs: () => performance.now(),
      onChanged: (ids) => heard.push(...ids),
      onGap: () => void gaps++,
      onFault: () => {},
    })
    await eventually(() => feed.isFresh())
    relay.forget()
    await eventually(() => !feed.isFresh())
    await eventually(() => feed.isFresh())
    expect(gaps).toBeGreaterThan(1)
    const id = Bun.randomUUIDv7()
    await database.sql`select pg_notify('quittance_invoices', ${id})`
    await eventually(() => heard.includes(id))
    await feed.close()
    await sql.end({ timeout: 1 })
  })
})

describe('a connection that is merely slow', () => {
  const pidOf = async (sql: Sql) =>
    (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid

  test.concurrent('is kept: what takes too long is cancelled by PostgreSQL, and others go on', async () => {
    const sql = connect(database.url, { max: 1, name: 'slow' })
    const before = await pidOf(sql)
    const slow = ['first', 'second', 'third'].map(
      (name) => sql`select pg_sleep(8), ${name}::text as name`,
    )
    const outcomes = await Promise.allSettled(slow)
    expect(outcomes).toMatchObject(slow.map(() => ({ reason: { code: '57014' } })))
    expect(await pidOf(sql)).toBe(before)
    await sql.end({ timeout: 1 })
  })

  const unhurried = () => connect(database.url, { max: 1, name: 'slow', limitMs: 3_600_000 })
  test.concurrent.each([
    ['an hour', unhurried],
    ['as long as it needs', () => withoutTimeLimit(unhurried())],
  ])('is kept where a statement may take %s', async (_long, open) => {
    const sql = open()
    const before = await pidOf(sql)
    await sql`select pg_sleep(11)`
    expect(await pidOf(sql)).toBe(before)
    await sql.end({ timeout: 1 })
  })
})
