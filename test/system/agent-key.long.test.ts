import { beforeAll, describe, expect, test } from 'bun:test'
import { newKey } from '../../src/domain/accounts/account.ts'
import { requester, type TestApp } from '../support/app.ts'
import { aMandate } from '../support/mandates.ts'
import { callTool, mcpPath, rpc } from '../support/mcp.ts'
import type { Service } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/**
 * An API key passed to a tool as an argument reaches places that headers do not. It must be stored
 * or logged in none of them.
 */

const reason = 'The summary is missing half of the documents'

const { app, start } = useWorld({ env: { ROLE: 'http' } })
let service: Service
/** The app, called through a process that logs at trace level. */
let talkative: TestApp

beforeAll(async () => {
  service = await start({ LOG_LEVEL: 'trace', TRUST_PROXY: 'true' })
  talkative = { ...app, keyless: requester(() => service.url) }
})
describe('a key given to service_dispute_open', () => {
  test('is in no log line, no table and no job afterwards, whatever became of the call', async () => {
    const { id } = await aMandate(app)
    const invented = newKey('sk_', crypto.getRandomValues(new Uint8Array(32)))
    const misspelt = `nearly-${invented.slice(3)}`
    const keys = [app.account.v1Key, app.account.apiKey, app.other.v1Key, invented, misspelt]
    for (const api_key of keys) {
      const args = { mandate_id: id, reason, api_key }
      const answers = [
        await callTool(talkative, 'service_dispute_open', args),
        await callTool(talkative, 'service_dispute_open', { ...args, mandate_id: 'nope' }),
        await rpc(talkative, 'tools/call', {
          name: 'service_dispute_open',
          arguments: { ...args, reason: 5 },
        }),
        await talkative.keyless('POST', mcpPath, `{"api_key":"${api_key}"`),
      ]
      expect(JSON.stringify(answers)).not.toContain(api_key.slice(3))
    }
    await failing(async () => {
      for (const api_key of keys.slice(0, 3)) {
        const { json } = await rpc(talkative, 'tools/call', {
          name: 'service_dispute_open',
          arguments: { mandate_id: `mnd_${Bun.randomUUIDv7()}`, reason, api_key },
        })
        expect(json.error).toEqual({
          code: -32_603,
          message: expect.stringMatching(/^Something went wrong on our side: [\w-]+$/),
        })
      }
    })
    expect(await service.stop()).toBe(0)
    const kept = JSON.stringify(service.lines) + (await everythingIn(app))
    expect(kept).toContain('tool call failed')
    expect(kept).toContain(reason)
    for (const key of keys) expect(kept).not.toContain(key.slice(7))
  })
})

/** Runs `work` while statements about mandates fail with an unexpected error. */
async function failing(work: () => Promise<void>): Promise<void> {
  const { sql } = app.database
  await sql`alter table mandates rename to mandates_elsewhere`
  await work()
  await sql`alter table mandates_elsewhere rename to mandates`
}

/** The text of every row of every table, including those of the queues. */
async function everythingIn({ database: { sql } }: TestApp): Promise<string> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('public', 'bullmq') and table_type = 'BASE TABLE'`
  expect(tables.map(({ schema }) => schema)).toContain('bullmq')
  const texts = await Promise.all(
    tables.map(
      ({ schema, name }) =>
        sql`select coalesce(string_agg(row::text, ' '), '') as text from ${sql(schema)}.${sql(name)} as row`,
    ),
  )
  return JSON.stringify(texts)
}
