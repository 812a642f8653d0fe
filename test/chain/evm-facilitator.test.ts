import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { decodeFunctionData, parseAbi, toHex } from 'viem'
import { evmFacilitator } from '../../src/chain/evm-facilitator.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import type { Network } from '../../src/domain/network.ts'
import type { Requirement } from '../../src/domain/x402.ts'
import type { Authorization } from '../../src/domain/x402-payment.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { newReference } from './subject.ts'

const recipient = '0x00000000000000000000000000000000000000aa'
const gwei = 10n ** 9n

let relay: RpcRelay

afterEach(() => relay.stop())

/** A payment of a cent, signed by the first wallet. */
async function aPayment(node: EvmNode, network: Network) {
  const from = node.wallet(1)
  const reference = newReference()
  const data = await node.signedAuthorization({ from, to: recipient, usdcBase: 10_000n, reference })
  const { args } = decodeFunctionData({ abi, data })
  const [payer, to, value, validAfter, validBefore, nonce, signature] = args
  const authorization: Authorization = {
    network,
    payer: payer.toLowerCase(),
    nonce,
    validBefore: new Date(Date.now() + 120_000),
    payload: {
      signature,
      authorization: {
        ...{ from: payer, to, nonce, value: `${value}` },
        ...{ validAfter: `${validAfter}`, validBefore: `${validBefore}` },
      },
    },
  }
  const requirement = { asset: node.usdc } as unknown as Requirement
  return [authorization, requirement, async () => {}] as const
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

function facilitatorOver(node: EvmNode, network: Network) {
  const rpc = createRpc({ urls: [relay.url], expectedChainId: node.chainId })
  const { privateKey } = node.wallet(8)
  return evmFacilitator(rpc, { network, privateKey, settleWithinMs: 20_000 })
}

describe('on Ethereum', () => {
  let node: EvmNode
  beforeAll(async () => {
    node = await startEvmNode({ chainId: 1 })
    await node.mint(node.wallet(1).address, 1_000_000n)
  })
  beforeEach(() => {
    relay = startRpcRelay(node.url)
  })
  afterAll(() => node?.stop())

  async function baseFee(wei: bigint): Promise<void> {
    await node.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(wei)])
    await node.mine(1)
  }

  test('a payment whose settlement would cost more than what is sold is worth is refused before anything is sent', async () => {
    await baseFee(50n * gwei)
    const payment = await aPayment(node, 'ethereum')
    const { settle } = facilitatorOver(node, 'ethereum')
    const refused = { kind: 'refused', problem: 'settlement_costs_too_much' } as const
    expect(await settle(...payment)).toEqual(refused)
    expect(relay.requests.flat()).not.toContain('eth_sendRawTransaction')
    await baseFee(gwei / 10n)
    expect(await settle(...payment)).toMatchObject({ kind: 'settled' })
  })
})
