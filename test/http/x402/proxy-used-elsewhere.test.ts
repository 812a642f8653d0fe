import { beforeEach, expect, test } from 'bun:test'
import { signedPayment } from '../../support/x402-buyer.ts'
import { useShop } from '../../support/x402-proxy.ts'

/** A payment whose authorization has been used up before it was forwarded, which is refused. */

const shop = useShop({ env: { ROLE: 'http' } })
const { node, upstream, allow, budgetOf } = shop
let agentId: string

beforeEach(async () => {
  agentId = await allow(2)
})

function buy(headers: Record<string, string> = {}) {
  return shop.buy(upstream.url, { 'x-agent-id': agentId, ...headers })
}

/** Signs a payment, and sends it after its nonce has been used to pay this wallet this much. */
async function buyUsed(wallet: number, usdcBase: bigint) {
  const { headers, nonce: reference } = await signedPayment(node.wallet(1), await buy())
  const to = node.wallet(wallet).address
  await node.transferWithAuthorization({ from: node.wallet(1), to, usdcBase, reference })
  return buy(headers)
}

test.each([
  ['somebody else', 4, 10_000n],
  ['less', 5, 9_999n],
])(
  'a payment whose nonce has paid %s is not said to be taken, and is not counted',
  async (_, wallet, usdcBase) => {
    const answer = await buyUsed(wallet, usdcBase)
    expect([answer.status, answer.json.invoice?.status]).toEqual([402, 'sent'])
    expect((await budgetOf(agentId)).spent).toBe(0)
  },
)
