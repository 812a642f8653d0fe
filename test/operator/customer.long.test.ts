import { expect, test } from 'bun:test'
import { createdInvoice } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { useWorld } from '../support/world.ts'

const { app, env } = useWorld({ env: { ROLE: 'http' } })

test('an operator reads as the customer with a key of that account, until it is revoked', async () => {
  const { id: account } = app.account.account
  const invoice = await createdInvoice(app)
  const hook = { url: 'http://127.0.0.1:1/hook', events: ['invoice.paid'] }
  const { json: webhook } = await app.send('POST', '/v1/webhooks', hook)
  const scopes = 'webhooks:read,invoices:read'
  const key = (...words: string[]) =>
    quittance(env, 'key', ...words, '--account', account, '--json')
  const { json: made } = await key('create', '--name', 'support', '--scopes', scopes)

  const paths = [
    '/api/webhooks',
    `/api/webhooks/${webhook.data.id}/deliveries`,
    `/api/invoices/${invoice.id}/timeline`,
  ]
  const statuses = () =>
    Promise.all(
      paths.map(
        async (path) =>
          (await app.keyless('GET', path, undefined, { 'x-api-key': made.key })).status,
      ),
    )
  expect(await statuses()).toEqual([200, 200, 200])
  await key('revoke', made.id)
  await Bun.sleep(5_500)
  expect(await statuses()).toEqual([401, 401, 401])

  const { text } = await quittance(env, 'audit', 'list', '--limit', '2')
  const about = `key ${made.id} of account ${account}`
  expect(text).toContain(`${about} revoked by quittance cli`)
  expect(text).toContain(`${about} created by quittance cli`)
})
