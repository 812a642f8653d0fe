import { afterAll, expect, test } from 'bun:test'
import { type ChangeFeed, listenForChanges } from '../../../src/storage/postgres/changes.ts'
import { connect, listening, type Sql } from '../../../src/storage/postgres/db.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
const feeds: ChangeFeed[] = []
const pools: Sql[] = []

afterAll(async () => {
  for (const feed of feeds) await feed.close()
  for (const pool of pools) await pool.end({ timeout: 1 })
})

/** Starts a listener under this name. Answers everything it receives as ids of changed invoices. */
async function listener(name: string): Promise<readonly string[]> {
  const sql = connect(db.url, { max: 1, name: 'feed test' })
  const changed: string[] = []
  const feed = listenForChanges(sql, {
    name,
    steadyMs: () => performance.now(),
    onChanged: (ids) => changed.push(...ids),
    onGap: () => {},
    onFault: () => {},
  })
  pools.push(sql)
  feeds.push(feed)
  await eventually(() => feed.isFresh())
  return changed
}

test('a process whose name is as long as an id is not taken for a changed invoice', async () => {
  const changed = await listener('test')
  await listener('worker-7f9c4d6b8-x2x1q-4711-0a1b2c3d')
  const id = Bun.randomUUIDv7()
  // Notifications arrive in commit order, so the other process's heartbeats come before this one.
  await db.sql`select pg_notify('quittance_invoices', ${id})`
  await eventually(() => changed.includes(id))
  expect(changed).toEqual([id])
})

test('one that is closed while its heartbeat is on its way tells of no fault', async () => {
  const faults: unknown[] = []
  for (let n = 0; n < 5; n++) {
    const sql = connect(db.url, { max: 1, name: 'closed at once' })
    const feed = listenForChanges(sql, {
      name: 'test',
      steadyMs: () => performance.now(),
      onChanged: () => {},
      onGap: () => {},
      onFault: (error) => faults.push(error),
    })
    await feed.close()
    await sql.end({ timeout: 0 })
  }
  expect(faults).toEqual([])
})

test('an outage is one gap, however often connecting failed and whatever else the pool listens for', async () => {
  const sql = connect(db.url, { max: 1, name: 'outage' })
  pools.push(sql)
  let [gaps, gapsOfAnother, faults] = [0, 0, 0]
  const feed = listenForChanges(sql, {
    name: 'test',
    steadyMs: () => performance.now(),
    onChanged: () => {},
    onGap: () => void gaps++,
    onFault: () => void faults++,
  })
  feeds.push(feed)
  await sql.listen(
    'another_channel',
    () => {},
    () => void gapsOfAnother++,
  )
  await eventually(() => feed.isFresh())
  gaps = gapsOfAnother = 0

  const [row] = await db.sql<{ name: string }[]>`select current_database() as name`
  await db.sql.unsafe(`alter database ${row?.name} set default_transaction_read_only = on`)
  await db.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance outage' and datname = current_database()`
  await eventually(() => faults >= 2)
  await db.sql.unsafe(`alter database ${row?.name} reset default_transaction_read_only`)

  await eventually(() => feed.isFresh())
  // One connection listens, in order: this is answered after everything that was queued for it.
  await listening(sql)`select 1`
  expect({ gaps, gapsOfAnother }).toEqual({ gaps: 1, gapsOfAnother: 1 })
})
