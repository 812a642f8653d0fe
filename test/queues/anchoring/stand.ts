import { expect, setSystemTime } from 'bun:test'
import type { Hex } from 'viem'
import { type AnchorClient, anchorClient } from '../../../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../../../src/chain/anchor/deployment.ts'
import { type AnchorEvent, anchorEvents } from '../../../src/chain/anchor/events.ts'
import type { RawLog } from '../../../src/chain/evm/logs.ts'
import type { Confirmations } from '../../../src/domain/registry.ts'
import {
  type AnchorWorker,
  createAnchorWorker,
  usualLimits,
} from '../../../src/queues/anchoring/anchor.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { addReceipts, misplaced, revokeReceipts } from '../../support/batches.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'

export const depth = 3

type Row = {
  readonly kind: string
  readonly subject_id: string
  readonly hash: string
  readonly label: string
  readonly state: string
  readonly contract: string | null
  readonly tx_hash: string | null
  readonly block_number: bigint | null
  readonly log_index: number | null
}

/** An anchor worker with all it needs: a database, and a node behind a relay that can fail. */
export type Stand = {
  readonly node: EvmNode
  readonly provider: RpcRelay
  readonly database: TestDatabase
  readonly contract: string
  readonly privateKey: string
  readonly sender: string
  readonly announced: readonly string[]
  readonly warnings: readonly string[]
  /** Lets this time pass for the workers, and makes the transactions on record so much older. */
  pass(ms: number): Promise<void>
  worker(over?: {
    /** By how much this worker's clock is ahead of the right time. */
    aheadMs?: number
    contract?: string
    mostEvents?: number
    mostGas?: bigint
    mostReceipts?: number
    client?: AnchorClient
    confirmations?: Confirmations
    /** Called for each receipt before it counts as announced. */
    onAnnounce?: (receiptId: string) => void
  }): AnchorWorker
  client(over?: { contract?: string; privateKey?: string }): AnchorClient
  /** Issues receipts, later than those before. */
  oweReceipts(...ids: readonly string[]): Promise<void>
  revoke(receiptId: string): Promise<void>
  /** Owes an event of a state of a mandate, `ageMs` old. */
  oweState(mandate: string, sequence: number, ageMs?: number): Promise<void>
  /** The event with this label, or of the receipt's batch; `pending` also where it has none. */
  anchor(label: string): Promise<Row>
  /** The events of each transaction by nonce: ids of a batch's receipts, or labels. */
  sent(): Promise<readonly string[]>
  /** The signed bytes of the transaction of this event. */
  bytesOf(label: string): Promise<Hex>
  /** How often each transaction was signed, by nonce. */
  timesSigned(): Promise<readonly number[]>
  holdMining(): Promise<unknown>
  /** Drops all transactions that are not mined. */
  dropPool(): Promise<unknown>
  /** Uses the sender's next nonce for a foreign transaction. */
  stealNonce(): Promise<void>
  /**
   * Expects that every event ever owed is on the chain exactly once, that its row says where, that
   * events of a subject are in order, and that receipts have places in batches.
   */
  expectAllOnChain(): Promise<void>
  stop(): Promise<void>
}

