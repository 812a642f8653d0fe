import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { findingNothing, gatewayRefusal, withoutLogs } from '../../support/rpc-faults.ts'
import { depth, runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

describe('a nonce that another program has used', () => {
  beforeEach(async () => {
    await stand.holdMining()
    await stand.oweState('mandate_a', 1)
    await stand.worker().run()
    await stand.dropPool()
    await stand.stealNonce()
  })

  test('is given up once the other transaction has been deep for five minutes; later states of the mandate wait', async () => {
    await stand.oweState('mandate_a', 2)
    await stand.pass(61_000)
    await stand.worker().run()
    expect((await stand.anchor('state_1')).state).toBe('sent')
    await stand.node.mine(depth - 2)
    await stand.worker().run()
    expect((await stand.anchor('state_1')).state).toBe('sent')
    await stand.node.mine(1)
    const worker = stand.worker()
    await worker.run()
    await stand.pass(299_000)
    await worker.run()
    expect((await stand.anchor('state_1')).state).toBe('sent')
    await stand.pass(1_000)
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('is ours again when a reorganisation drops the other transaction', async () => {
    await stand.worker().run()
    await stand.node.reorg(1)
    await stand.pass(6_000)
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })
})

test('another program’s pending transaction for the same key and nonce is not outbid', async () => {
  await stand.holdMining()
  const { sender } = stand
  const client = stand.client()
  let foreign: Hex | null = null
  const worker = stand.worker({
    client: {
      ...client,
      async broadcast(signedBytes) {
        foreign ??= await stand.node.rpc<Hex>('eth_sendTransaction', [
          {
            from: sender,
            to: sender,
            maxPriorityFeePerGas: '0x12a05f200',
            maxFeePerGas: '0x2540be400',
          },
        ])
        return client.broadcast(signedBytes)
      },
    },
  })
  await stand.oweReceipts('drs_a')
  for (let round = 0; round < 20; round++) {
    await worker.run()
    await stand.pass(6_000)
  }
  await stand.node.mine(depth)
  expect(await stand.node.rpc('eth_getTransactionReceipt', [foreign])).not.toBeNull()
  await worker.run()
  await stand.pass(300_000)
  await runUntilDeep(stand, worker)
  await stand.expectAllOnChain()
})

test('no nonce counts as lost where a node refuses batches and its receipts come from one that lags', async () => {
  await stand.oweState('mandate_a', 1)
  await stand.worker().run()
  await stand.node.mine(depth)
  const worker = stand.worker()
  const behind = findingNothing(['eth_getTransactionReceipt'])
  const refused = gatewayRefusal(-32600, 'batch requests are not supported')
  stand.provider.misbehave((request, forward) =>
    request.length > 1 ? refused(request, forward) : behind(request, forward),
  )
  for (let look = 0; look < 4; look++) {
    await worker.run()
    await stand.pass(60_000)
  }
  stand.provider.behave()
  await runUntilDeep(stand, worker)
  expect(await stand.timesSigned()).toEqual([1])
  await stand.expectAllOnChain()
})

describe('after the key was replaced, a transaction of the old one', () => {
  const successor = () =>
    stand.worker({ client: stand.client({ privateKey: stand.node.wallet(8).privateKey }) })

  beforeEach(async () => {
    await stand.holdMining()
    await stand.oweState('mandate_a', 1)
    await stand.worker().run()
    await stand.oweState('mandate_a', 2)
  })

  test('is recorded once it is mined, and later states of the mandate follow', async () => {
    await runUntilDeep(stand, successor())
    expect(await stand.timesSigned()).toEqual([1, 1])
    await stand.expectAllOnChain()
  })

  test('goes out again unchanged when the pool drops it', async () => {
    await stand.dropPool()
    await stand.pass(31_000)
    await runUntilDeep(stand, successor())
    expect(await stand.timesSigned()).toEqual([1, 1])
    await stand.expectAllOnChain()
  })

  test('has its events sent anew when its nonce went to another transaction', async () => {
    await stand.dropPool()
    await stand.stealNonce()
    await stand.node.mine(depth)
    const worker = successor()
    await worker.run()
    await stand.pass(300_000)
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })
})

test('a transaction that failed on chain gives its events back once that is deep', async () => {
  const client = stand.client()
  const starved = { ...client, gasFor: async () => 26_000n }
  await stand.oweState('mandate_a', 1)
  await stand.worker({ client: starved }).run()
  await stand.oweState('mandate_a', 2)
  await stand.worker().run()
  expect(await stand.timesSigned()).toEqual([1])
  await runUntilDeep(stand)
  expect(await stand.timesSigned()).toEqual([1, 1, 1])
  await stand.expectAllOnChain()
})

describe('a transaction that a node shows without its events,', () => {
  beforeEach(async () => {
    await stand.oweState('mandate_a', 1)
    await stand.worker().run()
    await stand.node.mine(depth)
    stand.provider.misbehave(withoutLogs())
  })

  test('which the node gets later, is followed, and they are not sent again', async () => {
    const worker = stand.worker()
    await worker.run()
    await stand.pass(299_000)
    await worker.run()
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    expect(await stand.timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test('for five minutes, gives them back', async () => {
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await worker.run()
    expect(await stand.timesSigned()).toEqual([1, 1])
  })
})

test('receipts of which one was revoked while their transaction failed on chain are in the same batch again, and that one is revoked after it', async () => {
  const client = stand.client()
  const starved = { ...client, gasFor: async () => 25_200n }
  await stand.oweReceipts('drs_a', 'drs_b')
  await stand.worker({ client: starved }).run()
  await stand.revoke('drs_a')
  await stand.node.mine(depth)
  await runUntilDeep(stand)
  expect(await stand.sent()).toEqual(['', 'drs_a+drs_b', 'revocation'])
  await stand.expectAllOnChain()
})
