import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { anchorClient, deployAnchor } from '../../src/chain/anchor.ts'
import { verifyEvent } from '../../src/chain/anchor-proof.ts'
import { createAnchorWorker } from '../../src/queues/anchor.ts'
import { anchorStore } from '../../src/storage/anchors.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

let node: EvmNode
let database: TestDatabase
let contract: string
let clockMs: number
let announced: string[]

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  database = await testDatabase()
  contract = (await deployAnchor({ rpcUrls: [node.url], privateKey: key() })).contract
  clockMs = Date.now()
  announced = []
})
afterEach(async () => {
  await node.stop()
  await database.drop()
})

function key(): string {
  return node.wallet(7).privateKey
}

function worker(over: { contract?: string } = {}) {
  const at = over.contract ?? contract
  const now = () => new Date(clockMs)
  return createAnchorWorker({
    client: anchorClient({ rpcUrls: [node.url], privateKey: key(), contract: at }),
    contract: at,
    store: anchorStore(database.sql, now),
    now,
    newId: () => Bun.randomUUIDv7(),
    announce: async ({ subjectId }) => void announced.push(subjectId),
    log: { info: () => {}, warn: () => {} },
  })
}

async function owe(label: string): Promise<string> {
  const hash = `0x${Bun.SHA256.hash(label, 'hex')}`
  await database.sql`insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    values (${Bun.randomUUIDv7()}, 'receipt', ${label}, 0, ${hash}, ${label}, 'pending', now(), now())`
  return hash
}

async function anchor(label: string) {
  const [row] =
    await database.sql`select state, announced, chain_id, contract, tx_hash, block_number, log_index
    from anchors where label = ${label}`
  return row
}

/** How many events of the contract the chain holds. */
async function eventsOnChain(): Promise<number> {
  const logs = await node.rpc<unknown[]>('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', address: contract },
  ])
  return logs.length
}

describe('an owed event', () => {
  test('is emitted, recorded with its place, announced once, and provable from the chain', async () => {
    const hash = await owe('drs_a')
    await owe('drs_b')
    const work = worker()
    for (let round = 0; round < 3; round++) await work.run()
    const row = await anchor('drs_a')
    expect(row).toMatchObject({ state: 'anchored', announced: true, contract })
    const place = { chainId: 8453, contract, txHash: row?.tx_hash, logIndex: row?.log_index }
    const proof = await verifyEvent([node.url], place, { kind: 'receipt', hash, label: 'drs_a' })
    expect(proof.outcome).toBe('ok')
    expect(announced.toSorted()).toEqual(['drs_a', 'drs_b'])
    // Both went in one transaction.
    expect((await anchor('drs_b'))?.tx_hash).toBe(row?.tx_hash)
  })

  test('of which the bytes were stored but never broadcast is sent by the next worker, once', async () => {
    await owe('drs_a')
    await node.rpc('evm_setAutomine', [false])
    await worker().run()
    // As if killed between storing and broadcasting: the node knows nothing, the record says signed.
    await node.rpc('anvil_dropAllTransactions')
    await database.sql`update anchor_transactions set state = 'signed'`
    await worker().run()
    await node.mine(1)
    await worker().run()
    expect((await anchor('drs_a'))?.state).toBe('anchored')
    expect(await eventsOnChain()).toBe(1)
  })

  test('that is stuck is sent again with the same nonce and higher fees, and emitted once', async () => {
    await owe('drs_a')
    await node.rpc('evm_setAutomine', [false])
    await worker().run()
    await node.rpc('anvil_dropAllTransactions')
    clockMs += 61_000
    await worker().run()
    const [row] = await database.sql`select tx_hashes from anchor_transactions`
    expect(row?.tx_hashes.length).toBe(2)
    await node.mine(1)
    await worker().run()
    expect((await anchor('drs_a'))?.state).toBe('anchored')
    expect(await eventsOnChain()).toBe(1)
  })

  test('whose nonce was used by another transaction is owed again and emitted', async () => {
    await owe('drs_a')
    await node.rpc('evm_setAutomine', [false])
    await worker().run()
    await node.rpc('anvil_dropAllTransactions')
    const sender = node.wallet(7).address
    await node.rpc('eth_sendTransaction', [{ from: sender, to: sender, value: '0x1' }])
    await node.mine(1)
    await node.rpc('evm_setAutomine', [true])
    clockMs += 61_000
    const work = worker()
    for (let round = 0; round < 3; round++) await work.run()
    expect((await anchor('drs_a'))?.state).toBe('anchored')
    expect(await eventsOnChain()).toBe(1)
  })

  test('that a reorganised chain has forgotten is there again', async () => {
    await owe('drs_a')
    const work = worker()
    await work.run()
    await work.run()
    expect((await anchor('drs_a'))?.state).toBe('anchored')
    await node.reorg(1)
    for (let round = 0; round < 3; round++) await work.run()
    expect(await eventsOnChain()).toBe(1)
    expect(announced).toEqual(['drs_a'])
  })

  test('waits while there is no contract at the configured address', async () => {
    await owe('drs_a')
    await worker({ contract: '0x00000000000000000000000000000000000000ff' }).run()
    expect((await anchor('drs_a'))?.state).toBe('pending')
    expect([...(await database.sql`select id from anchor_transactions`)]).toEqual([])
  })
})

test('two workers of one sender never use a nonce twice', async () => {
  for (let n = 0; n < 20; n++) await owe(`drs_${n}`)
  const [one, other] = [worker(), worker()]
  for (let round = 0; round < 4; round++) await Promise.all([one.run(), other.run()])
  const [row] =
    await database.sql`select count(*)::int as anchored from anchors where state = 'anchored'`
  expect(row?.anchored).toBe(20)
  expect(await eventsOnChain()).toBe(20)
})
