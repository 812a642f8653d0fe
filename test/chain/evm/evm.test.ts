import { describe, expect, test } from 'bun:test'
import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { type EvmNode, startEvmNode, transferCall } from '../../support/evm-node.ts'
import { refusingRanges } from '../../support/rpc-faults.ts'
import { type RpcAnswer, startRpcRelay } from '../../support/rpc-relay.ts'
import { useWorld } from '../../support/world.ts'
import { keepsThePromise } from '../conformance.ts'
import { standsItsNodes } from '../conformance-faults.ts'
import { asksASecondNode } from '../conformance-second-node.ts'
import { installRelayer } from '../facilitator/relayer.ts'
import {
  type AdapterOptions,
  newReference,
  type ReferencedPayment,
  type Subject,
} from '../subject.ts'

const ours = [
  '0x00000000000000000000000000000000000000a1',
  '0x00000000000000000000000000000000000000a2',
  '0x00000000000000000000000000000000000000a3',
] as const

const ways = [
  'bytes behind transfer',
  'bytes behind transferFrom',
  'an authorization of its own',
  'an authorization with v, r and s',
  'an authorization through a contract',
] as const

describe('EVM', () => keepsThePromise(ways, startSubject))

describe('a second node on EVM', () => asksASecondNode(startSubject))

describe('EVM nodes that fail, lie or lag', () => standsItsNodes(startSubject))

describe('busy transactions and blocks', () => {
  const { node } = useWorld({ chains: ['base'], service: 'no database' })

  test('each of three authorizations in one transaction keeps its reference', async () => {
    const relayer = await installRelayer(node)
    const payer = node.wallet(1)
    await node.mint(payer.address, 100n)
    const payments = ours.map((to, at) => ({
      to,
      usdcBase: BigInt(at + 1),
      reference: newReference(),
    }))
    const calls = await Promise.all(
      payments.map((payment) => node.signedAuthorization({ from: payer, ...payment })),
    )
    const data: Hex = `0x${calls.map((call) => call.slice(2)).join('')}`
    const txHash = await node.send({ from: node.wallet(2).address, to: relayer, data })
    const { transfers } = await lastBlock(node)
    expect(
      transfers.map(({ to, usdcBase, references }) => ({ to, usdcBase, reference: references[0] })),
    ).toEqual(payments)
    expect(transfers.map((transfer) => transfer.txHash)).toEqual([txHash, txHash, txHash])
    expect(transfers.map(({ position }) => position)).toEqual([1, 3, 5])
  })

  test('references are found where a node counts the logs of receipts within the transaction', async () => {
    const relayer = await installRelayer(node)
    const payer = node.wallet(1)
    await node.mint(payer.address, 100n)
    await node.rpc('evm_setAutomine', [false])
    const references = Array.from({ length: 6 }, newReference)
    for (let at = 0; at < references.length; at += 2) {
      const calls = await Promise.all(
        // Two equal payments per transaction, with different references.
        references
          .slice(at, at + 2)
          .map((reference) =>
            node.signedAuthorization({ from: payer, to: ours[0], usdcBase: 3n, reference }),
          ),
      )
      const data: Hex = `0x${calls.map((call) => call.slice(2)).join('')}`
      await node.submit({ from: node.wallet(2).address, to: relayer, data })
    }
    await node.mine(1)
    await node.rpc('evm_setAutomine', [true])
    const relay = startRpcRelay(node.url)
    relay.edit((answer, method) =>
      method === 'eth_getTransactionReceipt' ? countedWithin(answer) : answer,
    )
    const { transfers } = await lastBlock(node, ours, relay.url)
    await relay.stop()
    expect(transfers.map((transfer) => transfer.references[0] ?? '')).toEqual(references)
    expect(transfers).toEqual((await lastBlock(node)).transfers)
  })

  test('a block with more logs than nodes list is read from its receipts', async () => {
    const relayer = await installRelayer(node)
    const payer = node.wallet(1)
    await node.mint(payer.address, 100n)
    await node.rpc('evm_setAutomine', [false])
    for (const to of ours) {
      const data = transferCall({ to, usdcBase: 2n })
      await node.submit({ from: payer.address, to: node.usdc, data })
      const payment = { from: payer, to, usdcBase: 3n, reference: newReference() }
      const signed = await node.signedAuthorization(payment)
      await node.submit({ from: node.wallet(2).address, to: relayer, data: signed })
    }
    await node.mine(1)
    await node.rpc('evm_setAutomine', [true])
    const relay = startRpcRelay(node.url)
    relay.misbehave(refusingRanges(0, -32005, 'query returned more than 10000 results'))
    const { transfers } = await lastBlock(node, ours, relay.url)
    expect(transfers).toHaveLength(6)
    expect(transfers).toEqual((await lastBlock(node)).transfers)
    const some = await lastBlock(node, [ours[1]], relay.url)
    expect(some.transfers).toEqual(transfers.filter(({ to }) => to === ours[1]))
    const counting = startRpcRelay(node.url)
    counting.edit((answer, method) =>
      method === 'eth_getTransactionReceipt' ? countedWithin(answer) : answer,
    )
    relay.connect(counting.url)
    expect((await lastBlock(node, ours, relay.url)).transfers).toEqual(transfers)
    await Promise.all([relay.stop(), counting.stop()])
  })

  /** Numbers the logs of a receipt from 0, as skaled does. */
  function countedWithin({ id, result }: RpcAnswer): RpcAnswer {
    const receipt = result as { readonly logs: readonly object[] }
    const logs = receipt.logs.map((log, at) => ({ ...log, logIndex: toHex(at) }))
    return { id, result: { ...receipt, logs } }
  }

  async function lastBlock(
    node: EvmNode,
    addresses: readonly string[] = ours,
    url: string = node.url,
  ) {
    const chain = chainAt([url], node)
    const { number } = await chain.head()
    return chain.transfers({ from: number, to: number }, addresses)
  }
})

