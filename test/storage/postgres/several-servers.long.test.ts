import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { serverFindings } from '../../../src/operator/doctor/servers.ts'
import { postgresBackend } from '../../../src/queues/backends/postgres.ts'
import { connect, type Sql, within } from '../../../src/storage/postgres/db.ts'
import { startTcpRelay, type TcpRelay } from '../../support/tcp-relay.ts'
import { useWorld } from '../../support/world.ts'

/** Two doors to one server stand for two servers; test/faults has real ones. */

const { database } = useWorld({ service: 'none' })
const silent = { warn() {}, error() {} }
let [one, two]: TcpRelay[] = []

beforeAll(async () => {
  const port = Number(new URL(database.url).port)
  ;[one, two] = [await startTcpRelay(port), await startTcpRelay(port)]
})
afterAll(() => {
  for (const relay of [one, two]) relay?.stop()
})

function url(): string {
  const { username, password, pathname } = new URL(database.url)
  return `postgres://${username}:${password}@127.0.0.1:${one?.port},127.0.0.1:${two?.port}${pathname}?target_session_attrs=read-write`
}

async function answered(sql: Sql): Promise<number> {
  const startedMs = performance.now()
  await within(() => sql`select 1`)
  return performance.now() - startedMs
}

describe('of several servers', () => {
  test('one that is down is passed over, there and back, without a refused statement', async () => {
    const sql = connect(url(), { max: 2, name: 'several' })
    for (const [down, up] of [
      [one, two],
      [two, one],
    ]) {
      down?.cut()
      up?.heal()
      await Bun.sleep(50)
      await answered(sql)
    }
    one?.heal()
    two?.heal()
    await sql.end({ timeout: 1 })
  })

  test('one that is silent is left by every connection once another has been found', async () => {
    const idle = connect(url(), { max: 1, name: 'idle' })
    const backend = await postgresBackend(url(), silent)
    const queue = backend.openQueue('several')
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const process = async () => resolve()
    const worker = backend.openWorker('several', { concurrency: 1, process, onFailed() {} })
    void worker.run()
    await Promise.all([answered(idle), queue.getJobCounts('waiting')])
    one?.stall()
    const other = connect(url(), { max: 1, name: 'other' })
    await answered(other)
    await Bun.sleep(1_200)
    expect(await answered(idle)).toBeLessThan(4_000)
    const addedMs = performance.now()
    await queue.add('job', {})
    await done
    expect(performance.now() - addedMs).toBeLessThan(7_000)
    one?.heal()
    await worker.close()
    await queue.close()
    await backend.close()
    for (const sql of [idle, other]) await sql.end({ timeout: 1 })
  })

  test('the doctor says what each is', async () => {
    one?.cut()
    expect(await serverFindings(url(), database.sql)).toMatchObject([
      { verdict: 'problem', detail: expect.stringContaining(`127.0.0.1:${one?.port}`) },
      { verdict: 'ok', detail: `127.0.0.1:${two?.port} takes writes` },
      { verdict: 'note', what: 'standby' },
    ])
    one?.heal()
    expect(await serverFindings(database.url, database.sql)).toEqual([])
  })

  test('all may be down: a statement is refused at once', async () => {
    one?.stop()
    two?.stop()
    const sql = connect(url(), { max: 1, name: 'none' })
    const error = await within(() => sql`select 1`).catch((error) => error)
    expect(error).toMatchObject({
      reason: 'unavailable',
      operatorText: expect.not.stringContaining('no answer'),
    })
    await sql.end({ timeout: 1 })
  })
})
