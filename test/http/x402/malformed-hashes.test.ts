import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { anInvoice, keyWith, refused } from '../../support/app.ts'
import { heldTransfer } from '../../support/claims.ts'
import { credited } from '../../support/credit-notes.ts'
import { publicUrl, transferPayload, useSeller } from '../../support/x402-seller.ts'

const { app, node, pay } = useSeller(undefined, {
  relayed: false,
  funded: [1],
  env: { ROLE: 'http', PUBLIC_URL: publicUrl },
})

const recorded = `0x${'c7'.repeat(32)}`

test.each([
  ['a hash on record in base58', base58.encode(Buffer.from(recorded.slice(2), 'hex'))],
  ['too short', recorded.slice(0, -2)],
  ['an odd number of digits', recorded.slice(0, -1)],
  ['without 0x', recorded.slice(2)],
  ['with another letter', `${recorded.slice(0, -1)}g`],
  ['a signature of Solana', base58.encode(new Uint8Array(64).fill(7))],
  ['neither hex nor base58', '0OIl'],
])('a malformed hash is refused, or found nowhere: %s', async (_, txHash) => {
  const id = await anInvoice(app)
  const invoice = await app.send('GET', `/api/invoices/${id}`)
  const operator = { 'x-api-key': await keyWith(app, ['admin']) }
  await app.database.sql`delete from transfers`
  await heldTransfer(app.database.sql, { usdcBase: 7n, txHash: recorded })

  const payer = node.wallet(1)
  const claim = { txHash, signature: '0x5e', payer: payer.address }
  const claimed = await app.keyless('POST', `/v1/public/invoices/${id}/claim`, claim)
  expect(refused(claimed)).toEqual([400, 'INVALID_REQUEST'])

  const bought = await pay(await transferPayload(txHash, payer, payer), { amount: 2.5 })
  expect([bought.status, bought.json.error]).toEqual([402, expect.any(String)])

  for (const [method, path, body] of [
    ['GET', `/api/transfers/base:${txHash}:3`],
    ['POST', `/api/transfers/base:${txHash}:3/assign`, { invoiceId: id }],
  ] as const)
    expect(refused(await app.send(method, path, body, operator))).toEqual([404, 'NOT_FOUND'])

  const cursor = Buffer.from(`${new Date(0).toISOString()} base:${txHash}:3`).toString('base64url')
  const page = await app.send('GET', `/api/transfers?cursor=${cursor}`, undefined, operator)
  expect([page.status, page.json.data]).toEqual([200, []])

  const search = await app.send('GET', `/v1/invoices?search=${txHash}`)
  expect([search.status, search.json.total]).toEqual([200, 0])

  const { json: note } = await credited(app, invoice.json.id, { reason: 'Returned' })
  const proven = await app.send('POST', `/api/credit-notes/${note.id}/refund`, { txHash })
  expect(refused(proven)).toEqual([400, 'INVALID_REQUEST'])
})
