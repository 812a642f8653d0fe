import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { asOnlySender } from '../../../src/storage/anchors/transactions.ts'
import type { RpcRequest } from '../../support/rpc-relay.ts'
import { depth, runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand
const blockMethod = 'eth_getBlockByNumber'

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

async function transactions() {
  return stand.database.sql<{ state: string; events: number; tx_hashes: string[] }[]>`
    select state, array(select '0x' || encode(tx_hash, 'hex') from unnest(tx_hashes) as tx_hash) as tx_hashes, (select count(*)::int from anchors where transaction_id = anchor_transactions.id) as events
    from anchor_transactions order by nonce`
}

async function forgetAnnounced(): Promise<void> {
  await stand.database.sql`update anchors set announced = false`
  await stand.database.sql`update invoices set state = 'settled'`
}

describe('an owed event', () => {
  test('is emitted, recorded with its place in its first block, and announced once', async () => {
    await stand.oweReceipts('drs_a', 'drs_b')
    const worker = stand.worker()
    for (let round = 0; round < 3; round++) await worker.run()
    const { contract } = stand
    const anchored = { state: 'anchored', announced: true, contract, label: '2' }
    expect(await stand.anchor('drs_a')).toMatchObject(anchored)
    expect(stand.announced.toSorted()).toEqual(['drs_a', 'drs_b'])
    await stand.expectAllOnChain()
    expect((await transactions()).length).toBe(1)
  })

  test('is followed until it is deep, with one request a round, and then no longer', async () => {
    await stand.oweReceipts('drs_a')
    const worker = stand.worker()
    await worker.run()
    expect(await worker.run()).toEqual({ openTransactions: 1 })
    const before = stand.provider.requests.length
    expect(await worker.run()).toEqual({ openTransactions: 1 })
    expect(stand.provider.requests.slice(before)).toEqual([
      ['eth_chainId', 'eth_getBlockByNumber', 'eth_getTransactionCount', 'eth_getBlockByNumber'],
    ])
    await stand.node.mine(depth - 1)
    expect(await worker.run()).toEqual({ openTransactions: 0 })
    expect((await transactions()).map(({ state }) => state)).toEqual(['deep'])
  })

  test('is deep where the chain says so itself, however many blocks that takes', async () => {
    await stand.oweReceipts('drs_a')
    const worker = stand.worker({ confirmations: { blocks: 1, finalized: true } })
    await worker.run()
    expect(await worker.run()).toEqual({ openTransactions: 1 })
    await stand.node.mine(1)
    expect(await worker.run()).toEqual({ openTransactions: 1 })
    await stand.node.mine(1)
    expect(await worker.run()).toEqual({ openTransactions: 0 })
  })

  test('whose announcement fails holds up no other, and is announced later', async () => {
    await stand.oweReceipts('drs_a', 'drs_b', 'drs_c')
    let isBroken = true
    const onAnnounce = (receiptId: string) => {
      if (isBroken && receiptId === 'drs_a') throw new Error('it cannot be told')
    }
    const worker = stand.worker({ onAnnounce })
    for (let round = 0; round < 3; round++) await worker.run()
    expect(stand.announced.toSorted()).toEqual(['drs_b', 'drs_c'])
    expect(stand.warnings.filter((line) => line.includes('could not be announced')).length).toBe(1)
    isBroken = false
    await worker.run()
    expect(stand.announced.toSorted()).toEqual(['drs_a', 'drs_b', 'drs_c'])
    expect(await stand.anchor('drs_a')).toMatchObject({ announced: true })
  })

  test('is announced behind any number of others whose announcements fail', async () => {
    for (let n = 0; n < 120; n++) await stand.oweReceipts(`drs_${n}`)
    await runUntilDeep(stand, stand.worker({ mostReceipts: 110 }))
    await forgetAnnounced()
    const told: string[] = []
    const onAnnounce = (receiptId: string) => {
      if (receiptId !== 'drs_109' && receiptId !== 'drs_119') throw new Error('it cannot be told')
      told.push(receiptId)
    }
    await stand.worker({ onAnnounce }).run()
    expect(told).toEqual(['drs_109', 'drs_119'])
  })

  test('is announced also while the node is out of reach', async () => {
    await stand.oweReceipts('drs_a')
    const worker = stand.worker()
    await runUntilDeep(stand, worker)
    await forgetAnnounced()
    const isHead = (calls: RpcRequest) => calls.some(({ method }) => method === blockMethod)
    stand.provider.misbehave(async (calls, forward) =>
      isHead(calls) ? new Response('', { status: 503 }) : Response.json(await forward(calls)),
    )
    await expect(worker.run()).rejects.toThrow('HTTP 503')
    expect(stand.announced).toEqual(['drs_a', 'drs_a'])
  })

  test('waits while there is no contract at the configured address', async () => {
    await stand.oweReceipts('drs_a')
    await stand.worker({ contract: '0x00000000000000000000000000000000000000ff' }).run()
    expect((await stand.anchor('drs_a')).state).toBe('pending')
    expect([...(await transactions())]).toEqual([])
  })

  test('that is late is logged once a minute, also while the node is unreachable', async () => {
    await stand.oweReceipts('drs_a')
    stand.provider.misbehave(() => new Response('', { status: 503 }))
    const worker = stand.worker()
    const complaints = async () => {
      await expect(worker.run()).rejects.toThrow('HTTP 503')
      return stand.warnings.filter((line) => line.includes('ten minutes')).length
    }
    await stand.pass(540_000)
    expect(await complaints()).toBe(0)
    await stand.pass(61_000)
    expect(await complaints()).toBe(1)
    await stand.pass(59_000)
    expect(await complaints()).toBe(1)
    await stand.pass(1_000)
    expect(await complaints()).toBe(2)
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    await stand.pass(60_000)
    await worker.run()
    expect(stand.warnings.filter((line) => line.includes('ten minutes')).length).toBe(2)
  })
})

test('an event is not late to a worker whose clock is an hour ahead', async () => {
  await stand.oweReceipts('drs_a')
  await stand.worker({ aheadMs: 3_600_000 }).run()
  expect(stand.warnings.filter((line) => line.includes('ten minutes'))).toEqual([])
})

describe('a transaction', () => {
  test('holds no more events than it may', async () => {
    for (let n = 0; n < 5; n++) await stand.oweState(`mandate_${n}`, 1)
    await runUntilDeep(stand, stand.worker({ mostEvents: 2 }))
    expect((await transactions()).map(({ events }) => events)).toEqual([2, 2, 1])
    await stand.expectAllOnChain()
  })

  test('takes no more gas than it may, and goes on with the rest', async () => {
    for (let n = 0; n < 20; n++) await stand.oweState(`mandate_${n}`, 1)
    await runUntilDeep(stand, stand.worker({ mostGas: 100_000n }))
    const sent = await transactions()
    expect(sent.length).toBeGreaterThan(1)
    for (const { tx_hashes } of sent) {
      const { gas } = await stand.node.rpc<{ gas: string }>('eth_getTransactionByHash', [
        tx_hashes[0],
      ])
      expect(Number(gas)).toBeLessThanOrEqual(100_000)
    }
    await stand.expectAllOnChain()
  })

  test('holds one event even if that alone takes more gas than it may', async () => {
    for (const mandate of ['mandate_a', 'mandate_b']) await stand.oweState(mandate, 1)
    await runUntilDeep(stand, stand.worker({ mostGas: 1n }))
    expect((await transactions()).map(({ events }) => events)).toEqual([1, 1])
    await stand.expectAllOnChain()
  })
})

describe('receipts', () => {
  test('that are there go in one batch, oldest first, and no more than it may hold', async () => {
    for (let n = 0; n < 5; n++) await stand.oweReceipts(`drs_${n}`)
    await runUntilDeep(stand, stand.worker({ mostReceipts: 3 }))
    expect(await stand.sent()).toEqual(['drs_0+drs_1+drs_2', 'drs_3+drs_4'])
    await stand.expectAllOnChain()
  })

  test('share a transaction with events of other kinds', async () => {
    await stand.oweState('mandate_a', 1)
    await stand.oweReceipts('drs_a', 'drs_b')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['state_1 drs_a+drs_b'])
    await stand.expectAllOnChain()
  })

  test('that come while a batch cannot be sent are all in the next one', async () => {
    const worker = stand.worker()
    stand.provider.edit((answer, method) =>
      method === 'eth_estimateGas'
        ? { id: answer.id, error: { code: -32000, message: 'out of order' } }
        : answer,
    )
    for (const id of ['drs_a', 'drs_b', 'drs_c']) {
      await stand.oweReceipts(id)
      await expect(worker.run()).rejects.toThrow('out of order')
    }
    stand.provider.behave()
    await runUntilDeep(stand, worker)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b+drs_c'])
    await stand.expectAllOnChain()
  })

  test('are in one batch each where two keys anchor at once', async () => {
    const { privateKey } = stand.node.wallet(6)
    const other = stand.worker({ client: stand.client({ privateKey }), mostReceipts: 2 })
    for (let n = 0; n < 20; n++) await stand.oweReceipts(`drs_${n}`)
    const own = stand.worker({ mostReceipts: 3 })
    for (let round = 0; round < 8; round++) await Promise.all([own.run(), other.run()])
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })
})

