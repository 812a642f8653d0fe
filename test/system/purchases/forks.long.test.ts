import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { useUpstream } from '../../support/bought.ts'

const { app, node, buy, becomes, looked, purchase } = useUpstream({
  env: { BASE_CONFIRMATIONS: '4' },
})

test('a purchase whose payment is off the chain for a block when its time has just run out still settles', async () => {
  const { id, txHash } = await buy()
  const signed = await node.rpc<Hex>('eth_getRawTransactionByHash', [txHash])
  await node.reorg(1)
  // The blocks before it may be of the same second.
  await node.rpc('evm_increaseTime', [5])
  await node.mine(1)
  const latest = ['latest', false]
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', latest)
  const justOver = new Date((Number(timestamp) - 1) * 1_000)
  await app.database.sql`update purchases set valid_before = ${justOver} where invoice_id = ${id}`
  await looked(id, 3)
  expect((await purchase(id)).state).toBe('paid')
  await node.rpc('eth_sendRawTransaction', [signed])
  await node.mine(4)
  await becomes(id, 'settled')
})
