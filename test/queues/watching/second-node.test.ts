import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { createSecondNode } from '../../../src/chain/rpc/second-node.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { denying } from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { startWatchStand, type WatchStand } from './stand.ts'

/**
 * Two providers before one node. One that denies a transaction stands for one that forges it: who
 * is right cannot be known.
 */

const twoMinutesMs = 120_000

let stand: WatchStand
let second: RpcRelay
let waitedMs: number
let faulty: string[]
let notes: () => readonly string[]

beforeEach(async () => {
  stand = await startWatchStand()
  second = startRpcRelay(stand.node.url)
  waitedMs = 0
  faulty = []
})
afterEach(async () => {
  await second.stop()
  await stand.stop()
})

/** A new process: nothing but the database is remembered. */
function watcher(rpcUrls = [stand.relay.url, second.url]) {
  const { usdc, chainId } = stand.node
  const chain = evmChain({
    ...{ network: 'base', chainId, rpcUrls, usdc },
    onNode: ({ host, fault }) => fault && faulty.push(`${URL.parse(`http://${host}`)?.port}`),
  })
  const log = { warn: () => {}, error: () => {} }
  const steadyMs = () => performance.now() + waitedMs
  const secondNode = createSecondNode({ chain, steadyMs, log })
  notes = secondNode.notes
  return stand.watcher({ confirmations: 2, chain, secondNode })
}

function wait(durationMs: number): void {
  waitedMs += durationMs
  stand.wait(durationMs)
}

function silence(relay: RpcRelay): void {
  relay.misbehave(() => new Response('away', { status: 502 }))
}

async function paid(invoice: Invoice.Invoice): Promise<string> {
  const { reference } = invoice.terms
  const txHash = await stand.mined(await stand.sign({ from: 1, reference }))
  await stand.node.mine(3)
  return txHash
}

async function statesAfter(steps: number, ...invoices: Invoice.Invoice[]) {
  const watch = watcher()
  for (let step = 0; step < steps; step++) await watch.step()
  return Promise.all(invoices.map(async (one) => (await stand.now(one)).state))
}

describe('a payment is settled', () => {
  test('in one step where a second node shows it', async () => {
    const invoice = await stand.openInvoice()
    await watcher().step()
    await paid(invoice)
    expect(await statesAfter(1, invoice)).toEqual(['settled'])
    expect(faulty).toEqual([])
  })

  test('with the same URL twice as with one', async () => {
    const invoice = await stand.openInvoice()
    const { url } = stand.relay
    const watch = watcher([url, url])
    await watch.step()
    await paid(invoice)
    await watch.step()
    expect((await stand.now(invoice)).state).toBe('settled')
  })

  test.each(['first', 'second'])(
    'after two minutes where the %s node is silent, and /readyz says so',
    async (which) => {
      const invoice = await stand.openInvoice()
      const watch = watcher()
      await watch.step()
      await paid(invoice)
      silence(which === 'first' ? stand.relay : second)
      await watch.step()
      wait(twoMinutesMs - 5_000)
      await watch.step()
      expect((await stand.now(invoice)).state).toBe('paid')
      expect(notes()).toEqual([])
      wait(6_000)
      await watch.step()
      expect((await stand.now(invoice)).state).toBe('settled')
      expect(notes()).toEqual([expect.stringContaining('does not answer')])
    },
  )

  test('as soon as a node that was silent answers, by another process too', async () => {
    const invoice = await stand.openInvoice()
    await watcher().step()
    await paid(invoice)
    silence(second)
    expect(await statesAfter(2, invoice)).toEqual(['paid'])
    await stand.node.mine(200)
    expect(await statesAfter(2, invoice)).toEqual(['paid'])
    second.behave()
    expect(await statesAfter(1, invoice)).toEqual(['settled'])
  })
})

describe.each([
  ['first', true],
  ['second', false],
])('a payment that the %s node does not show', (_, isFirst) => {
  const liar = () => (isFirst ? stand.relay : second)

  test('is held alone, whatever the time, is named, and settled once the nodes agree', async () => {
    const [held, other] = [await stand.openInvoice(), await stand.openInvoice()]
    const watch = watcher()
    await watch.step()
    const txHash = await paid(held)
    liar().misbehave(denying(txHash))
    await paid(other)
    // Blocks are read again from the other node in turn.
    for (let step = 0; step < 4; step++) {
      await watch.step()
      wait(60_000)
    }
    expect((await stand.now(held)).state).toBe('paid')
    expect((await stand.now(other)).state).toBe('settled')
    expect(notes()).toEqual([expect.stringContaining(txHash)])
    // Where it does not lie about anything that two nodes have shown, it is not said to.
    faulty = []
    expect(await statesAfter(2, held, other)).toEqual(['paid', 'settled'])
    expect(faulty).toEqual([])
    await stand.node.mine(300)
    liar().behave()
    expect(await statesAfter(2, held, other)).toEqual(['settled', 'settled'])
    expect(notes()).toEqual([])
  })
})

test('a payment that no node shows any more is taken back, and the invoice can be paid', async () => {
  const invoice = await stand.openInvoice()
  const watch = watcher()
  await watch.step()
  const txHash = await paid(invoice)
  second.misbehave(denying(txHash))
  await watch.step()
  expect((await stand.now(invoice)).state).toBe('paid')
  stand.relay.misbehave(denying(txHash))
  await watch.step()
  await watch.step()
  expect((await stand.now(invoice)).state).toBe('draft')
  await paid(invoice)
  await watch.step()
  expect((await stand.now(invoice)).state).toBe('settled')
})

test('a reference that only one node shows decides nothing', async () => {
  const [meant, other] = [await stand.openInvoice({}, 60_000), await stand.openInvoice()]
  const watch = watcher()
  await watch.step()
  await paid(meant)
  // The input names another invoice.
  const reference = other.terms.reference.slice(2)
  stand.relay.edit((answer, method) => {
    if (method !== 'eth_getTransactionByHash') return answer
    const { input, ...others } = answer.result as { readonly input: string }
    return { ...answer, result: { ...others, input: `${input.slice(0, -64)}${reference}` } }
  })
  await watch.step()
  await watch.step()
  const states = [(await stand.now(meant)).state, (await stand.now(other)).state]
  expect(states).toEqual(['draft', 'paid'])
  expect(notes()).toHaveLength(1)
})
