import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { NewAccount } from '../../src/operator/accounts.ts'
import { requester } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { confirmations, type Process, startTopology, type Topology } from '../support/topology.ts'

/** Two `http` processes, and two workers that share the queues between them. */

const queuesOf = ['watch:base,outbox', 'watch:solana,deliver,anchor,expiry,trust']

let topology: Topology
let account: NewAccount
let receiver: Receiver

beforeAll(async () => {
  topology = await startTopology({
    http: 2,
    workers: 2,
    workerEnv: (index) => ({ QUEUES: queuesOf[index]! }),
  })
  account = await topology.newAccount('Test')
  receiver = startReceiver()
  await call(topology.http[0]!, 'POST', '/v1/webhooks', {
    url: receiver.url,
    events: ['invoice.completed'],
  })
  await topology.base.mint(topology.base.wallet(1).address, 1_000_000_000n)
})
afterAll(async () => {
  await topology.stop()
  await receiver.stop()
})

async function call(at: Process, method: string, path: string, body?: object) {
  const answer = await requester(() => at.url)(method, path, body, { 'x-api-key': account.v1Key })
  expect(answer.status).toBeLessThan(300)
  return answer.json.data
}

describe('several processes on one database', () => {
  test('each do their part: made at one, read at the other, watched by one worker, anchored and delivered by the other', async () => {
    const [first, second] = topology.http as [Process, Process]
    const terms = { currency: 'USDC', customerName: 'Ada', customerEmail: 'ada@example.com' }
    const invoice = await call(first, 'POST', '/v1/invoices', { amount: 1.5, ...terms })
    expect(await call(second, 'GET', `/v1/invoices/${invoice.id}`)).toMatchObject({
      id: invoice.id,
      status: 'PENDING',
    })
    await topology.base.transfer({
      from: topology.base.wallet(1).address,
      to: topology.wallets.base,
      usdcBase: 1_500_000n,
      reference: invoice.paymentDetails.reference,
    })
    await topology.base.mine(confirmations)
    await receiver.next(({ data }) => data.id === invoice.id, 60_000)
    for (const at of topology.http)
      expect((await call(at, 'GET', `/v1/invoices/${invoice.id}`)).status).toBe('SETTLED')
  })
})
