import { beforeAll, describe, expect, test } from 'bun:test'
import type { Envelope } from '../support/receiver.ts'
import { eventually, madeInTime } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** Every event of an invoice's life, caused from outside and delivered to a webhook. */

const payTo = '0x00000000000000000000000000000000000000aa'
const types = [
  'invoice.created',
  'invoice.sent',
  'invoice.paid',
  'invoice.settled',
  'settlement.confirmed',
  'invoice.completed',
  'settlement.failed',
  'invoice.failed',
]

const { node, receiver, app } = useWorld({
  chains: ['base'],
  funded: [1],
  receiver: true,
  anchored: true,
  env: { BASE_WALLET: payTo, BASE_CONFIRMATIONS: '3' },
})

beforeAll(async () => {
  await app.send('POST', '/v1/webhooks', { url: receiver.url, events: types })
})

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)

async function createInvoice(over: object = {}) {
  const { json } = await app.send('POST', '/api/invoices', {
    amount: 1_250,
    currency: 'USD',
    buyer: { companyName: 'Ada Example Ltd', email: 'ada@example.com' },
    seller: { name: 'Grace Example GmbH', wallet: payTo },
    ...over,
  })
  return json
}

/** The `data` of an invoice's event, once it has been delivered. */
async function dataOf(id: string, type: string) {
  const isIt = ({ type: found, data }: Envelope) =>
    found === type && (data.id ?? data.invoiceId) === id
  return (JSON.parse((await receiver.next(isIt)).body) as Envelope).data
}

/**
 * Expects these events of an invoice, ordered by sequence, once all are delivered. Deliveries come
 * in any order.
 */
async function expectStory(id: string, wanted: readonly string[]) {
  const story = () =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as Envelope)
      .filter(({ data }) => (data.id ?? data.invoiceId) === id)
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ type }) => type)
  await eventually(() => story().length >= wanted.length)
  expect(story()).toEqual([...wanted])
}

/** Without what is worked out at each read. */
// biome-ignore lint/suspicious/noExplicitAny: JSON
function asSent({ paymentDetails: { accepting: _, ...paymentDetails }, ...invoice }: any) {
  return { ...invoice, paymentDetails }
}

describe('an invoice notifies its subscribers', () => {
  test('that it was created, sent, paid, settled, completed; and that a settlement has failed', async () => {
    const created = await createInvoice({ taxCountry: 'DE' })
    const { id, invoiceNumber } = created
    const about = { id, invoiceNumber, kind: 'sale' }
    expect(await dataOf(id, 'invoice.created')).toEqual(asSent(created))

    await app.send('POST', `/api/invoices/${id}/send`)
    expect(await dataOf(id, 'invoice.sent')).toEqual({ ...about, status: 'sent', sentAt: instant })

    const txHash = await node.transfer({
      from: node.wallet(1).address,
      to: payTo,
      usdcBase: 14_880_000n,
      reference: created.paymentDetails.reference,
    })
    expect(await dataOf(id, 'invoice.paid')).toEqual({
      ...about,
      status: 'paid',
      paymentDetails: { ...asSent(created).paymentDetails, amountReceived: '14.88' },
    })

    await node.mine(2)
    const settled = await dataOf(id, 'invoice.settled')
    const settlement = {
      txHash,
      settlementBlockNumber: expect.any(Number),
      settlementSource: 'evm-detector',
      from: node.wallet(1).address.toLowerCase(),
      confirmations: 3,
      settledAt: instant,
      matchedBy: 'reference',
    }
    expect(settled).toEqual({
      ...about,
      status: 'settled',
      txHash,
      paymentDetails: { ...asSent(created).paymentDetails, amountReceived: '14.88', ...settlement },
    })
    const ofSettlement = { settlementId: expect.any(String), invoiceId: id, invoiceNumber, txHash }
    expect(await dataOf(id, 'settlement.confirmed')).toEqual({ ...ofSettlement, confirmations: 3 })

    const { receiptId } = (await app.send('GET', `/api/invoices/${id}`)).json
    expect(await dataOf(id, 'invoice.completed')).toEqual({
      ...about,
      status: 'completed',
      completedAt: instant,
      receiptId,
    })

    await node.reorg(5)
    await node.mine(6)
    expect(await dataOf(id, 'settlement.failed')).toEqual({
      ...ofSettlement,
      failureReason: 'reorged',
    })
    expect((await app.send('GET', `/api/invoices/${id}`)).json.status).toBe('sent')
    await expectStory(
      id,
      types.filter((type) => type !== 'invoice.failed'),
    )
  })

  test('that it failed, because it was voided', async () => {
    const { id, invoiceNumber } = await createInvoice()
    await app.send('POST', `/api/invoices/${id}/void`)
    expect(await dataOf(id, 'invoice.failed')).toEqual({
      id,
      invoiceNumber,
      kind: 'sale',
      status: 'failed',
      failureReason: 'voided',
    })
    await expectStory(id, ['invoice.created', 'invoice.failed'])
  })

  test('that it failed, because its due date has passed', async () => {
    const { made } = await madeInTime(async (dueAt) => {
      const invoice = await createInvoice({ dueAt: dueAt.toISOString() })
      return invoice.id ? invoice : null
    })
    const { id, invoiceNumber } = made
    expect(await dataOf(id, 'invoice.failed')).toEqual({
      id,
      invoiceNumber,
      kind: 'sale',
      status: 'failed',
      failureReason: 'expired',
    })
  })

  test('each thing once: sending and voiding again says nothing more', async () => {
    const { id } = await createInvoice()
    for (const move of ['send', 'send', 'void', 'void'])
      await app.send('POST', `/api/invoices/${id}/${move}`)
    await dataOf(id, 'invoice.failed')
    await expectStory(id, ['invoice.created', 'invoice.sent', 'invoice.failed'])
  })

  test('in the words of the family it was made in', async () => {
    const { json } = await app.send('POST', '/v1/invoices', {
      amount: 1.5,
      currency: 'USDC',
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
    })
    const { id, invoiceNumber } = json.data
    expect(await dataOf(id, 'invoice.created')).toEqual(asSent(json.data))
    await app.send('POST', `/api/invoices/${id}/send`)
    const sent = { id, invoiceNumber, kind: 'sale', status: 'PENDING', sentAt: instant }
    expect(await dataOf(id, 'invoice.sent')).toEqual(sent)
  })
})