describe('a receipt that is revoked', () => {
  test('before it has a place in a batch is never on the chain', async () => {
    await stand.oweReceipts('drs_a', 'drs_b')
    await stand.revoke('drs_a')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_b'])
    await stand.expectAllOnChain()
  })

  test('once its batch is on the chain is revoked there, once, and not announced', async () => {
    await stand.oweReceipts('drs_a', 'drs_b')
    const worker = stand.worker()
    await worker.run()
    await stand.revoke('drs_a')
    await worker.run()
    await stand.revoke('drs_a')
    await runUntilDeep(stand, worker)
    expect(await stand.sent()).toEqual(['drs_a+drs_b', 'revocation'])
    expect(stand.announced).toEqual(['drs_b'])
    await stand.expectAllOnChain()
  })

  test('while its batch is in no block is revoked on the chain after it', async () => {
    await stand.holdMining()
    await stand.oweReceipts('drs_a', 'drs_b', 'drs_c')
    const worker = stand.worker()
    await worker.run()
    for (const id of ['drs_a', 'drs_c']) await stand.revoke(id)
    await worker.run()
    expect(await stand.sent()).toEqual(['drs_a+drs_b+drs_c'])
    await runUntilDeep(stand, worker)
    expect(await stand.sent()).toEqual(['drs_a+drs_b+drs_c', 'revocation revocation'])
    await stand.expectAllOnChain()
  })
})

