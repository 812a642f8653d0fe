import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { scopes } from '../../src/domain/accounts/scopes.ts'
import { keyWith, type TestApp, testApp } from '../support/app.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { eventually } from '../support/wait.ts'

const backends = ['PostgreSQL', ...(hasRedis ? ['Redis'] : [])]
const board = '/admin/queues'

describe.each(backends)('the queue board on %s', (backend) => {
  let redis: TestRedis | null
  let app: TestApp
  let admin: Record<string, string>
  let jobId: string

  beforeAll(async () => {
    redis = backend === 'Redis' ? await startRedis() : null
    // No worker runs, so jobs stay in the queues.
    app = await testApp({ ROLE: 'http', ...(redis && { REDIS_URL: redis.url }) })
    admin = { 'x-api-key': await keyWith(app, ['admin']) }
    const { json } = await app.send('POST', '/v1/invoices', {
      amount: 1,
      currency: 'USDC',
      customerName: 'Ada Example',
      customerEmail: 'ada@example.com',
      dueAt: new Date(Date.now() + 3_600_000).toISOString(),
    })
    jobId = `expiry-${json.data.id}`
  })
  afterAll(async () => {
    await app.stop()
    await redis?.stop()
  })

  const get = (path: string, headers = admin) =>
    app.keyless('GET', board + path, undefined, headers)

  test('is a page of our own server only', async () => {
    const { status, headers, text } = await get('')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<title>Quittance queues</title>')
    expect(text).toContain(`<base href="${board}/"`)
    expect(text).not.toContain('https://')
    expect(text).not.toContain('<%')
    const assets = [...text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, path]) => path)
    expect(assets.length).toBeGreaterThan(3)
    for (const asset of assets) expect((await get(`/${asset}`)).status).toBe(200)
  })

  test('shows every queue, and the jobs that wait in them', async () => {
    // The request that causes the job is answered without waiting for it.
    await eventually(async () => (await get(`/api/queues/expiry/${jobId}`)).status === 200)
    const { status, json } = await get('/api/queues?activeQueue=expiry&status=delayed&page=1')
    expect(status).toBe(200)
    const names = json.queues.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['outbox', 'deliver', 'anchor', 'expiry', 'watch-base']),
    )
    const expiry = json.queues.find(({ name }: { name: string }) => name === 'expiry')
    // Not `false`: the board would say that nobody works.
    expect(expiry).toMatchObject({ readOnlyMode: true, counts: { delayed: 1 }, hasWorkers: null })
    expect(expiry.jobs).toMatchObject([{ id: jobId }])
    expect((await get(`/api/queues/expiry/${jobId}`)).json.job).toMatchObject({ id: jobId })
  })

  test('shows nothing that is not there, and no file beside its own', async () => {
    expect((await get('/api/queues/nothing/1')).status).toBe(404)
    expect((await get('/api/nothing')).status).toBe(404)
    expect((await get('/api/queues/expiry/%00')).status).toBe(404)
    expect((await get('/static/nothing.js')).status).toBe(404)
    expect((await get('/static/..%2f..%2f..%2fpackage.json')).status).toBe(404)
    expect((await get('/static/..%5c..%5cpackage.json')).status).toBe(404)
    expect((await get('/static/')).status).toBe(404)
  })

  test('cannot be made to change anything', async () => {
    for (const path of [
      `/api/queues/expiry/${jobId}/clean`,
      '/api/queues/expiry/obliterate',
      '/api/queues/pause',
    ]) {
      const { status } = await app.keyless('PUT', board + path, undefined, admin)
      expect([404, 405]).toContain(status)
    }
    expect((await get(`/api/queues/expiry/${jobId}`)).status).toBe(200)
  })

  test('asks a browser for the key, and takes no other than one with admin', async () => {
    const nobody = await get('', {})
    expect([nobody.status, nobody.json.error.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(nobody.headers.get('www-authenticate')).toStartWith('Basic realm=')
    const wrong = { authorization: `Basic ${Buffer.from('operator:guess').toString('base64')}` }
    expect((await get('', wrong)).status).toBe(401)
    const tenant = await keyWith(
      app,
      scopes.filter((scope) => scope !== 'admin'),
    )
    expect((await get('/api/queues', { 'x-api-key': tenant })).status).toBe(403)
    const password = Buffer.from(`operator:${admin['x-api-key']}`).toString('base64')
    expect((await get('/api/queues', { authorization: `Basic ${password}` })).status).toBe(200)
  })
})
