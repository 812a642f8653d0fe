import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { eventually } from '../support/wait.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

const body = { amount: 1, currency: 'USDC', customerName: 'A', customerEmail: 'a@example.com' }

async function readiness() {
  const startedMs = performance.now()
  const { status, json } = await app.keyless('GET', '/readyz')
  return { status, problems: json.problems, tookMs: performance.now() - startedMs }
}

/** A scrape does not wait for a check that takes long, but the next one knows what it found. */
const isShownAs = (ready: 0 | 1) =>
  eventually(async () => {
    const { text } = await app.keyless('GET', '/metrics')
    return text.includes(`\nquittance_ready ${ready}\n`)
  })

/** Locks a table until the function it resolves to is called. */
async function lock(table: string): Promise<() => Promise<unknown>> {
  const locked = Promise.withResolvers<void>()
  const unlocked = Promise.withResolvers<void>()
  const ended = app.database.sql.begin(async (sql) => {
    await sql.unsafe(`set local idle_in_transaction_session_timeout = 0; lock table ${table}`)
    locked.resolve()
    await unlocked.promise
  })
  await Promise.race([locked.promise, ended])
  return () => {
    unlocked.resolve()
    return ended
  }
}

/** A write that has just succeeded counts for a moment. */
const untilWritesAreTriedAgain = () => Bun.sleep(300)

test.each(['invoices', 'outbox'])(
  '/readyz is 503 while a lock of %s holds up every write, and 200 once it is gone',
  async (table) => {
    expect((await readiness()).status).toBe(200)
    const unlock = await lock(table)
    await untilWritesAreTriedAgain()
    const [write, found] = await Promise.all([app.send('POST', '/v1/invoices', body), readiness()])
    expect([write.status, found.status]).toEqual([503, 503])
    expect(found.problems).toEqual([expect.stringContaining('longer than their deadline')])
    // Once it is known, it is said sooner.
    const again = await readiness()
    expect([again.status, again.tookMs < 4_000]).toEqual([503, true])
    await isShownAs(0)
    await unlock()
    expect((await readiness()).status).toBe(200)
    await isShownAs(1)
    expect((await app.send('POST', '/v1/invoices', body)).status).toBe(201)
  },
)

test.each(['transfers', 'cursors', 'delivery_batches', 'receipts'])(
  '/readyz is 503 while a lock of %s holds up workers that write, and nobody that reads',
  async (table) => {
    expect((await readiness()).status).toBe(200)
    const unlock = await lock(`${table} in share mode`)
    await untilWritesAreTriedAgain()
    expect((await readiness()).status).toBe(503)
    await unlock()
    expect((await readiness()).status).toBe(200)
  },
)
