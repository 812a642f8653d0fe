import { beforeAll, describe, expect, test } from 'bun:test'
import { keyWith } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { nodes, app } = useWorld({
  chains: ['base', 'ethereum'],
  funded: [1],
  env: ({ nodes }) => ({
    BASE_WALLET: nodes.base?.wallet(2).address ?? '',
    BASE_CONFIRMATIONS: '1',
    ETHEREUM_WALLET: nodes.ethereum?.wallet(2).address ?? '',
    ETHEREUM_CONFIRMATIONS: '1',
  }),
})
let operator: Record<string, string>

beforeAll(async () => {
  operator = { 'x-api-key': await keyWith(app, ['admin']) }
})

describe('money to a configured wallet that no invoice has named', () => {
  test.each(['base', 'ethereum'] as const)('is kept as unmatched on %s', async (chain) => {
    const node = nodes[chain]
    if (!node) throw new Error('no node')
    const txHash = await node.transfer({
      from: node.wallet(1).address,
      to: node.wallet(2).address,
      usdcBase: 900_000_000n,
    })
    await node.mine(1)
    const query = `/api/transfers?status=unmatched&chain=${chain}`
    const found = async () => (await app.send('GET', query, undefined, operator)).json.data
    await eventually(async () => (await found()).length > 0)
    expect(await found()).toMatchObject([{ chain, txHash, amount: '900.00' }])
  })
})
