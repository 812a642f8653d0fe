import { expect, test } from 'bun:test'
import { anInvoice } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
test('200 what happened so far, oldest first', async () => {
  const id = await anInvoice(app)
  await app.send('POST', `/api/invoices/${id}/send`)
  await app.send('POST', `/api/invoices/${id}/void`)
  const step = { createdAt: expect.any(String), txHash: null, reason: null }
  const { status, json } = await app.send('GET', `/api/invoices/${id}/timeline`)
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
