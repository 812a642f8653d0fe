import { beforeAll, describe, expect, test } from 'bun:test'
import { createAcceptance } from '../../../src/actors/acceptance.ts'
import { noteWatch } from '../../../src/storage/settlement/chain-watches.ts'
import { eventually } from '../../support/wait.ts'
import { noteRead, useWorld } from '../../support/world.ts'

const { app, sql, receiver } = useWorld({ read: ['base'], receiver: true })
const form = {
  amount: 12,
  currency: 'USDC',
  customerName: 'Ada',
  customerEmail: 'ada@example.com',
  sellerName: 'Grace',
}
const nested = {
  amount: 1_250_000,
  currency: 'USDC',
  buyer: { companyName: 'Ada', email: 'ada@example.com' },
  seller: { name: 'Grace', wallet: `0x${'aa'.repeat(20)}` },
}
let id: string

const create = async (path: string, headers = {}) => {
  const body = path === '/api/invoices' ? nested : form
  const { status, json } = await app.send('POST', path, body, headers)
  expect([200, 201]).toContain(status)
  return json.data ?? json
}
const read = async (path: string) => {
  const { json } = await app.send('GET', path)
  return json.data ?? json
}
const isAccepting = async () => (await read(`/v1/invoices/${id}`)).paymentDetails.accepting

async function readAgo(age: string): Promise<void> {
  await sql`update chain_watches set polled_at = now() - ${age}::interval`
}

describe('an invoice tells whether its chain is read', () => {
  beforeAll(async () => {
    await app.send('POST', '/v1/webhooks', { url: receiver.url, events: ['invoice.created'] })
    id = (await create('/v1/invoices')).id
  })

  const families = ['/v1/invoices', '/api/invoices', '/api/v1/invoices']
  const expectShown = async (accepting: boolean) => {
    for (const path of families) {
      const made = await create(path)
      expect(made.paymentDetails.accepting).toBe(accepting)
      expect((await read(`${path}/${made.id}`)).paymentDetails.accepting).toBe(accepting)
    }
    const { json } = await app.send('GET', '/v1/invoices')
    for (const { paymentDetails } of json.data) expect(paymentDetails.accepting).toBe(accepting)
    const headers = { 'idempotency-key': 'once' }
    for (const _ of [1, 2])
      expect((await create('/v1/invoices', headers)).paymentDetails.accepting).toBe(accepting)
    const sent = await app.send('POST', `/api/invoices/${(await create('/api/invoices')).id}/send`)
    expect(sent.json.paymentDetails.accepting).toBe(accepting)
    expect((await read(`/pay/${id}/status`)).accepting).toBe(accepting)
    expect(await read('/dashboard/chains')).toEqual(accepting ? ['base'] : [])
  }

  test('in every answer of every family, be it created, listed, repeated or sent', async () => {
    await eventually(isAccepting)
    await expectShown(true)
  })

  test('at each read anew, as any process finds it, though the invoice has not changed; creation stays possible', async () => {
    await readAgo('4 minutes')
    await Bun.sleep(2_500)
    expect(await isAccepting()).toBe(true)
    await readAgo('6 minutes')
    await eventually(async () => (await isAccepting()) === false)
    await expectShown(false)
    const { json } = await app.send('GET', `/pay/${id}/status`)
    expect([json.paymentUri, json.qr]).toEqual([null, null])
    const { text } = await app.keyless('GET', `/pay/${id}`)
    expect(text).toContain('please do not pay yet')
    await noteRead(sql, 'base')
    await eventually(isAccepting)
  })

  test('not while its workers are away, failing, whatever this process is configured for', async () => {
    await sql`delete from chain_watches`
    await noteWatch(sql, 'base', { fault: 'out of reach' })
    await eventually(async () => (await isAccepting()) === false)
    await noteRead(sql, 'base')
    await eventually(isAccepting)
  })

  test('but not in webhooks, nor where it takes no payment', async () => {
    const { body } = await receiver.next(({ type }) => type === 'invoice.created')
    const { paymentDetails } = JSON.parse(body).data
    expect(paymentDetails).toMatchObject({ chain: 'base' })
    expect(paymentDetails).not.toHaveProperty('accepting')
    const { id } = await create('/api/invoices')
    const { json } = await app.send('POST', `/api/invoices/${id}/void`)
    expect(json.paymentDetails).not.toHaveProperty('accepting')
  })

  test('five minutes after the last word of a database that is away, no longer', async () => {
    let nowMs = 0
    const { accepts, close } = createAcceptance({ sql, steadyMs: () => nowMs, onFault: () => {} })
    await eventually(() => accepts('base'))
    close()
    expect([accepts('polygon'), accepts('solana')]).toEqual([false, false])
    nowMs = 290_000
    expect(accepts('base')).toBe(true)
    nowMs = 300_001
    expect(accepts('base')).toBe(false)
  })
})
