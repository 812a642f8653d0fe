import { expect, test } from 'bun:test'
import { aMandate } from '../../support/mandates.ts'
import { useWorld } from '../../support/world.ts'

/** End to end: a mandate's events on the anchor chain and at a webhook receiver. */

const { app, receiver } = useWorld({
  chains: ['base'],
  blockTimeSeconds: 1,
  anchored: true,
  receiver: true,
})

test('a completed mandate has each of its transitions but the first on chain, and its subscriber knows', async () => {
  const events = ['mandate.signed_by_both', 'mandate.completed']
  await app.send('POST', '/v1/webhooks', { url: receiver.url, events })
  const { id } = await aMandate(app)
  await app.send('POST', `/v1/mandates/${id}/complete`)
  const { data } = (await app.send('GET', `/v1/mandates/${id}?wait=anchored`)).json
  const [first, ...later] = data.transitions
  expect(first).toMatchObject({ anchor_status: 'none', anchor_tx_hash: null })
  expect(later).toHaveLength(4)
  for (const { anchor_status, anchor_tx_hash, anchor_block_number, anchor_chain } of later) {
    expect([anchor_status, anchor_chain]).toEqual(['anchored', 'eip155:8453'])
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
