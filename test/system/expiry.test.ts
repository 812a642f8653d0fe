import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { eventually, madeInTime } from '../support/wait.ts'

let app: TestApp

beforeAll(async () => {
  app = await testApp()
})

afterAll(() => app.stop())

test('an invoice fails as expired soon after its due date, long before the next sweep', async () => {
  const { made: id } = await madeInTime(async (dueAt) => {
    const { status, json } = await app.send('POST', '/v1/invoices', {
      amount: 12.5,
      currency: 'USDC',
      customerName: 'Ada Example',
      customerEmail: 'ada@example.com',
      dueAt: dueAt.toISOString(),
    })
    if (status !== 201) return null
    expect(json.data.status).toBe('PENDING')
    return json.data.id
  })
  const path = `/v1/invoices/${id}`
  await eventually(async () => (await app.send('GET', path)).json.data.status === 'FAILED')
})
