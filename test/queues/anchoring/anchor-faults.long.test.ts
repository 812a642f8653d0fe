import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Hex, parseTransaction } from 'viem'
import { anchorClient, deployAnchor } from '../../../src/chain/anchor/anchor.ts'
import type { AnchorWorker } from '../../../src/queues/anchoring/anchor.ts'
import { markFailed } from '../../../src/storage/anchors/transactions.ts'
import { transferCall } from '../../support/evm-node.ts'
import {
  cutOffAt,
  errorOf,
  findingNothing,
  gatewayRefusal,
  perCall,
  refusingBlocksBefore,
  refusingRanges,
  withoutLogs,
} from '../../support/rpc-faults.ts'
import { eventually } from '../../support/wait.ts'
import { depth, runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

async function bytesOf(label: string): Promise<Hex> {
  const [row] = await stand.database.sql`
    select signed_bytes from anchor_transactions where id = (select transaction_id from anchors where label = ${label})`
  return row?.signed_bytes
}

async function timesSigned(): Promise<readonly number[]> {
  const rows = await stand.database.sql<{ times: number }[]>`
    select cardinality(tx_hashes) as times from anchor_transactions order by nonce`
  return rows.map(({ times }) => times)
}

function timesSent(): number {
  const asked = stand.provider.requests.flat()
  return asked.filter((method) => method === 'eth_sendRawTransaction').length
}

async function labelsByNonce(): Promise<readonly (readonly [string, string | null])[]> {
  const rows = await stand.database.sql<{ nonce: bigint; labels: string | null }[]>`
    select nonce, string_agg(label, ' ') as labels
    from anchor_transactions left join anchors on transaction_id = anchor_transactions.id group by nonce order by nonce`
  return rows.map(({ nonce, labels }) => [`${nonce}`, labels])
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

async function backUp(): Promise<void> {
  const { sql } = stand.database
  await sql`drop table if exists kept_anchors, kept_transactions`
  await sql`create table kept_transactions as select * from anchor_transactions`
  await sql`create table kept_anchors as select * from anchors`
}

/**
 * Replaces a transaction of the backup after the backup was made. `owe` may owe more just before
 * it.
 */
async function replaceSinceBackup(owe = async () => {}): Promise<void> {
  await stand.node.rpc('evm_setAutomine', [false])
  await stand.worker().run()
  await owe()
  await backUp()
  await stand.pass(31_000)
  await stand.worker().run()
  expect((await timesSigned()).at(-1)).toBe(2)
  await stand.node.rpc('evm_setAutomine', [true])
  await runUntilDeep(stand)
}

async function restore(): Promise<void> {
  const { sql } = stand.database
  await sql`truncate anchors, anchor_transactions`
  await sql`insert into anchor_transactions select * from kept_transactions`
  await sql`insert into anchors select * from kept_anchors`
}

/** Lets an hour pass, by the chain's clock and by ours. */
async function anHourLater(): Promise<void> {
  await stand.node.rpc('evm_increaseTime', [3_600])
  await stand.pass(3_600_000)
  await stand.node.mine(1)
}

/** Owes a receipt and anchors it: mined in its own block and recorded, but not confirmed yet. */
async function mineOne(label: string): Promise<void> {
  await stand.oweReceipt(label)
  await stand.worker().run()
  await stand.worker().run()
  expect((await stand.anchor(label)).state).toBe('anchored')
}

describe('with a node that is down for ten minutes', () => {
  test('events wait, and are all there in the order they came about once it is back', async () => {
    const worker = stand.worker({ batch: { mostEvents: 3, mostGas: 2_000_000n } })
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

  test('that goes down between taking a transaction and saying so, its events are emitted once', async () => {
    await stand.oweReceipt('drs_a')
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

test('events are anchored by the second node where the first has fallen behind and hears of no blocks any more', async () => {
  const { provider, node, privateKey, contract } = stand
  const rpcUrls = [provider.url, node.url]
  const worker = stand.worker({ client: anchorClient({ rpcUrls, privateKey, contract }) })
  const last = await node.rpc<Hex>('eth_blockNumber', [])
  await stand.oweReceipt('drs_a')
  await worker.run()
  await node.mine(1)
  await worker.run()
  provider.misbehave(cutOffAt(last))
  await stand.oweReceipt('drs_b')
  for (let round = 0; round < 2; round++) await worker.run()
  expect((await stand.anchor('drs_b')).state).toBe('anchored')
  await stand.expectAllOnChain()
})

describe('a transaction that is not mined', () => {
  beforeEach(() => stand.node.rpc('evm_setAutomine', [false]))

  test('and never reached a node goes out with the bytes that were stored', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker().run()
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.database.sql`update anchor_transactions set state = 'signed'`
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test('and was dropped by the pool goes out again as it was', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker().run()
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.pass(6_000)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test('and is none the worse for that is left alone by a worker whose clock is an hour ahead', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker().run()
    await stand.worker({ aheadMs: 3_600_000 }).run()
    expect(await timesSigned()).toEqual([1])
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('and was dropped by the pool after a worker whose clock is an hour ahead had sent it goes out again as soon as any other', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker({ aheadMs: 3_600_000 }).run()
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.pass(6_000)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('for too low a fee is replaced, with the same nonce and its events in the same order', async () => {
    for (const sequence of [1, 2, 3]) await stand.oweState('mandate_a', sequence)
    await stand.worker().run()
    await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be400'])
    await stand.node.mine(1)
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('because the node calls it underpriced is replaced in the next round', async () => {
    await stand.oweReceipt('drs_a')
    let refused = 0
    refuseWhere(() => (refused++ < 2 ? 'transaction underpriced' : null))
    await stand.worker().run()
    await stand.worker().run()
    expect(await timesSigned()).toEqual([2])
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('because the node wants a higher tip gets one', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker().run()
    const [row] = await stand.database.sql`
      update anchor_transactions set state = 'signed' returning max_priority_fee_per_gas as tip`
    await stand.node.rpc('anvil_dropAllTransactions')
    const needed = 2n * BigInt(row?.tip)
    refuseWhere(({ tip }) =>
      tip < needed
        ? `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${needed}`
        : null,
    )
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('because it was signed for more than there is to pay with is signed anew once fees are lower', async () => {
    await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be40000'])
    await stand.node.mine(1)
    refuseWhere(({ most }) =>
      most > 0x2540be4000n
        ? 'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1'
        : null,
    )
    await stand.oweReceipt('drs_a')
    await expect(stand.worker().run()).rejects.toThrow('insufficient funds')
    await stand.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
    await stand.node.mine(1)
    await stand.worker().run()
    expect(await timesSigned()).toEqual([1])
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('because it was signed for less gas than it takes now is signed anew for the same fees', async () => {
    refuseWhere(({ gas }) => (gas < 30_000n ? 'intrinsic gas too low' : null))
    await stand.oweReceipt('drs_a')
    const starved = { ...stand.client(), gasFor: async () => 26_000n }
    const worker = stand.worker({ client: starved })
    await expect(worker.run()).rejects.toThrow('intrinsic gas too low')
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([2])
    await stand.expectAllOnChain()
  })

  test('because the node refuses it for three days is not signed for the same fees or higher ones, and goes out once it is taken', async () => {
    refuseWhere(() => 'sender is banned')
    await stand.oweReceipt('drs_a')
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
    expect(await timesSigned()).toEqual([1])
    expect(stand.warnings).not.toContain('a stuck anchor transaction was replaced')
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('because the node refuses it is not cause to ask for fees all the time', async () => {
    refuseWhere(() => 'sender is banned')
    await stand.oweReceipt('drs_a')
    const worker = stand.worker()
    await expect(worker.run()).rejects.toThrow('sender is banned')
    const before = stand.provider.requests.length
    for (let second = 0; second < 50; second++) {
      await stand.pass(1_000)
      await worker.run()
    }
    const asked = stand.provider.requests.slice(before).flat()
    expect(asked.filter((method) => method === 'eth_maxPriorityFeePerGas').length).toBe(1)
  })

  test('because the node refuses it is complained about once a minute, and at once if for another reason', async () => {
    let reason = 'insufficient funds'
    refuseWhere(() => reason)
    await stand.oweReceipt('drs_a')
    await stand.oweReceipt('drs_b')
    const worker = stand.worker({ batch: { mostEvents: 1, mostGas: 2_000_000n } })
    const complaints = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        await stand.pass(1_000)
        await worker.run()
      }
      return stand.warnings.filter((line) => line.includes('could not be followed')).length
    }
    for (let n = 0; n < 2; n++) await expect(worker.run()).rejects.toThrow(reason)
    expect(await complaints(20)).toBe(2)
    reason = 'sender is banned'
    expect(await complaints(5)).toBe(4)
    expect(await complaints(60)).toBe(6)
  })

  test('of which the replacement and not the original was lost is found by the hash of the original', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker().run()
    const original = await bytesOf('drs_a')
    await stand.pass(31_000)
    await stand.worker().run()
    expect(await timesSigned()).toEqual([2])
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.node.rpc('eth_sendRawTransaction', [original])
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('to whoever has lost the lock, but by now is to its successor, is not sent once more', async () => {
    await stand.oweReceipt('drs_a')
    await stand.worker().run()
    await stand.pass(31_000)
    const client = stand.client()
    let sentBefore = 0
    const frozen = stand.worker({
      client: {
        ...client,
        async signBatch(...asked) {
          await stand.database.sql`
            select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
              and database = (select oid from pg_database where datname = current_database())`
          await stand.node.mine(1)
          await eventually(async () => (await stand.worker().run()).openTransactions !== null)
          sentBefore = timesSent()
          return client.signBatch(...asked)
        },
      },
    })
    await frozen.run()
    expect((await stand.anchor('drs_a')).state).toBe('anchored')
    expect(await timesSigned()).toEqual([1])
    expect(timesSent()).toBe(sentBefore)
  })
})

test('a transaction to the contract before that is mined after all has emitted its events: they are not sent to the new one', async () => {
  const { privateKey } = stand.node.wallet(6)
  const { contract } = await deployAnchor({ rpcUrls: [stand.node.url], privateKey })
  await stand.node.rpc('evm_setAutomine', [false])
  await stand.oweReceipt('drs_a')
  await stand.worker().run()
  const original = await bytesOf('drs_a')
  await stand.pass(31_000)
  const worker = stand.worker({ contract })
  await worker.run()
  expect(await timesSigned()).toEqual([2])
  await stand.node.rpc('anvil_dropAllTransactions')
  await stand.node.rpc('eth_sendRawTransaction', [original])
  await runUntilDeep(stand, worker)
  expect((await stand.anchor('drs_a')).contract).toBe(stand.contract)
  expect(await timesSigned()).toEqual([2])
  await stand.expectAllOnChain()
})

describe('a nonce that somebody else has used', () => {
  beforeEach(async () => {
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.oweState('mandate_a', 1)
    await stand.worker().run()
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.stealNonce()
  })

  test('is given up when that has been deep for five minutes, and not before; later states of the mandate wait', async () => {
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

  test('is ours again when the chain takes that back', async () => {
    await stand.worker().run()
    await stand.node.reorg(1)
    await stand.pass(6_000)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })
})

test('what another program with the same key has in the pool for a nonce is not outbid', async () => {
  await stand.node.rpc('evm_setAutomine', [false])
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
  await stand.oweReceipt('drs_a')
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

describe('a nonce that a reorganisation has taken from somebody else with the same key', () => {
  let worker: AnchorWorker

  beforeEach(async () => {
    worker = stand.worker()
    await stand.stealNonce()
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.oweState('mandate_a', 1)
    await worker.run()
    await stand.node.reorg(2)
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.pass(6_000)
    await worker.run()
  })

  test('is used by an empty transaction when nothing else is owed, so that those behind it are mined', async () => {
    await stand.pass(29_000)
    await worker.run()
    expect(await labelsByNonce()).toEqual([['2', 'state_1']])
    await stand.pass(1_000)
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', null],
      ['2', 'state_1'],
    ])
    await stand.expectAllOnChain()
  })

  test('is used by an empty transaction also where that alone takes more gas than it may', async () => {
    const worker = stand.worker({ batch: { mostEvents: 100, mostGas: 1n } })
    await worker.run()
    await stand.pass(30_000)
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', null],
      ['2', 'state_1'],
    ])
  })

  test('is used for the next events', async () => {
    await stand.pass(30_000)
    await stand.oweReceipt('drs_a')
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'state_1'],
    ])
    await stand.expectAllOnChain()
  })

  test('is left alone while the pool has it', async () => {
    const { sender } = stand
    await stand.node.rpc('eth_sendTransaction', [
      { from: sender, to: sender, value: '0x1', nonce: '0x1' },
    ])
    await stand.pass(30_000)
    await stand.oweReceipt('drs_a')
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['2', 'state_1'],
      ['3', 'drs_a'],
    ])
    await stand.expectAllOnChain()
  })
})

test('a node that refuses lists, and whose receipts come from another one that is behind, makes nothing look like a lost nonce', async () => {
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
  expect(await timesSigned()).toEqual([1])
  await stand.expectAllOnChain()
})

describe('after the database was restored from a backup, what was signed since', () => {
  beforeEach(async () => {
    await stand.oweReceipt('drs_a')
    await runUntilDeep(stand)
    for (const label of ['drs_b', 'drs_c']) await stand.oweReceipt(label)
    await backUp()
  })

  test('is found on the chain and not sent once more', async () => {
    const one = stand.worker({ batch: { mostEvents: 1, mostGas: 2_000_000n } })
    await runUntilDeep(stand, one)
    await restore()
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'drs_b'],
      ['3', 'drs_c'],
      ['4', 'drs_d'],
    ])
    await stand.expectAllOnChain()
  })

  test('is found also by a process that was there before and has looked for others since', async () => {
    const worker = stand.worker({ batch: { mostEvents: 1, mostGas: 2_000_000n } })
    await runUntilDeep(stand, worker)
    await stand.stealNonce()
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand, worker)
    await restore()
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('in the place of what the backup has is found and not sent once more', async () => {
    await replaceSinceBackup()
    await restore()
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'drs_b drs_c'],
      ['3', 'drs_d'],
    ])
    await stand.expectAllOnChain()
  })

  test('in the place of what was given up since is found and not sent once more', async () => {
    await replaceSinceBackup()
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand)
    await restore()
    const [lost] = await stand.database.sql<{ id: string }[]>`
      select id from anchor_transactions where nonce = 2`
    await markFailed(stand.database.sql, String(lost?.id))
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'drs_b drs_c'],
      ['3', 'drs_d'],
    ])
    await stand.expectAllOnChain()
  })

  test('for another nonce than the backup has, which was lost, is found and not sent once more', async () => {
    await stand.node.rpc('evm_setAutomine', [false])
    const before = stand.worker()
    await before.run()
    await backUp()
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.stealNonce()
    await stand.node.mine(depth)
    await before.run()
    await stand.pass(300_000)
    await runUntilDeep(stand, before)
    await restore()
    await stand.oweReceipt('drs_d')
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', null],
      ['3', 'drs_b drs_c'],
      ['4', 'drs_d'],
    ])
    await stand.expectAllOnChain()
  })

  test('behind what replaced a transaction is found, too: nothing goes out before that is known', async () => {
    await stand.oweState('mandate_a', 1)
    await replaceSinceBackup(() => stand.oweState('mandate_a', 2))
    await restore()
    await stand.oweReceipt('drs_d')
    const worker = stand.worker()
    await worker.run()
    expect((await stand.anchor('drs_d')).state).toBe('pending')
    await stand.pass(300_000)
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'drs_b drs_c state_1'],
      ['3', 'state_2'],
      ['4', 'drs_d'],
    ])
    await stand.expectAllOnChain()
  })

  test('is waited for while it is in the pool', async () => {
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.worker().run()
    await restore()
    await stand.worker().run()
    expect((await stand.anchor('drs_b')).state).toBe('pending')
    await runUntilDeep(stand)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'drs_b drs_c'],
    ])
    await stand.expectAllOnChain()
  })

  test('is found where a node answers for few blocks at once, and signed anew when the chain loses it', async () => {
    await runUntilDeep(stand)
    await stand.node.mine(20)
    await restore()
    stand.provider.misbehave(refusingRanges(4, -32600, 'block range is too large'))
    await stand.worker().run()
    expect((await stand.anchor('drs_b')).state).toBe('sent')
    await stand.node.reorg(23)
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([1, 2])
    await stand.expectAllOnChain()
  })

  test('is found in one walk over several rounds where a node answers for few blocks at once and limits the rate', async () => {
    await runUntilDeep(stand)
    await stand.node.mine(600)
    await restore()
    const few = refusingRanges(4, -32600, 'block range is too large')
    const init = { status: 429, headers: { 'retry-after': '1' } }
    let asked = 0
    stand.provider.misbehave((request, forward) => {
      const isOfLogs = request.some(({ method }) => method === 'eth_getLogs')
      const isLimited = isOfLogs && asked++ % 70 === 69
      return isLimited ? new Response('', init) : few(request, forward)
    })
    const worker = stand.worker()
    const endMs = performance.now() + 50_000
    while ((await stand.anchor('drs_b')).state === 'pending' && performance.now() < endMs) {
      const before = asked
      await worker.run().catch((error) => expect(error.fault).toBe('rate_limited'))
      expect(asked - before).toBeLessThan(200)
      await Bun.sleep(200)
    }
    // 150 answers of four blocks each, and the requests to find out that four is the limit.
    expect(asked).toBeLessThan(400)
    stand.provider.behave()
    await stand.oweReceipt('drs_d')
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('is found where a node fails in words that nobody knows, and then not', async () => {
    await runUntilDeep(stand)
    await restore()
    const worker = stand.worker()
    for (let hiccup = 0; hiccup < 2; hiccup++) {
      stand.provider.misbehave(refusingRanges(0, -32603, 'Internal JSON-RPC error.'))
      await expect(worker.run()).rejects.toThrow('Internal JSON-RPC error.')
      await stand.pass(299_000)
      await expect(worker.run()).rejects.toThrow('Internal JSON-RPC error.')
      // Time without any request does not count towards the five minutes.
      await stand.pass(3_600_000)
    }
    await expect(worker.run()).rejects.toThrow('Internal JSON-RPC error.')
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('is sent once more where a node has had no logs from so long ago for five minutes', async () => {
    await runUntilDeep(stand)
    await restore()
    stand.provider.misbehave(
      perCall((call, ask) =>
        call.method === 'eth_getLogs'
          ? errorOf(call.id, 4444, 'pruned history unavailable')
          : ask(call),
      ),
    )
    const worker = stand.worker()
    await expect(worker.run()).rejects.toThrow('pruned history')
    await stand.pass(300_000)
    await worker.run()
    expect((await labelsByNonce()).at(-1)).toEqual(['3', 'drs_b drs_c'])
  })
})

describe('after the database was restored from a backup with nothing mined, what replaced the first transaction', () => {
  let lastOld: number

  beforeEach(async () => {
    await stand.node.mine(60)
    lastOld = Number(await stand.node.rpc('eth_blockNumber', []))
    await anHourLater()
    for (const label of ['drs_a', 'drs_b']) await stand.oweReceipt(label)
    await replaceSinceBackup()
    // And by the database's.
    await stand.database
      .sql`update kept_transactions set created_at = created_at + interval '1 hour'`
  })

  test('is found and not sent once more, and nobody asks for what was long before', async () => {
    await restore()
    let firstAsked = Number.POSITIVE_INFINITY
    stand.provider.misbehave(
      perCall((call, ask) => {
        if (call.method === 'eth_getLogs')
          firstAsked = Math.min(
            firstAsked,
            Number((call.params[0] as { fromBlock: Hex }).fromBlock),
          )
        return ask(call)
      }),
    )
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await stand.oweReceipt('drs_c')
    await runUntilDeep(stand, worker)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a drs_b'],
      ['2', 'drs_c'],
    ])
    await stand.expectAllOnChain()
    expect(firstAsked).toBe(lastOld)
  })

  test('is found where a node refuses blocks from so long ago, and what is owed goes out', async () => {
    await restore()
    stand.provider.misbehave(refusingBlocksBefore(lastOld))
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await stand.oweReceipt('drs_c')
    // Few blocks, or all that a search looks at would be newer than what is refused.
    for (let round = 0; round < 2 * depth + 4; round++) {
      await worker.run()
      await stand.node.mine(1)
    }
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a drs_b'],
      ['2', 'drs_c'],
    ])
    await stand.expectAllOnChain()
  })

  test('is found also if the first transaction was given up since', async () => {
    await stand.oweReceipt('drs_c')
    await runUntilDeep(stand)
    await restore()
    const [lost] = await stand.database.sql<{ id: string }[]>`select id from anchor_transactions`
    await markFailed(stand.database.sql, String(lost?.id))
    await stand.oweReceipt('drs_c')
    await runUntilDeep(stand)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a drs_b'],
      ['2', 'drs_c'],
    ])
    await stand.expectAllOnChain()
  })
})

