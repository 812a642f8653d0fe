import { expect, test } from 'bun:test'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const creations = [
  [
    '/v1/invoices',
    {
      amount: 1,
      currency: 'USDC',
      chain: 'base',
      customerName: 'Ada',
      customerEmail: 'a@b.example',
    },
  ],
  ['/api/webhooks', { url: 'http://127.0.0.1:9/hooks', events: ['invoice.settled'] }],
  ['/api/budget/check', { agentId: 'agent', amount: 1, reserve: true }],
  ['/api/keys', { name: 'another' }],
  [
    '/v1/mandates',
    { proposer: 'a', counterparty: 'b', scope: 'c', terms: {}, expiry: '2099-12-31T00:00:00Z' },
  ],
] as const

/** Makes an idempotency key this many hours old. */
async function age(key: string, hours: number): Promise<void> {
  await app.database
    .sql`update idempotency_keys set created_at = now() - ${hours} * interval '1 hour' where key = ${key}`
}

test.each(creations)(
  'a key of %s counts as unused once its 24 hours are over, though nobody has removed it',
  async (path, body) => {
    await app.send('PUT', '/api/budget/agent', { limit: 100 })
    const key = crypto.randomUUID()
    const send = () => app.send('POST', path, body, { 'idempotency-key': key })
    const first = await send()
    expect(first.status).toBeOneOf([200, 201])
    await age(key, 23.9)
    expect((await send()).headers.get('idempotent-replayed')).toBe('true')
    await age(key, 24.1)
    const answers = await Promise.all([send(), send(), send()])
    // One request creates again; the others are replays, or came while it was being processed.
    const made = answers.filter(
      ({ status, headers }) => status !== 409 && !headers.has('idempotent-replayed'),
    )
    expect(made.map(({ status }) => status)).toEqual([first.status])
    expect(made[0]?.text).not.toBe(first.text)
    expect((await send()).headers.get('idempotent-replayed')).toBe('true')
    const rows = await app.database.sql`select from idempotency_keys where key = ${key}`
    expect(rows).toHaveLength(1)
  },
)
