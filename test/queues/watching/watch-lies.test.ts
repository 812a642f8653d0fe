import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { transferCall } from '../../support/evm-node.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { perCall } from '../../support/rpc-faults.ts'
import { due, startWatchStand, type WatchStand, wallet } from './stand.ts'

/** Events that look like a payment and are none, and several payments that look like one. */

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

const nothing = { settled: 0, receipts: 0, events: 0, transfers: 0 }
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

type Log = Record<string, unknown> & { readonly topics: readonly string[] }

function editLogs(change: (logs: readonly Log[]) => readonly unknown[]): void {
  stand.relay.edit((answer, method) =>
    method === 'eth_getLogs' ? { ...answer, result: change(answer.result as Log[]) } : answer,
  )
}

describe('nothing is paid by', () => {
  test('a transfer of nothing, a failed one, or one of another token of the same code, with or without the reference', async () => {
    const { node } = stand
    const watch = stand.watcher({ confirmations: 1 })
    const { terms } = await stand.openInvoice()
    await watch.step()
    const from = node.wallet(1).address
    const fake: Hex = '0x00000000000000000000000000000000000fa4e0'
    await node.installFakeUsdc(fake, from, 10n * due)
    for (const reference of ['0x', terms.reference]) {
      await node.transfer({ from, to: wallet, usdcBase: 0n, reference })
      await node.transfer({ from, to: wallet, usdcBase: 10n ** 17n, reference })
      await node.transfer({ from, to: wallet, usdcBase: due, reference, token: fake })
    }
    await watch.step()
    expect(await stand.standing()).toEqual(nothing)
  })

  test('a transfer of a wallet to itself, with or without the reference', async () => {
    const { node, database } = stand
    const { address } = node.wallet(3)
    await rememberPaymentAddress(database.sql, 'base', address)
    await node.mint(address, 2n * due)
    const watch = stand.watcher({ confirmations: 1 })
    const { terms } = await stand.openInvoice({ payTo: address })
    await watch.step()
    for (const reference of ['0x', terms.reference])
      await node.transfer({ from: address, to: address, usdcBase: due, reference })
    await watch.step()
    // The amount it received at first is held.
    expect(await stand.standing()).toEqual({ ...nothing, transfers: 1 })
  })

  test.each([
    ['removed', { removed: true }],
    ['from another contract', { address: `0x${'c'.repeat(40)}` }],
    ['of nothing', { data: `0x${'0'.repeat(64)}` }],
    ['of another event', { topics: [`0x${'9'.repeat(64)}`, '', ''] }],
    ['to somebody else', { topics: [transferTopic, `0x${'d'.repeat(64)}`, `0x${'e'.repeat(64)}`] }],
  ])('a log that a node says is %s', async (_, lie) => {
    const watch = stand.watcher({ confirmations: 1 })
    const { terms } = await stand.openInvoice()
    await watch.step()
    await stand.mined(await stand.sign({ from: 1, reference: terms.reference }))
    editLogs((logs) => logs.map((log) => ({ ...log, ...lie })))
    await watch.step()
    expect(await stand.standing()).toEqual(nothing)
  })

  test('two hundred transfers of nothing and of next to nothing in one block, and what is paid among them is', async () => {
    const { node } = stand
    const watch = stand.watcher({ confirmations: 1 })
    const { terms } = await stand.openInvoice()
    await watch.step()
    await node.rpc('anvil_autoImpersonateAccount', [true])
    await node.rpc('evm_setAutomine', [false])
    const call = (usdcBase: bigint, reference = '') => ({
      method: 'eth_sendTransaction',
      params: [
        {
          from: node.wallet(1).address,
          to: node.usdc,
          gas: '0x15f90',
          data: `${transferCall({ to: wallet, usdcBase })}${reference.slice(2)}`,
        },
      ],
    })
    const dust = Array.from({ length: 50 }, (_, n) => call(BigInt(n % 2)))
    for (const calls of [dust, dust, [call(due, terms.reference)], dust, dust])
      await node.batch(calls)
    await node.mine(1)
    await watch.step()
    expect(await stand.standing()).toEqual({ settled: 1, receipts: 1, events: 1, transfers: 101 })
  })
})

test('three payments in one transaction pay three invoices, each once, however often the node lists them', async () => {
  const { node } = stand
  const watch = stand.watcher({ confirmations: 1 })
  const invoices = [await stand.openInvoice(), await stand.openInvoice(), await stand.openInvoice()]
  await watch.step()
  const calls = invoices.map(({ terms: { reference } }) =>
    node.signedAuthorization({ from: node.wallet(1), to: wallet, usdcBase: due, reference }),
  )
  await stand.mined(await stand.signBatch(await Promise.all(calls)))
  editLogs((logs) => [...logs.toReversed(), ...logs])
  await watch.step()
  await watch.step()
  expect(await stand.standing()).toEqual({ settled: 3, receipts: 3, events: 3, transfers: 3 })
})

