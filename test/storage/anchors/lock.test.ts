import { expect, test } from 'bun:test'
import { asOnlySender } from '../../../src/storage/anchors/transactions.ts'
import { connect } from '../../../src/storage/postgres/db.ts'
import type { Holder } from '../../../src/storage/postgres/only-one.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const holder = Bun.fileURLToPath(import.meta.resolve('../../support/anchor-holder.ts'))
const sender = { chainId: 8453, address: '0x1' }
const { database } = useWorld({ service: 'none' })

test('a client that vanished is noticed within half a minute, and its locks are free', async () => {
  const [settings] = await database.sql`
    select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
      current_setting('tcp_keepalives_count') as count`
  expect(settings).toEqual({ idle: '10', interval: '5', count: '3' })
})

test('who gets no connection for the lock is told so, and leaves neither a connection nor the lock taken', async () => {
  const sql = connect(database.url, { max: 1, name: 'test' })
  const held = await sql.reserve()
  await expect(asOnlySender(sql, sender, async () => {})).rejects.toThrow(
    'cannot reach its database',
  )
  held.release()
  expect(await asOnlySender(sql, sender, async () => {})).toBe(true)
  expect(await asOnlySender(database.sql, sender, async () => {})).toBe(true)
  await sql.end()
})

test('of two processes only one sends, and the other one may once that is through', async () => {
  const sql = connect(database.url, { max: 1, name: 'test' })
  const nested = await asOnlySender(database.sql, sender, async () => {
    expect(await asOnlySender(sql, sender, async () => {})).toBe(false)
  })
  expect(nested).toBe(true)
  expect(await asOnlySender(sql, sender, async () => {})).toBe(true)
  await sql.end()
})

test('a frozen process loses the lock, the others are told whose it was, and its end is none the worse', async () => {
  const child = Bun.spawn([process.execPath, '--no-orphans', holder], {
    env: { ...process.env, DATABASE_URL: database.url, SENDER: JSON.stringify(sender) },
    stdin: 'pipe',
    stdout: 'pipe',
  })
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })
  expect((await lines.next()).value).toBe('held\n')
  const [held] = await database.sql`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'quittance holder'`
  child.kill('SIGSTOP')
  const ended: Holder[] = []
  const lock = { mostSilentMs: 500, onFrozen: (frozen: Holder) => void ended.push(frozen) }
  await eventually(() => asOnlySender(database.sql, sender, async () => {}, lock))
  expect(ended[0]).toEqual({
    pid: held?.pid,
    name: 'quittance holder',
    client: '127.0.0.1',
    silentMs: expect.any(Number),
  })
  child.kill('SIGCONT')
  child.stdin.end()
  expect((await lines.next()).value).toBe('done\n')
  expect(await child.exited).toBe(0)
})

test('a process that is slow but alive shows it, and keeps the lock', async () => {
  const lock = { mostSilentMs: 3_000, onFrozen: () => {} }
  const send = (work: () => Promise<void>) => asOnlySender(database.sql, sender, work, lock)
  const lastHeard = async () => {
    const [row] = await database.sql`
      select state_change from pg_stat_activity
      where pid = (select pid from pg_locks join pg_database on oid = database
        where locktype = 'advisory' and datname = current_database())`
    return row?.state_change.getTime()
  }
  const ran = await send(async () => {
    const heardAt = await lastHeard()
    await eventually(async () => (await lastHeard()) > heardAt)
    expect(await send(async () => {})).toBe(false)
  })
  expect(ran).toBe(true)
})
