import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Hex, parseTransaction } from 'viem'
import { anchorClient } from '../../../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../../../src/chain/anchor/deployment.ts'
import { cutOffAt, errorOf, perCall } from '../../support/rpc-faults.ts'
import { eventually } from '../../support/wait.ts'
import { runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

function timesSent(): number {
  const asked = stand.provider.requests.flat()
  return asked.filter((method) => method === 'eth_sendRawTransaction').length
}

/** Lets the node refuse signed transactions with the message that `words` answers; null accepts. */
function refuseWhere(
  words: (terms: { tip: bigint; most: bigint; gas: bigint }) => string | null,
): void {
  stand.provider.misbehave(
    perCall((call, ask) => {
      if (call.method !== 'eth_sendRawTransaction') return ask(call)
      const signed = parseTransaction(call.params[0] as Hex)
      const { maxPriorityFeePerGas: tip = 0n, maxFeePerGas: most = 0n, gas = 0n } = signed
      const refusal = words({ tip, most, gas })
      return refusal ? errorOf(call.id, -32000, refusal) : ask(call)
    }),
  )
}

/** A contract that another key deployed; mining goes on until then. */
async function otherContract(): Promise<string> {
  await stand.node.rpc('evm_setAutomine', [true])
  const { privateKey } = stand.node.wallet(6)
  const { contract } = await deployAnchor({ rpcUrls: [stand.node.url], privateKey })
  await stand.holdMining()
  return contract
}

describe('with a node that is down for ten minutes', () => {
  test('events wait, and are all there in the order they came about once it is back', async () => {
    const worker = stand.worker({ mostEvents: 3 })
    await stand.oweState('mandate_a', 1)
    await worker.run()
    stand.provider.misbehave(() => new Response('', { status: 502 }))
    for (let minute = 0; minute < 10; minute++) {
      await stand.pass(60_000)
      await stand.oweState('mandate_a', 2 + minute)
      await stand.oweState('mandate_b', minute)
      await expect(worker.run()).rejects.toThrow('HTTP 502')
    }
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('that fails after it accepted a transaction, its events are emitted once', async () => {
    await stand.oweReceipts('drs_a')
    stand.provider.edit((answer) =>
      typeof answer.result === 'string' && answer.result.length === 66
        ? { id: answer.id, error: { code: -32000, message: 'gateway timeout' } }
        : answer,
    )
    await expect(stand.worker().run()).rejects.toThrow('gateway timeout')
    stand.provider.behave()
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })
})

test('the second node anchors events where the first has stopped getting blocks', async () => {
  const { provider, node, privateKey, contract } = stand
  const rpcUrls = [provider.url, node.url]
  const worker = stand.worker({ client: anchorClient({ rpcUrls, privateKey, contract }) })
  const last = await node.rpc<Hex>('eth_blockNumber', [])
  await stand.oweReceipts('drs_a')
  await worker.run()
  await node.mine(1)
  await worker.run()
  provider.misbehave(cutOffAt(last))
  await stand.oweReceipts('drs_b')
  for (let round = 0; round < 2; round++) await worker.run()
  expect((await stand.anchor('drs_b')).state).toBe('anchored')
  await stand.expectAllOnChain()
})

describe('a transaction that is not mined', () => {
  beforeEach(() => stand.holdMining())

  test.each<[string, () => Promise<unknown>]>([
    [
      'whose broadcast never reached a node',
      async () => {
        await stand.worker().run()
        await stand.dropPool()
        await stand.database.sql`update anchor_transactions set state = 'signed'`
      },
    ],
    [
      'that the pool dropped',
      async () => {
        await stand.worker().run()
        await stand.dropPool()
        await stand.pass(6_000)
      },
    ],
    [
      'that the pool dropped, sent by a worker whose clock is an hour ahead',
      async () => {
        await stand.worker({ aheadMs: 3_600_000 }).run()
        await stand.dropPool()
        await stand.pass(6_000)
      },
    ],
    [
      'that a worker sees whose clock is an hour ahead',
      async () => {
        await stand.worker().run()
        await stand.worker({ aheadMs: 3_600_000 }).run()
      },
    ],
  ])('%s is mined as it was signed', async (_, arrange) => {
    await stand.oweReceipts('drs_a')
    await arrange()
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test.each([
    ['for the same contract', () => stand.contract],
    ['for another contract', otherContract],
  ])('is found when it is mined instead of its replacement %s', async (_, contractOf) => {
    const worker = stand.worker({ contract: await contractOf() })
    await stand.oweReceipts('drs_a')
    await stand.worker().run()
    const original = await stand.bytesOf('drs_a')
    await stand.pass(31_000)
    await worker.run()
    expect(await stand.timesSigned()).toEqual([2])
    await stand.dropPool()
    await stand.node.rpc('eth_sendRawTransaction', [original])
    await runUntilDeep(stand, worker)
    expect((await stand.anchor('drs_a')).contract).toBe(stand.contract)
    expect(await stand.timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('for too low a fee is replaced, with the same nonce and its events in the same order', async () => {
    for (const sequence of [1, 2, 3]) await stand.oweState(`mandate_${sequence}`, sequence)
    await stand.oweReceipts('drs_a')
    await stand.worker().run()
    await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be400'])
    await stand.node.mine(1)
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('because the node wants a higher tip gets one', async () => {
    await stand.oweReceipts('drs_a')
    await stand.worker().run()
    const [row] = await stand.database.sql`
      update anchor_transactions set state = 'signed' returning max_priority_fee_per_gas as tip`
    await stand.dropPool()
    const needed = 2n * BigInt(row?.tip)
    refuseWhere(({ tip }) =>
      tip < needed
        ? `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${needed}`
        : null,
    )
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('because it was signed for more than the balance is signed anew once fees are lower', async () => {
    await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be40000'])
    await stand.node.mine(1)
    refuseWhere(({ most }) =>
      most > 0x2540be4000n
        ? 'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1'
        : null,
    )
    await stand.oweReceipts('drs_a')
    await expect(stand.worker().run()).rejects.toThrow('insufficient funds')
    await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
    await stand.node.mine(1)
    await stand.worker().run()
    expect(await stand.timesSigned()).toEqual([1])
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('because it was signed for too little gas is signed anew for the same fees', async () => {
    refuseWhere(({ gas }) => (gas < 30_000n ? 'intrinsic gas too low' : null))
    await stand.oweReceipts('drs_a')
    const starved = { ...stand.client(), gasFor: async () => 26_000n }
    const worker = stand.worker({ client: starved })
    await expect(worker.run()).rejects.toThrow('intrinsic gas too low')
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('because the node refuses it for three days is not signed anew, and goes out once it is accepted', async () => {
    refuseWhere(() => 'sender is banned')
    await stand.oweReceipts('drs_a')
    const worker = stand.worker()
    await expect(worker.run()).rejects.toThrow('sender is banned')
    for (let hour = 0; hour < 72; hour++) {
      if (hour === 24) {
        await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be400'])
        await stand.node.mine(1)
      }
      await stand.pass(3_600_000)
      await worker.run()
      await worker.run()
    }
    expect(await stand.timesSigned()).toEqual([1])
    expect(stand.warnings).not.toContain('a stuck anchor transaction was replaced')
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('is not sent again by a worker that has lost the lock after its successor saw it mined', async () => {
    await stand.oweReceipts('drs_a')
    await stand.worker().run()
    await stand.pass(31_000)
    const client = stand.client()
    let sentBefore = 0
    const frozen = stand.worker({
      client: {
        ...client,
        async signEntries(...asked) {
          await stand.database.sql`
            select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
              and database = (select oid from pg_database where datname = current_database())`
          await stand.node.mine(1)
          await eventually(async () => (await stand.worker().run()).openTransactions !== null)
          sentBefore = timesSent()
          return client.signEntries(...asked)
        },
      },
    })
    await frozen.run()
    expect((await stand.anchor('drs_a')).state).toBe('anchored')
    expect(await stand.timesSigned()).toEqual([1])
    expect(timesSent()).toBe(sentBefore)
  })
})
