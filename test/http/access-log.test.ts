import { afterAll, expect, test } from 'bun:test'
import { createLog } from '../../src/telemetry/log.ts'
import { createdInvoice, testApp } from '../support/app.ts'

const lines: string[] = []
const log = createLog('info', { write: (line: string) => void lines.push(line) })
const app = await testApp({ ACCESS_LOG: 'true' }, undefined, log)
const silent = await testApp({}, undefined, log)
afterAll(async () => void (await Promise.all([app.stop(), silent.stop()])))

function logged() {
  return lines
    .splice(0)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
}

test('ACCESS_LOG writes one line per request, with the account and without the URL', async () => {
  logged()
  const { id } = await createdInvoice(app)
  const read = await app.send('GET', `/v1/invoices/${id}?secret=1`, undefined, {
    'x-request-id': 'mine',
  })
  await app.keyless('GET', '/v1/invoices')
  await app.keyless('GET', `/no/such/${id}`)
  const account = app.account.account.id
  const about = { account, ms: expect.any(Number), requestId: expect.any(String) }
  const [created, ...others] = logged()
  expect(created).toMatchObject({ ...about, method: 'POST', route: '/v1/invoices', status: 201 })
  const bytes = Buffer.byteLength(read.text)
  expect(others).toMatchObject([
    { ...about, route: '/v1/invoices/:id', status: 200, requestId: 'mine', bytes },
    { account: null, method: 'GET', route: '/v1/invoices', status: 401 },
    { account: null, route: '/*', status: 404 },
  ])
  expect(JSON.stringify(others)).not.toContain(id)
})

test('without it, requests are not logged', async () => {
  await createdInvoice(silent)
  expect(logged()).toEqual([])
})