describe('one payment that nodes report twice', () => {
  /**
   * The node's answer about block `number` also contains the logs of block `of`, as if they were in
   * it.
   */
  async function alsoListedIn(number: number, of: number): Promise<void> {
    const at = (block: number) => `0x${block.toString(16)}`
    const there = await stand.node.rpc<{ hash: Hex }>('eth_getBlockByNumber', [at(number), false])
    stand.relay.misbehave(
      perCall(async (call, ask) => {
        const [filter] = call.params as [{ fromBlock: string; toBlock: string }]
        const isAbout = Number(filter?.fromBlock) <= number && number <= Number(filter?.toBlock)
        if (call.method !== 'eth_getLogs' || !isAbout) return ask(call)
        const params = [{ ...filter, fromBlock: at(of), toBlock: at(of) }]
        const [own, copied] = [await ask(call), await ask({ ...call, params })]
        const moved = { blockNumber: at(number), blockHash: there.hash, logIndex: at(7) }
        const copies = (copied.result as Log[]).map((log) => ({ ...log, ...moved }))
        return { ...own, result: [...(own.result as Log[]), ...copies] }
      }),
    )
  }

  async function twoInvoices() {
    const [older, newer] = [
      await stand.openInvoice({}, 60_000),
      await stand.openInvoice({}, 30_000),
    ]
    return async () => [(await stand.now(older)).state, (await stand.now(newer)).state]
  }

  test('in two blocks, by nodes on two forks, is not believed, and credited once where they agree', async () => {
    const watch = stand.watcher({ maxRangeBlocks: 1 })
    const states = await twoInvoices()
    await throughAll(watch)
    const paidIn = await stand.blockOf(await stand.mined(await stand.sign({ from: 1 })))
    await alsoListedIn(paidIn - 1, paidIn)
    await expect(watch.step()).rejects.toMatchObject({ fault: 'lagging' })
    expect(await stand.standing()).toEqual(nothing)
    stand.relay.behave()
    await watch.step()
    expect(await states()).toEqual(['paid', 'draft'])
    expect(await stand.standing()).toMatchObject({ transfers: 1 })
  })

  test('once more in the blocks that are read next is not credited once more', async () => {
    const states = await twoInvoices()
    await stand.watcher().step()
    const paidIn = await stand.blockOf(await stand.mined(await stand.sign({ from: 1 })))
    await stand.node.mine(20)
    await alsoListedIn(paidIn + 6, paidIn)
    const watch = stand.watcher({ maxRangeBlocks: 1 })
    expect(await watch.step()).toMatchObject({ isAdvancing: true })
    await expect(throughAll(watch)).rejects.toMatchObject({ fault: 'invalid_answer' })
    expect(await states()).toEqual(['settled', 'draft'])
    stand.relay.behave()
    await throughAll(watch)
    expect(await states()).toEqual(['settled', 'draft'])
    expect(await stand.standing()).toEqual({ settled: 1, receipts: 1, events: 1, transfers: 1 })
  })

  async function throughAll(watch: Watcher): Promise<void> {
    while ((await watch.step()).isAdvancing);
  }
})

describe('one answer that names a head 300 blocks further on', () => {
  test.each([
    ['part of the way there', { confirmations: 40, mined: 15 }],
    ['as many blocks as are asked for at once', { confirmations: 60, mined: 45 }],
  ])('confirms nothing where %s can be read', async (_, { confirmations, mined }) => {
    const watch = stand.watcher({ confirmations, maxRangeBlocks: 10 })
    const { terms } = await stand.openInvoice()
    await watch.step()
    await stand.mined(await stand.sign({ from: 1, reference: terms.reference }))
    await stand.node.mine(mined)
    let told = 0
    stand.relay.edit((answer, method) => {
      const block = answer.result as { number: string }
      if (method !== 'eth_getBlockByNumber' || told++ > 0) return answer
      return {
        ...answer,
        result: { ...block, number: `0x${(Number(block.number) + 300).toString(16)}` },
      }
    })
    await watch.step()
    stand.relay.behave()
    expect(await stand.standing()).toEqual({ ...nothing, transfers: 1 })
    await stand.node.mine(confirmations - mined)
    while ((await watch.step()).isAdvancing);
    expect(await stand.standing()).toEqual({ settled: 1, receipts: 1, events: 1, transfers: 1 })
  })
})

describe('a chain whose finality stands still', () => {
  test('settles nothing while it does, and the payment once it goes on', async () => {
    const watch = stand.watcher({ finalized: true })
    const { terms } = await stand.openInvoice()
    await watch.step()
    const stalledAt = await stand.node.rpc<Hex>('eth_blockNumber')
    await stand.mined(await stand.sign({ from: 1, reference: terms.reference }))
    await stand.node.mine(80)
    stand.relay.misbehave(
      perCall((call, ask) =>
        call.params[0] === 'finalized' ? ask({ ...call, params: [stalledAt, false] }) : ask(call),
      ),
    )
    await watch.step()
    await watch.step()
    expect(await stand.standing()).toEqual({ ...nothing, transfers: 1 })
    stand.relay.behave()
    await watch.step()
    expect(await stand.standing()).toEqual({ settled: 1, receipts: 1, events: 1, transfers: 1 })
  })
})
