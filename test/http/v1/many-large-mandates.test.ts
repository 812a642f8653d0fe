import { expect, test } from 'bun:test'
import type { Answer } from '../../support/app.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

test('of large mandates fewer wait to be committed than of small ones, since they are in memory', async () => {
  const { sql } = app.database
  const lock = await sql.reserve()
  await lock`begin`
  await lock`set local idle_in_transaction_session_timeout = 0`
  await lock`lock table mandates`
  const free = { a: 'x'.repeat(65_000) }
  const parties = { proposer: 'agent:a', counterparty: 'agent:b', scope: 'work' }
  const body = JSON.stringify({
    ...parties,
    terms: free,
    context: free,
    expiry: '2100-01-01T00:00Z',
  })
  const answers: Answer[] = []
  const propose = async () => answers.push(await app.send('POST', '/v1/mandates', body))
  const proposals = Array.from({ length: 200 }, propose)
  const overloaded = 'The service is overloaded; try again shortly'
  const refused = () => answers.filter(({ json }) => json.error?.message === overloaded)
  // A batch is being committed, and 65 of the largest fill the room of an account behind it.
  await eventually(() => refused().length >= 200 - 64 - 65)
  await lock`rollback`
  lock.release()
  await Promise.all(proposals)
  expect((await app.send('POST', '/v1/mandates', body)).status).toBe(201)
})
