import { beforeAll, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../src/operator/accounts.ts'
import { revokeKey, touchLastUsed } from '../../../src/storage/accounts/api-keys.ts'
import { listAudit } from '../../../src/storage/accounts/audit.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
let accountId: string
let keyId: string

beforeAll(async () => {
  accountId = app.account.account.id
  keyId = (
    await app.database
      .sql`select id from api_keys where account_id = ${accountId} and hint like 'sk_%'`
  )[0]?.id
})

/** The audit entries that `work` writes, oldest first, without ids and times. */
async function entriesOf(work: () => Promise<unknown>) {
  const [last] = await listAudit(app.database.sql, { accountId, before: null, limit: 1 })
  await work()
  const entries = await listAudit(app.database.sql, { accountId, before: null, limit: 100 })
  return entries
    .filter(({ id }) => BigInt(id) > BigInt(last?.id ?? 0))
    .map(({ id: _, at: __, accountId: ___, ...entry }) => entry)
    .reverse()
}

const send = (method: string, path: string, body: unknown, requestId: string) =>
  app.send(method, path, body, { 'x-request-id': requestId })

describe('webhooks', () => {
  const url = 'http://127.0.0.1:1/hook'
  const created = { url, events: ['invoice.paid'], active: true, disabled_reason: null }

  test('making, changing, rotating and deleting one each say who asked for it and what it was before', async () => {
    let id = ''
    const entries = await entriesOf(async () => {
      const body = { url, events: ['invoice.paid'], secret: 'a-secret-of-the-receiver' }
      id = (await send('POST', '/v1/webhooks', body, 'made')).json.data.id
      await send('PATCH', `/v1/webhooks/${id}`, { active: false }, 'paused')
      await send('POST', `/v1/webhooks/${id}/rotate-secret`, undefined, 'rotated')
      await send('DELETE', `/v1/webhooks/${id}`, undefined, 'deleted')
    })
    const about = { kind: 'webhook', subjectId: id, actor: `key:${keyId}` } as const
    const paused = { ...created, active: false }
    expect(entries).toEqual([
      { ...about, action: 'created', requestId: 'made', before: null, after: created },
      { ...about, action: 'changed', requestId: 'paused', before: created, after: paused },
      { ...about, action: 'secret_rotated', requestId: 'rotated', before: paused, after: paused },
      { ...about, action: 'deleted', requestId: 'deleted', before: paused, after: paused },
    ])
    const [row] = await app.database
      .sql`select string_agg(audit_log::text, '') as text from audit_log`
    expect(row?.text).not.toContain('a-secret-of')
    expect(row?.text).not.toContain('sealed')
  })

  test('a change that was refused leaves nothing', async () => {
    const body = { url: 'http://169.254.169.254/', events: ['invoice.paid'] }
    expect(await entriesOf(() => send('POST', '/v1/webhooks', body, 'refused'))).toEqual([])
  })
})

describe('budgets', () => {
  test('setting the terms leaves an entry, what agents spend under them leaves none', async () => {
    const entries = await entriesOf(async () => {
      await send('PUT', '/api/budget/agent-1', { limit: 1_000 }, 'set')
      await send(
        'POST',
        '/api/budget/check',
        { agentId: 'agent-1', amount: 5, reserve: true },
        'held',
      )
      await send('PUT', '/api/budget/agent-1', { limit: 2_000 }, 'raised')
    })
    const about = { kind: 'budget', subjectId: 'agent-1', actor: `key:${keyId}` } as const
    const terms = {
      currency: 'USD',
      period: 'month',
      limit_minor: 1_000,
      per_transaction_minor: null,
      active: true,
    }
    const raised = { ...terms, limit_minor: 2_000 }
    expect(entries).toEqual([
      { ...about, action: 'created', requestId: 'set', before: null, after: terms },
      { ...about, action: 'changed', requestId: 'raised', before: terms, after: raised },
    ])
  })

  test('many at once, committed by one statement, each name their own request', async () => {
    const agents = Array.from({ length: 20 }, (_, at) => `crowd-${at}`)
    const entries = await entriesOf(() =>
      Promise.all(
        agents.map((agent) => send('PUT', `/api/budget/${agent}`, { limit: 1 }, `for-${agent}`)),
      ),
    )
    expect(entries.map(({ subjectId, requestId }) => [subjectId, requestId]).sort()).toEqual(
      agents.map((agent) => [agent, `for-${agent}`]).sort(),
    )
  })
})

describe('keys', () => {
  test('making and revoking one leave entries without the key; using it leaves none', async () => {
    const { sql } = app.database
    const by = { keyId, requestId: 'settings' }
    const wanted = { accountId, kind: 'sk_', name: 'new', scopes: ['invoices:read'] } as const
    let made = { id: '', key: '' }
    const entries = await entriesOf(async () => {
      made = await issueKey(sql, wanted, by)
      await touchLastUsed(sql, [{ keyId: made.id, usedAtMs: Date.now() }])
      await revokeKey(sql, accountId, made.id)
    })
    expect(entries).toMatchObject([
      {
        kind: 'key',
        subjectId: made.id,
        action: 'created',
        actor: `key:${keyId}`,
        requestId: 'settings',
      },
      // No key asked for this change.
      {
        kind: 'key',
        subjectId: made.id,
        action: 'revoked',
        actor: 'the service',
        requestId: null,
      },
    ])
    expect(entries[0]?.after).toMatchObject({ name: 'new', scopes: ['invoices:read'] })
    expect(JSON.stringify(entries)).not.toContain(made.key)
  })
})

test('entries are never changed or removed', async () => {
  const { sql } = app.database
  for (const statement of [
    "update audit_log set actor = 'x'",
    'delete from audit_log',
    'truncate audit_log',
  ])
    expect(async () => await sql.unsafe(statement)).toThrow('only ever added to')
})

test('are listed newest first, page by page, of one account or of all', async () => {
  const { sql } = app.database
  const [first, second] = await listAudit(sql, { accountId, before: null, limit: 2 })
  const next = await listAudit(sql, { accountId, before: first?.id ?? null, limit: 1 })
  expect(next).toEqual(second ? [second] : [])
  const all = await listAudit(sql, { accountId: null, before: null, limit: 1_000 })
  const owners = new Set(all.map((entry) => entry.accountId))
  expect(owners).toEqual(new Set([accountId, app.other.account.id]))
})
