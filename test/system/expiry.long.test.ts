import { expect, test } from 'bun:test'
import { insertAll } from '../../src/storage/invoices/invoices.ts'
import { newInvoice } from '../support/stored-invoice.ts'
import { eventually, madeInTime } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { app } = useWorld()

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

test('five thousand invoices that are due at once fail in one sweep', async () => {
  const accountId = app.account.account.id
  const dueAt = new Date(Date.now() + 2_000).toISOString()
  const invoices = Array.from({ length: 5_000 }, () => newInvoice(accountId, { dueAt }))
  for (let at = 0; at < invoices.length; at += 250) {
    const some = invoices.slice(at, at + 250)
    await insertAll(
      app.database.sql,
      some.map((invoice) => ({ invoice, idempotency: null })),
    )
  }
  const open = async () =>
    (await app.database.sql`select from invoices where state <> 'failed' limit 1`).length
  await eventually(async () => (await open()) === 0)
})
