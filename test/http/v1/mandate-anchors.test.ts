import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deployAnchor } from '../../../src/chain/anchor/deployment.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { aMandate } from '../../support/mandates.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/** End to end: a mandate's events on the anchor chain and at a webhook receiver. */

let node: EvmNode
let app: TestApp
let receiver: Receiver

beforeAll(async () => {
  node = await startEvmNode({ chainId: 84_532, blockTimeSeconds: 1 })
  const { privateKey } = node.wallet(0)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  app = await testApp({
    ANCHOR_RPC_URL: node.url,
    ANCHOR_CONTRACT: contract,
    ANCHOR_PRIVATE_KEY: privateKey,
  })
  receiver = startReceiver()
})

afterAll(async () => {
  await app.stop()
  await Promise.all([node.stop(), receiver.stop()])
})

describe('a completed mandate', () => {
  test('has each of its transitions but the first on chain, and its subscriber knows', async () => {
    const events = ['mandate.signed_by_both', 'mandate.completed']
    await app.send('POST', '/v1/webhooks', { url: receiver.url, events })
    const { id } = await aMandate(app)
    await app.send('POST', `/v1/mandates/${id}/complete`)
    const { data } = (await app.send('GET', `/v1/mandates/${id}?wait=anchored`)).json
    const [first, ...later] = data.transitions
    expect(first).toMatchObject({ anchor_status: 'none', anchor_tx_hash: null })
    expect(later).toHaveLength(4)
    for (const { anchor_status, anchor_tx_hash, anchor_block_number, anchor_chain } of later) {
      expect([anchor_status, anchor_chain]).toEqual(['anchored', 'eip155:84532'])
      expect(anchor_tx_hash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(anchor_block_number).toBeGreaterThan(0)
    }
    const seen = (await app.keyless('GET', `/v1/public/mandates/${id}`)).json
    expect(seen.anchor_tx_hash).toBe(later[3].anchor_tx_hash)
    const { status } = (await app.send('GET', `/v1/receipts/${data.drs_receipt_id}`)).json.data
    expect(status).toBe('anchored')
    const told = await receiver.next(({ type }) => type === 'mandate.completed')
    expect(JSON.parse(told.body)).toMatchObject({ sequence: 5, data: { id, state: 'completed' } })
  })
})
