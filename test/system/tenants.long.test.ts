import { expect, test } from 'bun:test'
import { anInvoice } from '../support/app.ts'
import type { Verdict } from '../support/tcp-relay.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { app, statements } = useWorld({ relayedDatabase: true })

const newKey = async () => (await app.newAccount()).v1Key

function get(path: string, key?: string) {
  return app.keyless('GET', path, undefined, key ? { 'x-api-key': key } : {})
}

/** Keeps every search for buyers from PostgreSQL until `end`, as if each took very long. */
function holdSearches() {
  const held: ((verdict: Verdict) => void)[] = []
  statements.intercept(({ at, text }) =>
    at === 'asked' && text.includes('strpos(lower(')
      ? new Promise((resolve) => held.push(resolve))
      : undefined,
  )
  return {
    held,
    end() {
      statements.intercept(null)
      for (const pass of held) pass('pass')
    },
  }
}

test('an account whose searches take for ever has two of them under way: other accounts, callers without a key and /readyz are answered meanwhile', async () => {
  const [slow, other, another] = await Promise.all([newKey(), newKey(), newKey()])
  const id = await anInvoice(app, {}, other)
  await anInvoice(app, {}, slow)
  const searches = holdSearches()
  const asked = Array.from({ length: 60 }, () => get('/api/invoices?search=zzzz', slow))
  await eventually(async () => searches.held.length >= 2)
  const answers = await Promise.all([
    get(`/v1/invoices/${id}`, other),
    get('/v1/invoices', other),
    get('/v1/invoices?status=PENDING', other),
    get('/v1/mandates', another),
    get('/agent-tools/sections/trust_signals.json'),
    get('/readyz'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(searches.held.length).toBe(2)
  searches.end()
  const found = await Promise.all(asked)
  expect(found.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
  for (const refused of found.filter(({ status }) => status !== 200)) {
    expect(refused.status).toBe(503)
    // Refused at once, or after a turn that did not come.
    expect(['2', '5']).toContain(refused.headers.get('retry-after') ?? '')
  }
})