describe('a key that has sent transactions, none of which is on record,', () => {
  /**
   * Lets the node count the searches for events, and say from which block the oldest was. With
   * `isPruned` it knows no code of the past.
   */
  function searches({ isPruned } = { isPruned: false }): { times: number; from: number } {
    const seen = { times: 0, from: Number.POSITIVE_INFINITY }
    stand.provider.misbehave(
      perCall((call, ask) => {
        if (isPruned && call.method === 'eth_getCode' && call.params[1] !== 'latest') {
          return errorOf(call.id, -32000, 'missing trie node')
        }
        if (call.method === 'eth_getLogs') {
          const { fromBlock } = call.params[0] as { fromBlock: Hex }
          seen.times++
          seen.from = Math.min(seen.from, Number(fromBlock))
        }
        return ask(call)
      }),
    )
    return seen
  }

  test('has sent what is owed, if the backup was made before anchoring was switched on', async () => {
    for (const label of ['drs_a', 'drs_b']) await stand.oweReceipt(label)
    await backUp()
    await runUntilDeep(stand, stand.worker({ batch: { mostEvents: 1, mostGas: 2_000_000n } }))
    await restore()
    await stand.oweReceipt('drs_c')
    await runUntilDeep(stand)
    expect(await labelsByNonce()).toEqual([
      ['1', 'drs_a'],
      ['2', 'drs_b'],
      ['3', 'drs_c'],
    ])
    await stand.expectAllOnChain()
  })

  test('has sent what is owed, if the backup was made under the key before', async () => {
    await stand.oweReceipt('drs_a')
    await runUntilDeep(stand)
    await stand.oweReceipt('drs_b')
    await backUp()
    const { privateKey } = stand.node.wallet(6)
    await runUntilDeep(stand, stand.worker({ client: stand.client({ privateKey }) }))
    await restore()
    await stand.oweReceipt('drs_c')
    await runUntilDeep(stand, stand.worker({ client: stand.client({ privateKey }) }))
    await stand.expectAllOnChain()
  })

  test('has sent what came about since the backup and comes about again', async () => {
    await backUp()
    await stand.oweState('mandate_a', 1)
    await runUntilDeep(stand)
    await anHourLater()
    await restore()
    await stand.oweState('mandate_a', 1)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('has what is in the pool waited for', async () => {
    await stand.oweReceipt('drs_a')
    await backUp()
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.worker().run()
    await restore()
    const worker = stand.worker()
    await worker.run()
    expect((await stand.anchor('drs_a')).state).toBe('pending')
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('is not searched if the last of them created the contract', async () => {
    await stand.oweState('mandate_a', 1, 86_400_000)
    await stand.node.mine(60)
    const seen = searches()
    await stand.worker().run()
    expect((await stand.anchor('state_1')).state).toBe('sent')
    expect(seen.times).toBe(0)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  describe('is searched where another program has used it after it created the contract:', () => {
    let worker: AnchorWorker
    let lastWithout: number

    beforeEach(async () => {
      await stand.oweState('mandate_a', 1, 86_400_000)
      await stand.node.mine(60)
      lastWithout = Number(await stand.node.rpc('eth_blockNumber', []))
      const { contract } = await deployAnchor({
        rpcUrls: [stand.node.url],
        privateKey: stand.privateKey,
      })
      await stand.stealNonce()
      await stand.node.mine(depth)
      worker = stand.worker({ contract })
    })

    test.each([
      ['since then', { isPruned: false }, () => lastWithout],
      ['through all the time, if the node does not say when that was', { isPruned: true }, () => 0],
    ])('%s', async (_, node, from) => {
      const seen = searches(node)
      await worker.run()
      expect((await stand.anchor('state_1')).state).toBe('sent')
      expect(seen.from).toBe(from())
    })
  })

  test('is searched for what is owed once, through the time of the database, and goes on where they were another program’s', async () => {
    await stand.stealNonce()
    await stand.node.mine(60)
    const lastOld = Number(await stand.node.rpc('eth_blockNumber', []))
    await anHourLater()
    await stand.database.sql`update migrations set applied_at = now() + interval '1 hour'`
    await stand.oweReceipt('drs_a')
    const seen = searches()
    const worker = stand.worker()
    await worker.run()
    expect((await stand.anchor('drs_a')).state).toBe('sent')
    expect(seen.from).toBe(lastOld)
    const { times } = seen
    await stand.oweReceipt('drs_b')
    await runUntilDeep(stand, worker)
    expect(seen.times).toBe(times)
    await stand.expectAllOnChain()
  })
})

describe('under another key, what the one before has signed', () => {
  const successor = () =>
    stand.worker({ client: stand.client({ privateKey: stand.node.wallet(8).privateKey }) })

  beforeEach(async () => {
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.oweState('mandate_a', 1)
    await stand.worker().run()
    await stand.oweState('mandate_a', 2)
  })

  test('is recorded once it is mined, and later states of the mandate follow', async () => {
    await runUntilDeep(stand, successor())
    expect(await timesSigned()).toEqual([1, 1])
    await stand.expectAllOnChain()
  })

  test('goes out again as it was when the pool has lost it', async () => {
    await stand.node.rpc('anvil_dropAllTransactions')
    await stand.pass(31_000)
    await runUntilDeep(stand, successor())
    expect(await timesSigned()).toEqual([1, 1])
    await stand.expectAllOnChain()
  })

  test('is owed anew when its nonce went to another transaction', async () => {
    await stand.node.rpc('anvil_dropAllTransactions')
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
  expect(await timesSigned()).toEqual([1])
  await runUntilDeep(stand)
  expect(await timesSigned()).toEqual([1, 1])
  await stand.expectAllOnChain()
})

describe('a transaction that a node shows without its events,', () => {
  beforeEach(async () => {
    await stand.oweState('mandate_a', 1)
    await stand.worker().run()
    await stand.node.mine(depth)
    stand.provider.misbehave(withoutLogs())
  })

  test('as one that has not got them yet, is looked at again, and they are not sent once more', async () => {
    const worker = stand.worker()
    await worker.run()
    await stand.pass(299_000)
    await worker.run()
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    expect(await timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test('as if something else were at the contract’s address, gives them back after five minutes', async () => {
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await worker.run()
    expect(await timesSigned()).toEqual([1, 1])
  })
})

test('a receipt that was revoked while its transaction failed on chain is not sent again', async () => {
  const client = stand.client()
  const starved = { ...client, gasFor: async () => 29_000n }
  for (const label of ['drs_a', 'drs_b']) await stand.oweReceipt(label)
  await stand.worker({ client: starved }).run()
  await stand.database.sql`
    insert into receipts (id, account_id, kind, subject_id, preimage, hash, issued_at, revoked_at)
    select id, gen_random_uuid(), 'settlement', gen_random_uuid(), '{}', '0x', now(), revoked_at
    from (values ('drs_a', now()), ('drs_b', null)) as given (id, revoked_at)`
  await stand.node.mine(depth)
  await stand.worker().run()
  expect((await stand.anchor('drs_a')).state).toBe('cancelled')
  expect((await stand.anchor('drs_b')).state).toBe('sent')
})

describe('a reorganisation that', () => {
  test('drops the transaction shows at once, and the same bytes go out again', async () => {
    await mineOne('drs_a')
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.node.reorg(1)
    await stand.worker().run()
    expect(await stand.anchor('drs_a')).toMatchObject({
      state: 'sent',
      tx_hash: null,
      block_number: null,
    })
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([1])
    expect(stand.announced).toEqual(['drs_a'])
    await stand.expectAllOnChain()
  })

  test('puts it into another block corrects the place', async () => {
    await mineOne('drs_a')
    const before = await stand.anchor('drs_a')
    await stand.node.mine(1)
    await stand.node.reorg(2, [[await bytesOf('drs_a'), 1]])
    await stand.worker().run()
    expect(Number((await stand.anchor('drs_a')).block_number)).toBe(Number(before.block_number) + 1)
    await stand.expectAllOnChain()
  })

  test('puts it behind other events of its block corrects the log index', async () => {
    await mineOne('drs_a')
    const before = await stand.anchor('drs_a')
    await stand.node.rpc('evm_setAutomine', [false])
    await stand.node.reorg(1)
    // A higher fee, so that it comes first in the block.
    const payment = { to: stand.contract, usdcBase: 0n }
    await stand.node.rpc('eth_sendTransaction', [
      {
        from: stand.node.wallet(2).address,
        to: stand.node.usdc,
        data: transferCall(payment),
        maxPriorityFeePerGas: '0x174876e800',
        maxFeePerGas: '0x2540be4000',
      },
    ])
    await runUntilDeep(stand)
    expect(before.log_index).toBe(0)
    expect((await stand.anchor('drs_a')).log_index).toBe(1)
    await stand.expectAllOnChain()
  })

  test('keeps its block is none of its business', async () => {
    await mineOne('drs_a')
    await stand.node.mine(1)
    const before = await stand.anchor('drs_a')
    await stand.node.reorg(1)
    await stand.worker().run()
    expect(await stand.anchor('drs_a')).toEqual(before)
  })

  test('goes behind what was deep sends the same bytes again', async () => {
    await mineOne('drs_a')
    await runUntilDeep(stand)
    await stand.node.reorg(depth)
    await runUntilDeep(stand)
    expect(await timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test('puts it where it fails shows at once, and gives its events back only when that is deep', async () => {
    await mineOne('drs_a')
    await stand.node.mine(1)
    await stand.node.reorg(2, [[await bytesOf('drs_a'), 1]])
    stand.provider.edit((answer, method) =>
      method === 'eth_getTransactionReceipt' && answer.result
        ? { ...answer, result: { ...answer.result, status: '0x0', logs: [] } }
        : answer,
    )
    await stand.worker().run()
    await stand.worker().run()
    expect(await stand.anchor('drs_a')).toMatchObject({ state: 'sent', tx_hash: null })
    expect(await timesSigned()).toEqual([1])
    await stand.node.mine(depth)
    await stand.worker().run()
    expect(await timesSigned()).toEqual([1, 1])
  })

  test('a node tells of because it lags behind is not believed', async () => {
    await mineOne('drs_a')
    await runUntilDeep(stand)
    await mineOne('drs_b')
    const lagging = {
      ...stand.client(),
      head: async () => ({ number: 2, nonce: 0, watchedHash: null }),
      receipts: async () => [],
    }
    await stand.worker({ client: lagging }).run()
    expect((await stand.anchor('drs_a')).state).toBe('anchored')
    expect((await stand.anchor('drs_b')).state).toBe('anchored')
  })

  test('takes back several transactions leaves each event once, in order', async () => {
    const worker = stand.worker({ batch: { mostEvents: 1, mostGas: 2_000_000n } })
    for (let sequence = 1; sequence <= 3; sequence++) {
      await stand.oweState('mandate_a', sequence)
      await worker.run()
      await worker.run()
    }
    await stand.node.reorg(2)
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })
})
