import { describe, expect, test } from 'bun:test'
import { issueKey } from '../../../src/operator/accounts.ts'
import { revokeKey } from '../../../src/storage/accounts/api-keys.ts'
import { anInvoice, keyWith, testApp } from '../../support/app.ts'
import { aMandate } from '../../support/mandates.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const path = '/dashboard/events'
const patienceMs = 40_000

type Listener = {
  readonly status: number
  readonly headers: Headers
  /** The text received so far. */
  text(): string
  /** Whether the service has closed the stream. */
  hasEnded(): boolean
  stop(): void
}

async function listen(headers: Record<string, string>, of = app): Promise<Listener> {
  const abort = new AbortController()
  const response = await fetch(of.url + path, { headers, signal: abort.signal })
  let text = ''
  let ended = false
  const decoder = new TextDecoder()
  void (async () => {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    ended = true
  })().catch(() => {})
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    hasEnded: () => ended,
    stop: () => abort.abort(),
  }
}

async function sessionOf(key: string, of = app): Promise<Record<string, string>> {
  const { headers } = await of.keyless('POST', '/dashboard/session', undefined, {
    'x-api-key': key,
  })
  return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' }
}

describe('GET /dashboard/events', () => {
  test('200 a stream that tells which invoices of the account have changed, and nothing of others', async () => {
    const own = await listen(await sessionOf(app.account.apiKey))
    const foreign = await listen(await sessionOf(app.other.apiKey))
    expect([own.status, own.headers.get('content-type'), own.headers.get('cache-control')]).toEqual(
      [200, 'text/event-stream; charset=utf-8', 'no-store'],
    )
    const id = await anInvoice(app)
    await app.send('POST', `/api/invoices/${id}/void`)
    const message = `event: invoices\ndata: ["${id}"]\n\n`
    await eventually(() => own.text().includes(message), patienceMs)
    expect(foreign.text()).not.toContain(id)
    own.stop()
    foreign.stop()
  })

  test('200 to a key that may not read invoices the stream tells that some have changed, and not which: an id opens a payment page', async () => {
    const key = await keyWith(app, ['dashboard:read'])
    const looking = await listen(await sessionOf(key))
    const id = await anInvoice(app)
    await eventually(() => looking.text().includes('event:'), patienceMs)
    expect(looking.text()).not.toContain(id)
    expect(looking.text()).toEndWith('event: missed\ndata: {}\n\n')
    looking.stop()
  })

  test('200 the stream tells of mandates and budgets, too, to the account they are of', async () => {
    const own = await listen(await sessionOf(app.account.apiKey))
    const foreign = await listen(await sessionOf(app.other.apiKey))
    await app.send('PUT', '/api/budget/agent-7', { limit: 1_000_000, currency: 'USDC' })
    await eventually(() => own.text().includes('event: budgets\n'), patienceMs)
    await aMandate(app)
    await eventually(() => own.text().includes('event: mandates\n'), patienceMs)
    expect(foreign.text()).not.toContain('event:')
    own.stop()
    foreign.stop()
  })

  test('200 an open stream is kept alive by beats', async () => {
    const listener = await listen(await sessionOf(app.account.apiKey))
    // Longer than the idle timeout of a connection.
    await eventually(() => listener.text().split(': still here').length > 3, patienceMs)
    expect(listener.hasEnded()).toBe(false)
    listener.stop()
  })

  test('401 without a session or key, 403 with a key that lacks dashboard:read', async () => {
    expect((await app.keyless('GET', path)).status).toBe(401)
    const key = await keyWith(app, ['invoices:read'])
    expect((await app.send('GET', path, undefined, { 'x-api-key': key })).status).toBe(403)
  })

  test('429 for the twenty-first stream of an account, until one of them has gone', async () => {
    const owner = await app.newAccount()
    const session = await sessionOf(owner.apiKey)
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(session)))
    expect(listeners.map(({ status }) => status)).toEqual(listeners.map(() => 200))
    const refused = await app.keyless('GET', path, undefined, session)
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMITED'])
    const other = await listen(await sessionOf(app.other.apiKey))
    expect(other.status).toBe(200)
    listeners[0]?.stop()
    await eventually(async () => {
      const again = await listen(session)
      listeners.push(again)
      return again.status === 200
    }, patienceMs)
    for (const listener of [...listeners, other]) listener.stop()
  })

  test('HEAD answers as GET does, and takes none of the streams', async () => {
    const owner = { 'x-api-key': (await app.newAccount()).apiKey }
    for (let n = 0; n < 20; n++) {
      const { status, headers } = await app.keyless('HEAD', path, undefined, owner)
      expect([status, headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ])
    }
    const listener = await listen(owner)
    expect(listener.status).toBe(200)
    listener.stop()
  })

  test('a stream ends with its key, and with the key of its session', async () => {
    const accountId = app.account.account.id
    const wanted = { accountId, kind: 'inv_', name: 'test', scopes: ['dashboard:read'] } as const
    const { id, key } = await issueKey(app.database.sql, wanted)
    const listeners = [await listen(await sessionOf(key)), await listen({ 'x-api-key': key })]
    expect(listeners.map(({ status }) => status)).toEqual([200, 200])
    expect(listeners.some((listener) => listener.hasEnded())).toBe(false)
    await revokeKey(app.database.sql, accountId, id)
    await eventually(() => listeners.every((one) => one.hasEnded()), patienceMs)
  })

  test('all streams end when the service drains, which does not wait for them', async () => {
    const stopping = await testApp({ ROLE: 'http' })
    const listener = await listen(await sessionOf(stopping.account.apiKey, stopping), stopping)
    expect(listener.status).toBe(200)
    await stopping.stop()
    await eventually(() => listener.hasEnded(), patienceMs)
  })
})
