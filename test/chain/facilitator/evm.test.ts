import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { decodeFunctionData, type Hex, parseAbi, parseTransaction, toHex } from 'viem'
import { evmFacilitator } from '../../../src/chain/facilitator/evm.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import type { Network } from '../../../src/domain/network.ts'
import type { OwnRequirements } from '../../../src/domain/x402/requirements.ts'
import type { SignedPayment } from '../../../src/domain/x402/signed-payment.ts'
import type { EvmNode } from '../../support/evm-node.ts'
import { type AskNode, errorOf, perCall } from '../../support/rpc-faults.ts'
import {
  type RpcAnswer,
  type RpcCall,
  type RpcRelay,
  startRpcRelay,
} from '../../support/rpc-relay.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { newReference } from '../subject.ts'

const recipient = '0x00000000000000000000000000000000000000aa'
const gwei = 10n ** 9n

let relay: RpcRelay

afterEach(() => relay.stop())

/** A payment of 0.01 USDC, signed by wallet 1. */
async function aPayment(node: EvmNode, network: Network) {
  const from = node.wallet(1)
  const reference = newReference()
  const data = await node.signedAuthorization({ from, to: recipient, usdcBase: 10_000n, reference })
  const { args } = decodeFunctionData({ abi, data })
  const [payer, to, value, validAfter, validBefore, nonce, signature] = args
  const payment: SignedPayment = {
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
  const terms = { payTo: recipient, usdcBase: 10_000n, extra: {} }
  const requirements: OwnRequirements = { network, asset: node.usdc, ...terms }
  return [payment, requirements, async () => true] as const
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

function facilitatorOver(
  node: EvmNode,
  network: Network,
  settleWithinMs = 20_000,
  onFault: (fault: Error) => void = () => {},
) {
  const rpc = createRpc({ urls: [relay.url], expectedChainId: node.chainId })
  const { privateKey } = node.wallet(8)
  return evmFacilitator(rpc, { network, privateKey, settleWithinMs, onFault })
}

describe('on Ethereum', () => {
  const { node } = useWorld({ chains: ['ethereum'], funded: [1], service: 'no database' })
  beforeEach(() => {
    relay = startRpcRelay(node.url)
  })

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

describe('one settlement after the other', () => {
  const { node } = useWorld({ chains: ['base'], funded: [1], service: 'no database' })
  beforeEach(() => {
    relay = startRpcRelay(node.url)
  })

  test('a payment that a node takes long to look at holds up no other, and in its turn no more of it is run than a settlement may take', async () => {
    const [slow, other] = [await aPayment(node, 'base'), await aPayment(node, 'base')]
    const looked = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<void>()
    const estimates: (Hex | undefined)[] = []
    relay.misbehave(
      perCall(async (call, ask) => {
        if (call.method !== 'eth_estimateGas') return ask(call)
        const [{ data, gas }] = call.params as [{ data: string; gas?: Hex }]
        if (!data.includes(slow[0].nonce.slice(2))) return ask(call)
        estimates.push(gas)
        looked.resolve()
        await isOver.promise
        return ask(call)
      }),
    )
    const { settle } = facilitatorOver(node, 'base')
    const settling = settle(...slow)
    await looked.promise
    expect(await settle(...other)).toMatchObject({ kind: 'settled' })
    isOver.resolve()
    expect(await settling).toMatchObject({ kind: 'settled' })
    expect(estimates).toEqual([undefined, toHex(500_000)])
  })

  test('one that is on its way while fees rise is mined all the same, and holds up none behind it', async () => {
    await node.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(gwei / 2n)])
    await node.mine(1)
    await node.rpc('evm_setAutomine', [false])
    const settling = facilitatorOver(node, 'base').settle(...(await aPayment(node, 'base')))
    await eventually(() => relay.requests.flat().includes('eth_sendRawTransaction'))
    await Bun.sleep(50)
    await node.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(3n * gwei)])
    await node.mine(1)
    expect(await settling).toMatchObject({ kind: 'settled' })
    await node.rpc('evm_setAutomine', [true])
  })
})

describe('a key without coin to pay for gas', () => {
  const { node } = useWorld({ chains: ['base'], funded: [1], service: 'no database' })
  let faults: string[]
  beforeEach(() => {
    faults = []
    relay = startRpcRelay(node.url)
  })

  const facilitator = () =>
    facilitatorOver(node, 'base', 20_000, ({ message }) => faults.push(message))

  async function hold(wei: bigint): Promise<void> {
    await node.rpc('anvil_setBalance', [node.wallet(8).address, toHex(wei)])
  }

  test('signs nothing: the payment is refused, the operator is told, and it can be sent again', async () => {
    await hold(1_000n)
    const payment = await aPayment(node, 'base')
    const { settle } = facilitator()
    const refused = { kind: 'refused', problem: 'settlement_unavailable' } as const
    expect(await settle(...payment)).toEqual(refused)
    expect(relay.requests.flat()).not.toContain('eth_sendRawTransaction')
    const { address } = node.wallet(8)
    expect(faults).toEqual([
      expect.stringContaining(`${address.toLowerCase()} has 0.000000000000001`),
    ])
    await hold(10n ** 18n)
    expect(await settle(...payment)).toMatchObject({ kind: 'settled' })
  })

  test('for more than the node’s estimate, as of what it pays to Ethereum, leaves the payment to be settled later, and the operator is told', async () => {
    const payment = await aPayment(node, 'base')
    const { settle } = facilitator()
    const words = 'insufficient funds for gas * price + value'
    relay.misbehave(
      perCall(async (call, ask) =>
        call.method === 'eth_sendRawTransaction' ? errorOf(call.id, -32000, words) : ask(call),
      ),
    )
    expect(await settle(...payment)).toEqual({ kind: 'untaken' })
    expect(faults).toEqual([expect.stringContaining(words)])
    relay.misbehave(perCall((call, ask) => ask(call)))
    expect(await settle(...payment)).toMatchObject({ kind: 'settled' })
  })
})