describe('the events of a mandate', () => {
  test('that came about together have a transaction each, in order, which those of other mandates share', async () => {
    for (const sequence of [2, 1, 3]) await stand.oweState('mandate_a', sequence)
    await stand.oweState('mandate_b', 1)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
    expect((await transactions()).length).toBe(3)
  })

  test('wait for an earlier one that is not mined, and nobody else does', async () => {
    await stand.holdMining()
    await stand.oweState('mandate_a', 1)
    const worker = stand.worker()
    await worker.run()
    await stand.oweState('mandate_a', 2)
    await stand.oweReceipts('drs_a')
    await worker.run()
    expect((await stand.anchor('state_2')).state).toBe('pending')
    expect((await stand.anchor('drs_a')).state).toBe('sent')
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })

  test('stay in order when the clocks that stamped them do not agree', async () => {
    await stand.oweState('mandate_a', 1, 0)
    await stand.oweState('mandate_a', 2, 5_000)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('do not overtake one that waits because those clocks do not agree', async () => {
    await stand.oweState('mandate_a', 1)
    await stand.oweState('mandate_a', 2, 5_000)
    await stand.pass(2_000)
    for (const sequence of [3, 4]) await stand.oweState('mandate_a', sequence)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('of one hash and one state, owed for two mandates, are two events with a place each', async () => {
    await stand.oweState('mandate_a', 1)
    await stand.oweState('mandate_b', 1)
    await stand.database.sql`update anchors set hash = (select min(hash) from anchors)`
    await stand.worker().run()
    await stand.worker().run()
    const rows = await stand.database.sql`select log_index from anchors order by log_index`
    expect(rows.map((row) => row.log_index)).toEqual([0, 1])
  })
})

test('a worker reports that another one is anchoring, so that events the other missed are looked for again', async () => {
  const sender = { chainId: 8453, address: stand.sender.toLowerCase() }
  await asOnlySender(stand.database.sql, sender, async () => {
    expect(await stand.worker().run()).toEqual({ openTransactions: null })
  })
})

test('events are sent although an earlier key’s transactions cannot be followed, which is logged once a minute', async () => {
  const earlier = stand.node.wallet(6)
  await stand.oweReceipts('drs_a')
  const client = stand.client({ privateKey: earlier.privateKey })
  await stand.worker({ client }).run()
  await stand.oweReceipts('drs_b')
  const isOfEarlier = (calls: RpcRequest) =>
    JSON.stringify(calls).includes(earlier.address.toLowerCase())
  stand.provider.misbehave(async (calls, forward) =>
    isOfEarlier(calls) ? new Response('', { status: 503 }) : Response.json(await forward(calls)),
  )
  const worker = stand.worker()
  for (let round = 0; round < 3; round++) await worker.run()
  expect((await stand.anchor('drs_b')).state).toBe('anchored')
  expect(stand.announced).toContain('drs_b')
  const complaints = () => stand.warnings.filter((line) => line.includes('earlier key')).length
  expect(complaints()).toBe(1)
  await stand.pass(60_000)
  await worker.run()
  expect(complaints()).toBe(2)
})

test('two workers of one sender never use a nonce twice', async () => {
  for (let n = 0; n < 20; n++) await stand.oweReceipts(`drs_${n}`)
  const [one, other] = [stand.worker({ mostReceipts: 3 }), stand.worker({ mostReceipts: 3 })]
  for (let round = 0; round < 4; round++) await Promise.all([one.run(), other.run()])
  await stand.expectAllOnChain()
})
