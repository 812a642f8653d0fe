import { expect, test } from 'bun:test'
import { postgresBackend } from '../../../src/queues/backends/postgres.ts'
import { testDatabase } from '../../support/postgres.ts'
import { eventually } from '../../support/wait.ts'

const quiet = { warn() {}, error() {} }
const names = ['a', 'b', 'c', 'd']

test('all workers of a process listen on one connection, and one that closes leaves it to the others', async () => {
  const database = await testDatabase()
  const backend = await postgresBackend(database.url, quiet)
  const seen: string[] = []
  const process = async ({ queueName }: { queueName: string }) => void seen.push(queueName)
  const workers = names.map((name) =>
    backend.openWorker(name, { concurrency: 1, process, onFailed() {} }),
  )
  for (const worker of workers) void worker.run()
  const listening = () => database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and query like '%LISTEN bullmq_jobs%' and pid <> pg_backend_pid()`
  const eachTakesAJob = async (some: readonly string[]) => {
    seen.length = 0
    for (const name of some) await backend.openQueue(name).add(name, {})
    await eventually(() => seen.length >= some.length)
    expect(seen.toSorted()).toEqual(some.toSorted())
  }

  await eachTakesAJob(names)
  const [only, ...others] = await listening()
  expect([only !== undefined, others]).toEqual([true, []])

  await workers[0]?.close()
  await eachTakesAJob(names.slice(1))

  await database.sql`select pg_terminate_backend(${only?.pid ?? 0})`
  await eventually(async () => (await listening()).some(({ pid }) => pid !== only?.pid))
  await eachTakesAJob(names.slice(1))
  expect(await listening()).toHaveLength(1)

  await Promise.all(workers.map((worker) => worker.close()))
  await backend.close()
  await database.drop()
})

test('a schema all of whose rows were deleted, its record of migrations among them, is made anew by those who start, however many do at once', async () => {
  const database = await testDatabase()
  const first = await postgresBackend(database.url, quiet)
  const tables = await database.sql<{ name: string }[]>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'bullmq'`
  for (const { name } of tables) await database.sql.unsafe(`delete from bullmq.${name}`)

  const others = await Promise.all(
    Array.from({ length: 4 }, () => postgresBackend(database.url, quiet)),
  )
  const done: string[] = []
  const process = async ({ name }: { name: string }) => void done.push(name)
  const worker = others[0]?.openWorker('a', { concurrency: 1, process, onFailed() {} })
  void worker?.run()
  // One that was running meanwhile goes on.
  for (const [at, backend] of [first, ...others].entries())
    await backend.openQueue('a').add(`${at}`, {})
  await eventually(() => done.length >= 5)
  expect(done.toSorted()).toEqual(['0', '1', '2', '3', '4'])

  await worker?.close()
  await Promise.all([first, ...others].map((backend) => backend.close()))
  await database.drop()
})