describe('a node that counts no transaction before it is mined, and takes one of a nonce', () => {
  const { node } = useWorld({ chains: ['base'], funded: [1], service: 'no database' })
  /** The nonces of the transactions that wait for a block. */
  let waiting: Set<number>
  let refusedNonces: number[]

  beforeAll(async () => {
    await node.rpc('evm_setAutomine', [false])
  })
  beforeEach(() => {
    waiting = new Set()
    refusedNonces = []
    relay = startRpcRelay(node.url)
    relay.misbehave(perCall(asSkaled))
  })

  async function asSkaled(call: RpcCall, ask: AskNode): Promise<RpcAnswer> {
    if (call.method === 'eth_getTransactionCount')
      return ask({ ...call, params: [call.params[0], 'latest'] })
    if (call.method !== 'eth_sendRawTransaction') return ask(call)
    const { nonce = 0 } = parseTransaction(call.params[0] as Hex)
    if (waiting.has(nonce)) {
      refusedNonces.push(nonce)
      return errorOf(call.id, -32000, 'Pending transaction with same nonce already exists')
    }
    const answer = await ask(call)
    waiting.add(nonce)
    return answer
  }

  async function mine(): Promise<void> {
    waiting.clear()
    await node.mine(1)
  }

  test('is brought no payment that others see to by the time its hash is noted', async () => {
    const { settle } = facilitatorOver(node, 'base')
    const [payment, requirements] = await aPayment(node, 'base')
    expect(await settle(payment, requirements, async () => false)).toEqual({ kind: 'unknown' })
    expect(relay.requests.flat()).not.toContain('eth_sendRawTransaction')
  })

  test('is brought two payments within a block', async () => {
    const { settle } = facilitatorOver(node, 'base')
    const payments = [await aPayment(node, 'base'), await aPayment(node, 'base')] as const
    const settling = payments.map((payment) => settle(...payment))
    await eventually(async () => waiting.size === 2)
    await mine()
    const kinds = (await Promise.all(settling)).map(({ kind }) => kind)
    expect([kinds, refusedNonces]).toEqual([['settled', 'settled'], []])
  })

  test('is brought a payment with the block after that of another process with the same key', async () => {
    const one = facilitatorOver(node, 'base').settle(...(await aPayment(node, 'base')))
    await eventually(async () => waiting.size === 1)
    const other = facilitatorOver(node, 'base').settle(...(await aPayment(node, 'base')))
    await eventually(async () => refusedNonces.length === 1)
    await mine()
    await eventually(async () => waiting.size === 1)
    await mine()
    const kinds = (await Promise.all([one, other])).map(({ kind }) => kind)
    expect([kinds, refusedNonces.length]).toEqual([['settled', 'settled'], 1])
  })

  test('is brought the next payment though one it took was lost', async () => {
    const { settle } = facilitatorOver(node, 'base', 1_000)
    const lost = settle(...(await aPayment(node, 'base')))
    await eventually(async () => waiting.size === 1)
    await node.rpc('anvil_dropAllTransactions')
    waiting.clear()
    expect(await lost).toEqual({ kind: 'unknown' })
    const next = settle(...(await aPayment(node, 'base')))
    await eventually(async () => waiting.size === 1)
    await mine()
    expect(await next).toMatchObject({ kind: 'settled' })
  })

  test('that takes none of it, as others are faster, leaves the payment to be settled later', async () => {
    const { settle } = facilitatorOver(node, 'base')
    const payment = await aPayment(node, 'base')
    relay.misbehave(
      perCall(async (call, ask) => {
        if (call.method !== 'eth_sendRawTransaction') return asSkaled(call, ask)
        const from = node.wallet(8).address
        await node.submit({ from, to: recipient, data: '0x' })
        await node.mine(1)
        return errorOf(call.id, -32000, 'Pending transaction with same nonce already exists')
      }),
    )
    expect(await settle(...payment)).toEqual({ kind: 'untaken' })
    relay.misbehave(perCall(asSkaled))
    const again = settle(...payment)
    await eventually(async () => waiting.size === 1)
    await mine()
    expect(await again).toMatchObject({ kind: 'settled' })
  })
})
