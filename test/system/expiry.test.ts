import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { eventually } from '../support/wait.ts'

let app: TestApp

beforeAll(async () => {
  app = await testApp()
})

afterAll(() => app.stop())

test('an invoice fails as expired soon after its due date, long before the next sweep', async () => {
  const created = await app.send('POST', '/v1/invoices', {
    amount: 12.5,
    currency: 'USDC',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
    dueAt: new Date(Date.now() + 300).toISOString(),
  })
  expect(created.json.data.status).toBe('PENDING')
  const path = `/v1/invoices/${created.json.data.id}`
  await eventually(async () => (await app.send('GET', path)).json.data.status === 'FAILED', 4_000)
})
