import { beforeAll, expect, test } from 'bun:test'
import { anInvoice, keyWith } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
let id: string

beforeAll(async () => {
  id = await anInvoice(app)
})

const timeline = (of = id, headers = {}) =>
  app.send('GET', `/api/invoices/${of}/timeline`, undefined, headers)

test('200 what happened so far, oldest first', async () => {
  await app.send('POST', `/api/invoices/${id}/send`)
  await app.send('POST', `/api/invoices/${id}/void`)
  const step = { createdAt: expect.any(String), txHash: null, reason: null }
  const { status, json } = await timeline()
  expect([status, json]).toEqual([
    200,
    {
      data: [
        { ...step, sequence: 1, type: 'invoice.created' },
        { ...step, sequence: 2, type: 'invoice.sent' },
        { ...step, sequence: 3, type: 'invoice.failed', reason: 'voided' },
      ],
      transfers: [],
    },
  ])
})

test('401 without a key, 403 with one that may not read invoices, 404 for another account and for none', async () => {
  expect((await app.keyless('GET', `/api/invoices/${id}/timeline`)).status).toBe(401)
  const key = await keyWith(app, ['invoices:write'])
  expect((await timeline(id, { 'x-api-key': key })).status).toBe(403)
  expect((await timeline(id, { 'x-api-key': app.other.v1Key })).json.error.code).toBe('NOT_FOUND')
  expect((await timeline('none')).json.error.code).toBe('NOT_FOUND')
})
