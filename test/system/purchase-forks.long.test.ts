import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { testApp } from '../support/app.ts'
import { startEvmNode } from '../support/evm-node.ts'
import { eventually } from '../support/wait.ts'
import { signedPayment } from '../support/x402-buyer.ts'
import { startUpstream } from '../support/x402-upstream.ts'

test('a purchase whose payment is off the chain for a block when its time has just run out still settles', async () => {
  await using stack = new AsyncDisposableStack()
  const node = await startEvmNode({ chainId: 8453 })
  stack.defer(() => node.stop())
  await node.mint(node.wallet(1).address, 1_000_000n)
  const upstream = await startUpstream(node)
  stack.defer(() => upstream.stop())
  const chain = { BASE_RPC_URL: node.url, BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '4' }
  const app = await testApp(chain)
  stack.defer(() => app.stop())
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  const unpaid = await app.send('GET', path)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  const { headers } = await signedPayment(node.wallet(1), unpaid)
  const paid = await app.send('GET', path, undefined, headers)
  const { transaction } = JSON.parse(atob(paid.headers.get('payment-response') ?? ''))
  const signed = await node.rpc<Hex>('eth_getRawTransactionByHash', [transaction])

  await node.reorg(1)
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const justOver = new Date((Number(timestamp) - 1) * 1_000)
  await app.database.sql`update purchases set valid_before = ${justOver} where invoice_id = ${id}`
  const looks = new Set<string>()
  await eventually(async () => {
    const [row] = await app.database.sql`
      select state, updated_at::text as at from purchases where invoice_id = ${id}`
    expect(row?.state).toBe('paid')
    return looks.add(row?.at).size > 3
  })
  await node.rpc('eth_sendRawTransaction', [signed])
  await node.mine(4)
  await eventually(
    async () => (await app.send('GET', `/api/invoices/${id}`)).json.status === 'settled',
  )
}, 60_000)
