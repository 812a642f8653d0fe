import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { toHex } from '../../src/domain/hash.ts'
import { chainForMany } from '../../src/verify/many.ts'
import { askNodes } from '../../src/verify/node.ts'
import { verifyOn } from '../../src/verify/verify-receipt.ts'
import { anchoringAt } from '../support/anchoring.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { batchOf, receiptOf } from '../support/receipts.ts'

const contract: Hex = `0x${'c0'.repeat(20)}`

let node: EvmNode
beforeAll(async () => {
  node = await startEvmNode({ chainId: 84532 })
})
afterAll(() => node?.stop())

test('many receipts are verified as each would be, with one question for each batch and one for all revocations', async () => {
  const { anchor, revoke } = await anchoringAt(node, contract)
  const [us, thief] = [1, 2].map((wallet) => node.wallet(wallet).address) as [string, string]
  const bundles: { readonly bundle: object; readonly hash: string }[] = []
  for (const of of [0, 10, 20]) {
    const receipts = Array.from({ length: 10 }, (_, at) => receiptOf({}, of + at))
    const batch = batchOf(receipts[0] as (typeof receipts)[0], receipts.slice(1))
    const place = await anchor(us, batch.root, batch.size)
    receipts.forEach((receipt, index) => {
      const others = receipts.toSpliced(index, 1)
      bundles.push({
        bundle: batchOf(receipt, others, index).bundleAt(place),
        hash: toHex(receipt.hash),
      })
    })
  }
  await revoke(us, bundles[4]?.hash ?? '')
  await revoke(thief, bundles[5]?.hash ?? '')

  const asked: string[] = []
  const ask = askNodes([node.url])
  const issuer = { contract, senders: [us, node.wallet(3).address] }
  const chain = chainForMany((method, params) => {
    asked.push(method)
    return ask(method, params)
  }, issuer)
  // The newest first: what was revoked before is looked for later.
  const order = [...bundles.slice(20), ...bundles.slice(0, 20)]
  const verdicts = []
  for (const { bundle } of order) verdicts.push(await verifyOn(bundle, chain, issuer))
  const problems = verdicts.map((verdict) => (verdict.ok ? null : verdict.problem))
  expect(problems).toEqual(order.map((_, at) => (at === 14 ? 'revoked' : null)))
  const times = (method: string) => asked.filter((one) => one === method).length
  expect(times('eth_getTransactionReceipt')).toBe(3)
  expect(times('eth_getLogs')).toBe(2)
  expect(asked.length).toBeLessThanOrEqual(3 * 3 + 2 + 1)
})
