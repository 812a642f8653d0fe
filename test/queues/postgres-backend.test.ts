import { expect, test } from 'bun:test'
import { postgresBackend } from '../../src/queues/postgres-backend.ts'
import { testDatabase } from '../support/postgres.ts'
import { eventually } from '../support/wait.ts'

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