async function startSubject(): Promise<Subject> {
  const node = await startEvmNode({ chainId: 8453 })
  const [payer, spender] = [node.wallet(1), node.wallet(2)]
  await node.mint(payer.address, 10n ** 16n)
  await node.send({ from: payer.address, to: node.usdc, data: approveCall(spender.address) })
  const relayer = await installRelayer(node)
  const fakeUsdc = '0x00000000000000000000000000000000000fa4e0'
  await node.installFakeUsdc(fakeUsdc, payer.address, 1_000n)

  async function payThrough(to: Hex, payment: ReferencedPayment): Promise<string> {
    const data = await node.signedAuthorization({ from: payer, ...payment })
    return node.send({ from: spender.address, to, data })
  }

  const waysToPay: Record<(typeof ways)[number], Subject['ways'][string]> = {
    'bytes behind transfer': (payment) => node.transfer({ from: payer.address, ...payment }),
    'bytes behind transferFrom': ({ to, usdcBase, reference }) =>
      node.send({
        from: spender.address,
        to: node.usdc,
        data: `${transferFromCall(payer.address, to, usdcBase)}${reference.slice(2)}` as Hex,
      }),
    'an authorization of its own': (payment) => payThrough(node.usdc, payment),
    'an authorization with v, r and s': async (payment) => {
      const data = splitSignature(await node.signedAuthorization({ from: payer, ...payment }))
      return node.send({ from: spender.address, to: node.usdc, data })
    },
    'an authorization through a contract': (payment) => payThrough(relayer, payment),
  }

  return {
    chain: chainAt([node.url], node),
    nodeUrl: node.url,
    chainAt: (rpcUrls, options) => chainAt(rpcUrls, node, options),
    misdirected: evmChain({
      network: 'polygon',
      chainId: 137,
      rpcUrls: [node.url],
      usdc: node.usdc,
    }),
    payer: payer.address.toLowerCase(),
    ours,
    stranger: '0x00000000000000000000000000000000000000b1',
    pay: (payment) => node.transfer({ from: payer.address, ...payment }),
    ways: waysToPay,
    async makeNoise(to) {
      const from = payer.address
      await node.transfer({ from, to, usdcBase: 0n })
      await node.transfer({ from, to, usdcBase: 10n ** 17n })
      await node.transfer({ from, to, usdcBase: 5n, token: fakeUsdc })
    },
    mine: node.mine,
    reorg: (depth) => node.reorg(depth),
    stop: node.stop,
  }
}

function chainAt(
  rpcUrls: readonly string[],
  { chainId, usdc }: EvmNode,
  options: AdapterOptions = {},
) {
  return evmChain({ network: 'base', chainId, rpcUrls, usdc, ...options })
}

const abi = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transferFrom(address from, address to, uint256 value)',
])

function approveCall(spender: Hex): Hex {
  return encodeFunctionData({ abi, functionName: 'approve', args: [spender, 2n ** 128n] })
}

function transferFromCall(from: Hex, to: string, usdcBase: bigint): Hex {
  return encodeFunctionData({
    abi,
    functionName: 'transferFrom',
    args: [from, to as Hex, usdcBase],
  })
}

/**
 * Converts an authorisation to the function that takes v, r and s separately. The signature bytes
 * are r, s, v.
 */
function splitSignature(call: Hex): Hex {
  const words = call.slice(10).match(/.{64}/g) ?? []
  const [r, s, v] = words.slice(8)
  return `0xe3ee160e${words.slice(0, 6).join('')}${v?.slice(0, 2).padStart(64, '0')}${r}${s}`
}
