import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { aPayment, buyerIn, option, requiring } from '../../support/x402-proxy.ts'

/**
 * Payments that left for the upstream and did not buy the resource, where this service then fails
 * or refuses as well. Whoever reads the answer must not take the payment for one that never left.
 */

const required = requiring([option], { error: 'insufficient_funds' })
const { app } = useWorld({ env: { ROLE: 'http' } })
const { agreedFor, ...buyer } = buyerIn(app)
/** How the upstream answers a payment. */
let answerPaid: (response: ServerResponse) => void | Promise<void>
const upstream = createServer(async ({ headers }, response) => {
  if ('payment-signature' in headers) await answerPaid(response)
  else demand(response)
})

beforeAll(() => new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})
afterEach(async () => {
  await app.database.sql`drop function if exists disk_is_full cascade`.simple()
})

function demand(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(402, { 'payment-required': required, ...headers }).end('{}')
}

/** From now on PostgreSQL has no room for these writes. */
async function fillDisk(writes: 'insert on invoices' | 'update on purchases'): Promise<void> {
  await app.database.sql.unsafe(`
    create function disk_is_full() returns trigger language plpgsql
      as $$ begin raise sqlstate '53100'; end $$;
    create trigger disk_is_full before ${writes} execute function disk_is_full()`)
}

let made = 0

/** Asks for the price of a resource, and pays it. */
async function buy(headers: Record<string, string> = {}) {
  const { port } = upstream.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/report?n=${made++}`
  const send = (payment: Record<string, string>) => buyer.buy(url, { ...headers, ...payment })
  const invoiceId: string = (await send({})).json.invoice.id
  const payment = aPayment()
  return { answer: await send(payment), invoiceId, again: () => send(payment) }
}

describe('a payment that is answered with another demand, of which no invoice can be made, is pending', () => {
  /** Expects that the caller is told which invoice may be paid, and why the upstream refused. */
  function expectPending({ json, headers }: Answer, invoiceId: string, upstreamError: string) {
    const told = { invoiceId, payment: 'pending', upstreamStatus: 402, upstreamError }
    expect(json.error.details).toMatchObject(told)
    expect(headers.get('x-invoice-id')).toBe(invoiceId)
  }

  test('403 where its mandate has no room for two: the same payment may be sent again', async () => {
    answerPaid = demand
    const { answer, invoiceId, again } = await buy({ 'x-mandate-id': await agreedFor('0.01') })
    expect(refused(answer)).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
    expectPending(answer, invoiceId, 'insufficient_funds')
    expect(answer.json.error.details).toMatchObject({ limit: '0.01', used: '0.01' })
    expect(answer.headers.get('payment-required')).toBeNull()
    answerPaid = (response) => void response.end('the report')
    const { text, headers } = await again()
    expect([text, headers.get('x-invoice-id')]).toEqual(['the report', invoiceId])
  })

  test('409 where its mandate has ended meanwhile', async () => {
    const id = await agreedFor('1')
    const said = btoa(JSON.stringify({ success: false, errorReason: 'insufficient_funds' }))
    answerPaid = async (response) => {
      await app.send('POST', `/v1/mandates/${id}/complete`)
      demand(response, { 'payment-response': said })
    }
    const { answer, invoiceId } = await buy({ 'x-mandate-id': id })
    expect(refused(answer)).toEqual([409, 'MANDATE_NOT_ACTIVE'])
    expectPending(answer, invoiceId, 'insufficient_funds')
    expect(answer.headers.get('payment-response')).toBe(said)
  })

  test('502 where it cannot be paid with anything known here', async () => {
    answerPaid = (response) =>
      void response.writeHead(402).end(JSON.stringify({ error: 'no\u0000more', accepts: [] }))
    const { answer, invoiceId } = await buy()
    expect(refused(answer)).toEqual([502, 'UPSTREAM_FAILED'])
    expectPending(answer, invoiceId, 'no more')
  })

  test('503 where PostgreSQL has no room for an invoice', async () => {
    answerPaid = async (response) => {
      await fillDisk('insert on invoices')
      demand(response)
    }
    const { answer, invoiceId } = await buy()
    expect(refused(answer)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expectPending(answer, invoiceId, 'insufficient_funds')
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})

describe('a payment that failed to settle', () => {
  const said = { success: false, errorReason: 'insufficient_balance', transaction: '' }
  const header = { 'payment-response': btoa(JSON.stringify({ ...said, network: option.network })) }

  test('is 502 UPSTREAM_FAILED with its errorReason, where the upstream demands no other', async () => {
    answerPaid = (response) => void response.writeHead(402, header).end('{}')
    const { answer, invoiceId } = await buy()
    expect(refused(answer)).toEqual([502, 'UPSTREAM_FAILED'])
    const told = { invoiceId, payment: 'pending', errorReason: 'insufficient_balance' }
    expect(answer.json.error.details).toMatchObject(told)
    expect(answer.headers.get('payment-response')).toBe(header['payment-response'])
  })

  test('is 402 with its errorReason and a new invoice, where the upstream demands another', async () => {
    answerPaid = (response) => demand(response, header)
    const { answer, invoiceId } = await buy()
    expect([answer.status, answer.json.errorReason]).toEqual([402, 'insufficient_balance'])
    expect(answer.json.invoice.id).not.toBe(invoiceId)
  })
})

describe('what became of a payment is told where PostgreSQL has no room to note it', () => {
  async function buyWithoutRoom(answered: (response: ServerResponse) => void) {
    answerPaid = async (response) => {
      await fillDisk('update on purchases')
      answered(response)
    }
    return buy()
  }

  test('that the upstream failed', async () => {
    const fail = (response: ServerResponse) => void response.writeHead(500).end('broken')
    const { answer, invoiceId } = await buyWithoutRoom(fail)
    expect([answer.status, answer.text]).toEqual([500, 'broken'])
    expect(answer.headers.get('x-invoice-id')).toBe(invoiceId)
  })

  const demandSaying = (success: boolean) => (response: ServerResponse) => {
    const settlement = { success, transaction: `0x${'a5'.repeat(32)}`, network: option.network }
    demand(response, { 'payment-response': btoa(JSON.stringify(settlement)) })
  }
  test.each([
    ['it was taken', demandSaying(true), { payment: 'taken', upstreamStatus: 402 }],
    ['it was sent off', demandSaying(false), { payment: 'pending', upstreamStatus: 402 }],
    [
      'nobody knows that',
      (response: ServerResponse) => void response.socket?.destroy(),
      { payment: 'pending' },
    ],
  ])('that %s', async (_, answered, details) => {
    const { answer, invoiceId } = await buyWithoutRoom(answered)
    expect(refused(answer)).toEqual([502, 'UPSTREAM_FAILED'])
    expect(answer.json.error.details).toEqual({ invoiceId, ...details })
  })
})
