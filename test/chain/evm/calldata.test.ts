import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { wordsAfter } from '../../../src/chain/evm/calldata.ts'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import {
  type Executor,
  handleOps,
  installExecutor,
  type Named,
  namedCall,
} from '../../support/executor.ts'
import { newReference } from '../subject.ts'

const to = '0x00000000000000000000000000000000000000a1'
/** An address that begins with zeros, like the padding before it. */
const other = '0x0000000000000000000000000000000000000a20'
const builderCode = Buffer.from('quittance, built by nobody.').toString('hex')
const usdcBase = 12_500_000n
const [a, b, c] = [newReference(), newReference(), newReference()]
const to1 = { to, usdcBase }

let node: EvmNode
let wallet: Executor
let second: Executor
let delegating: Executor
let bundler: Executor

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  const owner = node.wallet(3).address.toLowerCase() as Hex
  wallet = await installExecutor(node)
  second = await installExecutor(node)
  bundler = await installExecutor(node)
  delegating = await installExecutor(node, owner)
  for (const address of [node.wallet(1).address, wallet.address, second.address, owner])
    await node.mint(address, 10n ** 12n)
})
afterAll(() => node?.stop())

type Case = readonly [
  name: string,
  sent: () => { readonly to: Hex; readonly data: Hex; readonly from?: Hex },
  expected: readonly (readonly string[])[],
]

const cases: readonly Case[] = [
  [
    'a transfer with a builder code after the reference',
    () => ({ to: node.usdc, data: `${namedCall({ ...to1, reference: a })}${builderCode}` }),
    [[a]],
  ],
  ['a call from inside', () => inWallet('execute', { ...to1, reference: a }), [[a]]],
  [
    'a self-call of an EIP-7702 account',
    () => {
      const data = delegating.execute({ ...to1, reference: a })
      return { from: delegating.address, to: delegating.address, data }
    },
    [[a]],
  ],
  [
    'a batch to two addresses, one of which begins with zeros',
    () =>
      inBatch('executeBatch', [
        { ...to1, reference: a },
        { to: other, usdcBase, reference: b },
      ]),
    [[a], [b]],
  ],
  [
    'a multisend, which packs its calls, of equal amounts',
    () =>
      inBatch('multiSend', [
        { ...to1, reference: a },
        { to, usdcBase: 1n, reference: c },
        { ...to1, reference: b },
      ]),
    [[a], [c], [b]],
  ],
  [
    'a batch whose second transfer has none',
    () =>
      inBatch('executeBatch', [
        { ...to1, reference: a },
        { to: other, usdcBase },
      ]),
    [[a], []],
  ],
  [
    'a bundle of two senders',
    () => bundle([wallet, { ...to1, reference: a }], [second, { to, usdcBase: 7n, reference: b }]),
    [[a], [b]],
  ],
]

describe('the reference after its own recipient and amount is found in', () => {
  test.each(cases)('%s', async (_, sent, expected) => {
    expect((await transfersOf(sent())).map(({ references }) => references)).toEqual([...expected])
  })
})

describe('a reference that could be for another transfer', () => {
  test('comes with the others where a call of the same amount failed', async () => {
    const poor = await installExecutor(node)
    await node.mint(poor.address, usdcBase)
    const data = poor.executeBatch([a, b].map((reference) => ({ ...to1, reference })))
    const [paid, ...others] = await transfersOf({ to: poor.address, data })
    expect([paid?.references, others]).toEqual([[a, b], []])
  })

  test('counts for nothing alone where whoever sent the call has appended it', async () => {
    const pair = [to, usdcBase.toString(16)].map((one) => one.replace('0x', '').padStart(64, '0'))
    const data: Hex = `${wallet.execute(to1)}${pair.join('')}${b.slice(2)}`
    const [paid] = await transfersOf({ to: wallet.address, data })
    expect(paid).toMatchObject({ references: [b], isUnsure: true })
  })

  test.each([
    ['with another reference', { ...to1, reference: a }],
    ['without one', to1],
  ])(
    'is not believed in a bundle where a stranger names the transfer once more, %s',
    async (_, own) => {
      // The stranger has no money: its operation only stands there.
      const stranger = await installExecutor(node)
      const [paid, ...others] = await transfersOf(
        bundle([stranger, { ...to1, reference: b }], [wallet, own]),
      )
      expect([paid?.references, paid?.calldata, others]).toEqual([[], undefined, []])
    },
  )
})

describe('a call that names an invoice anywhere else', () => {
  test('comes with the only transfer it makes', async () => {
    const sent = { to: wallet.address, data: wallet.pay({ ...to1, reference: a }) }
    const [paid] = await transfersOf(sent)
    expect(paid).toMatchObject({ calldata: sent.data })
    expect(paid?.references).not.toContain(a)
  })

  test('does not come with one of two, nor out of a bundle, nor where it is very long', async () => {
    const pay = wallet.pay({ ...to1, reference: a })
    const two = inBatch('executeBatch', [to1, { to: other, usdcBase }])
    const ops = [{ sender: wallet.address, callData: pay }]
    const bundled = { to: bundler.address, data: handleOps(ops) }
    const long = { to: wallet.address, data: `${pay}${'00'.repeat(9_000)}` as const }
    for (const sent of [two, bundled, long])
      for (const { calldata } of await transfersOf(sent)) expect(calldata).toBeUndefined()
  })
})

test('a call of 128 KiB that repeats recipient and amount all over is read in a moment', () => {
  const word = (value: string) => value.padStart(64, '0')
  const pair = `${word(to.slice(2))}${word(usdcBase.toString(16))}`
  for (const text of [pair, '00', `${'00'.repeat(12)}${to.slice(2)}`]) {
    const input = `0x${text.repeat(262_144 / text.length)}`
    const startedMs = performance.now()
    wordsAfter(input, [{ to, usdcBase }], false)
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  }
})

function inWallet(way: 'execute', one: Named) {
  return { to: wallet.address, data: wallet[way](one) }
}

function inBatch(way: 'executeBatch' | 'multiSend', all: readonly Named[]) {
  return { to: wallet.address, data: wallet[way](all) }
}

function bundle(...all: readonly (readonly [Executor, Named])[]) {
  const ops = all.map(([{ address, execute }, one]) => ({
    sender: address,
    callData: execute(one),
  }))
  return { to: bundler.address, data: handleOps(ops) }
}

async function transfersOf(sent: { readonly to: Hex; readonly data: Hex; readonly from?: Hex }) {
  await node.send({ from: node.wallet(1).address, ...sent })
  const { chainId, usdc } = node
  const chain = evmChain({ network: 'base', chainId, rpcUrls: [node.url], usdc })
  const { number } = await chain.head()
  return (await chain.transfers({ from: number, to: number }, [to, other])).transfers
}