export async function startStand(): Promise<Stand> {
  const [node, database] = await Promise.all([startEvmNode({ chainId: 8453 }), testDatabase()])
  const provider = startRpcRelay(node.url)
  const { address: sender, privateKey } = node.wallet(7)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  const announced: string[] = []
  const warnings: string[] = []
  const begunMs = Date.now()
  let passedMs = 0
  let issued = 0

  function client(over: { contract?: string; privateKey?: string } = {}): AnchorClient {
    return anchorClient({ rpcUrls: [provider.url], privateKey, contract, ...over })
  }

  /**
   * Waits for pending transactions: anvil answers before their block exists. Gives up after a
   * while, because some tests keep transactions in the pool.
   */
  async function mined(): Promise<void> {
    for (let look = 0; look < 20; look++) {
      const isMining = await node.rpc<boolean>('anvil_getAutomine', [])
      const { pending } = await node.rpc<{ pending: string }>('txpool_status', [])
      if (!isMining || Number(pending) === 0) return
      await Bun.sleep(5)
    }
  }

  // Later columns of a name take the place of earlier ones.
  const inHex = database.sql`'0x' || encode(hash, 'hex') as hash, '0x' || encode(contract, 'hex') as contract, '0x' || encode(tx_hash, 'hex') as tx_hash`

  async function find(label: string): Promise<Row & { transaction_id: string | null }> {
    const rows = await database.sql<(Row & { transaction_id: string | null })[]>`
      select *, ${inHex} from anchors where label = ${label} and kind <> 'batch'
        or kind = 'batch' and subject_id = (select batch_id::text from receipts where id = ${label})`
    const [row] = rows
    if (!row && !label.startsWith('drs_')) throw new Error(`there is no anchor ${label}`)
    return row ?? unbatched
  }

  async function events(): Promise<readonly (AnchorEvent & { txHash: string; block: number })[]> {
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: contract }
    const logs = await node.rpc<RawLog[]>('eth_getLogs', [filter])
    return logs.flatMap((log) =>
      anchorEvents([log]).map((event) => ({
        ...event,
        txHash: log.transactionHash,
        block: Number(log.blockNumber),
      })),
    )
  }

  return {
    node,
    provider,
    database,
    contract,
    privateKey,
    sender,
    announced,
    warnings,
    client,
    async pass(ms) {
      passedMs += ms
      await database.sql`update anchor_transactions set updated_at = updated_at - ${ms} * interval '1 millisecond'`
      await database.sql`update anchors set created_at = created_at - ${ms} * interval '1 millisecond'`
      await database.sql`update receipts set issued_at = issued_at - ${ms} * interval '1 millisecond'`
    },
    worker(over = {}) {
      const worker = createAnchorWorker({
        client: over.client ?? client({ contract: over.contract ?? contract }),
        contract: over.contract ?? contract,
        sql: database.sql,
        confirmations: () => over.confirmations ?? { blocks: depth, finalized: false },
        limits: {
          mostEvents: over.mostEvents ?? usualLimits.mostEvents,
          mostGas: over.mostGas ?? usualLimits.mostGas,
          mostReceipts: over.mostReceipts ?? usualLimits.mostReceipts,
        },
        steadyMs: () => passedMs,
        newId: () => Bun.randomUUIDv7(),
        announce: async ({ receiptId, invoiceId }) => {
          over.onAnnounce?.(receiptId)
          announced.push(receiptId)
          await database.sql`update invoices set state = 'completed' where id = ${invoiceId}`
        },
        log: { info: () => {}, warn: (_, message) => void warnings.push(message) },
      })
      return {
        async run() {
          if (over.aheadMs) setSystemTime(new Date(Date.now() + over.aheadMs))
          const outcome = await worker.run().finally(() => setSystemTime())
          await mined()
          return outcome
        },
      }
    },
    async oweReceipts(...ids) {
      for (const id of ids) await addReceipts(database.sql, [id], new Date(begunMs + issued++))
    },
    revoke: (receiptId) => revokeReceipts(database.sql, [receiptId]),
    async oweState(mandate, sequence, ageMs = 0) {
      const at = new Date(begunMs - ageMs)
      await database.sql`insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
        values (${Bun.randomUUIDv7()}, 'mandate', ${mandate}, ${sequence}, ${toBytes(hashOf(mandate))}, ${`state_${sequence}`}, 'pending', ${at}, ${at})`
    },
    anchor: find,
    async sent() {
      const rows = await database.sql<{ events: string | null }[]>`
        select string_agg(coalesce((
          select string_agg(receipts.id, '+' order by batch_index) from receipts where batch_id::text = anchors.subject_id and anchors.kind = 'batch'
        ), nullif(label, ''), anchors.kind), ' ' order by anchors.created_at, sequence) as events
        from anchor_transactions left join anchors on transaction_id = anchor_transactions.id group by nonce order by nonce`
      return rows.map(({ events }) => events ?? '')
    },
    async bytesOf(label) {
      const { transaction_id: id } = await find(label)
      const [row] =
        await database.sql`select '0x' || encode(signed_bytes, 'hex') as signed_bytes from anchor_transactions where id = ${id}`
      return row?.signed_bytes
    },
    async timesSigned() {
      const rows = await database.sql<{ times: number }[]>`
        select cardinality(tx_hashes) as times from anchor_transactions order by nonce`
      return rows.map(({ times }) => times)
    },
    holdMining: () => node.rpc('evm_setAutomine', [false]),
    dropPool: () => node.rpc('anvil_dropAllTransactions'),
    async stealNonce() {
      await node.rpc('eth_sendTransaction', [{ from: sender, to: sender, value: '0x1' }])
      await node.mine(1)
    },
    async expectAllOnChain() {
      const rows = await database.sql<
        Row[]
      >`select *, ${inHex} from anchors order by subject_id, sequence`
      const onChain = await events()
      const owed = rows.map((row) => ({
        event: `${row.kind} ${row.hash} ${row.label}`,
        state: 'anchored',
        place: `${row.tx_hash} ${row.block_number} ${row.log_index}`,
      }))
      const found = onChain.map((event) => ({
        event: `${event.kind} ${event.hash} ${event.label}`,
        state: 'anchored',
        place: `${event.txHash} ${event.block} ${event.logIndex}`,
      }))
      const byEvent = (a: { event: string }, b: { event: string }) => (a.event < b.event ? -1 : 1)
      expect(rows.filter(({ state }) => state !== 'anchored')).toEqual([])
      expect(await misplaced(database.sql)).toEqual([])
      expect(owed.toSorted(byEvent)).toEqual(found.toSorted(byEvent))
      for (const hash of new Set(rows.map((row) => row.hash))) {
        const inOrder = rows.filter((row) => row.hash === hash).map(({ label }) => label)
        const asEmitted = onChain.filter((event) => event.hash === hash).map(({ label }) => label)
        expect(asEmitted).toEqual(inOrder)
      }
    },
    async stop() {
      await provider.stop()
      await node.stop()
      await database.drop()
    },
  }
}

const unbatched = {
  kind: 'batch',
  subject_id: '',
  hash: '',
  label: '',
  state: 'pending',
  contract: null,
  tx_hash: null,
  block_number: null,
  log_index: null,
  transaction_id: null,
}

const deepWithinMs = 60_000

/**
 * Runs the worker and mines blocks until everything owed is mined and confirmed. Throws after a
 * minute.
 */
export async function runUntilDeep(stand: Stand, worker = stand.worker()): Promise<void> {
  const endMs = performance.now() + deepWithinMs
  while (performance.now() < endMs) {
    const { openTransactions } = await worker.run()
    const [owed] = await stand.database.sql<{ count: number }[]>`
      select (select count(*) from anchors where state <> 'anchored')::int
        + (select count(*) from receipts where batch_id is null and revoked_at is null)::int as count`
    if (openTransactions === 0 && owed?.count === 0) return
    await stand.node.mine(1)
  }
  throw new Error('not everything is deep in the chain in time')
}

function hashOf(text: string): string {
  return `0x${Bun.SHA256.hash(text, 'hex')}`
}
