import { concat, type Hex, size } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { SecondNode } from '../../../src/chain/rpc/second-node.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { match } from '../../../src/domain/settlement/matching.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { loadMany } from '../../../src/storage/invoices/invoices.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { type EvmNode, startEvmNode, transferCall } from '../../support/evm-node.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { watchedSql } from '../../support/watched-sql.ts'
import { baseBy, testWatcher } from '../../support/watcher.ts'

export const wallet = '0x00000000000000000000000000000000000000aa'
export const somebody = '0x00000000000000000000000000000000000000bb'
export const due = 12_500_000n
export const accountId = '0190a000-0000-7000-8000-000000000001'

export type WatcherOptions = {
  readonly confirmations?: number
  readonly finalized?: boolean
  readonly maxRangeBlocks?: number
  /** By default the adapter of the relay. */
  readonly chain?: Chain
  /** One of its own by default. */
  readonly secondNode?: SecondNode
  /** The connections of the database by default. */
  readonly sql?: Sql
  /** The same as `sql` by default. */
  readonly patientSql?: Sql
  readonly during?: During
  readonly onReread?: (fromBlock: number) => Promise<void>
  /** The usual ones by default. */
  readonly rules?: typeof match
  readonly onError?: (line: object) => void
}

/** What is done before a statement of a watcher is sent. */
export type During = {
  /** The commit of a step; `writes`: it writes more than the cursor. */
  readonly commit?: (writes: boolean) => unknown
  /** The search for the invoices that transfers of these transactions may pay. */
  readonly candidates?: (txHashes: readonly string[]) => unknown
  /** The search for transfers on record. */
  readonly transfers?: () => unknown
  /** What PostgreSQL's clock says more than it does. */
  readonly aheadMs?: () => number
}

/** The connections of `sql` for a watcher in the middle of whose steps something else is done. */
function duringSteps(sql: Sql, { commit, candidates, transfers, aheadMs }: During): Sql {
  return watchedSql(sql, {
    before({ text, values }) {
      if (text.includes('with moved as')) return commit?.(true)
      if (text.startsWith('update cursors')) return commit?.(false)
      if (text.includes('claimed.created_at')) return candidates?.(hashesIn(values))
      if (text.startsWith('select * from transfers')) return transfers?.()
    },
    instead({ text }, rows: { at: Date }[]) {
      if (!aheadMs || !text.startsWith('select clock_timestamp() as at')) return rows
      return rows.map(({ at }) => ({ at: new Date(at.getTime() + aheadMs()) }))
    },
  })
}

function hashesIn(values: readonly unknown[]): readonly string[] {
  return [...new Set(String(values).match(/(?<=\\\\x)[0-9a-f]{64}/g))]
}

export type Signed = {
  readonly from: number
  readonly to?: string
  readonly usdcBase?: bigint
  readonly reference?: string
  /** The account's next nonce by default. */
  readonly nonce?: number
}

/**
 * The watcher of one chain with all it needs: a database, and a node behind a relay that can fail.
 */
export type WatchStand = {
  readonly node: EvmNode
  readonly relay: RpcRelay
  readonly database: TestDatabase
  watcher(options?: WatcherOptions): Watcher
  /** Advances the watcher's clocks. */
  wait(durationMs: number): void
  /** Sets the watcher's clock to so much more than the right time. */
  setClock(aheadMs: number): void
  /** Moves the watcher's cursor on as another process would that was faster. */
  otherIsFaster(): Promise<unknown>
  /** Opens an invoice over `due` (or with these terms), dated `ageMs` ago; 0 by default. */
  openInvoice(over?: Partial<Terms>, ageMs?: number, of?: string): Promise<Invoice.Invoice>
  /** The invoice's current state. */
  now(invoice: Invoice.Invoice): Promise<Invoice.Invoice>
  /** Signs a transfer of `due` to `wallet`, which a reorganisation can put into any block. */
  sign(transfer: Signed): Promise<Hex>
  /** Signs a transaction that makes these calls, one after the other. */
  signBatch(calls: readonly Hex[]): Promise<Hex>
  /** Sends a signed transaction and waits for its block: anvil answers before the block exists. */
  mined(signed: Hex): Promise<Hex>
  blockOf(txHash: Hex): Promise<number>
  /** Counts of one invoice: receipts in force and revoked, events, confirmed transfers. */
  counts(invoice: Invoice.Invoice): Promise<Record<string, number>>
  /** Counts over all invoices. */
  standing(): Promise<Record<string, number>>
  stop(): Promise<void>
}

export async function startWatchStand(): Promise<WatchStand> {
  const node = await startEvmNode({ chainId: 8453 })
  for (const n of [1, 2]) await node.mint(node.wallet(n).address, 10n ** 15n)
  const relay = startRpcRelay(node.url)
  const database = await testDatabase()
  const { sql } = database
  await rememberPaymentAddress(sql, 'base', wallet)
  let waitedMs = 0
  let aheadMs = 0
  const clock = () => new Date(Date.now() + waitedMs + aheadMs)

  async function openInvoice(over: Partial<Terms> = {}, ageMs = 0, of = accountId) {
    const at = new Date(clock().getTime() - ageMs)
    return storedInvoice(sql, of, { payTo: wallet, dueUsdcBase: due, ...over }, at)
  }

  async function signCall(from: number, call: { to: Hex; data: Hex; gas: bigint; nonce?: number }) {
    const { address, privateKey } = node.wallet(from)
    const next = () => node.rpc<Hex>('eth_getTransactionCount', [address, 'latest'])
    return privateKeyToAccount(privateKey).signTransaction({
      type: 'eip1559',
      chainId: 8453,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      ...call,
      nonce: call.nonce ?? Number(await next()),
    })
  }

  function sign({ from, to = wallet, usdcBase = due, reference = '0x', nonce }: Signed) {
    const data: Hex = `${transferCall({ to, usdcBase })}${reference.slice(2)}`
    return signCall(from, {
      to: node.usdc,
      data,
      gas: 200_000n,
      ...(nonce !== undefined && { nonce }),
    })
  }

  async function signBatch(calls: readonly Hex[]) {
    const to = await installRelayer(node, size(calls[0] ?? '0x'))
    await node.mint(to, 100_000_000n)
    return signCall(2, { to, data: concat(calls), gas: 1_000_000n })
  }

  async function mined(signed: Hex): Promise<Hex> {
    const txHash = await node.rpc<Hex>('eth_sendRawTransaction', [signed])
    for (let look = 1; (await receiptOf(txHash)) === null; look++) {
      if (look % 200 === 0) await node.rpc('evm_mine')
      await Bun.sleep(5)
    }
    return txHash
  }

  const receiptOf = (txHash: Hex) =>
    node.rpc<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', [txHash])

  return {
    node,
    relay,
    database,
    otherIsFaster: async () => sql`update cursors set version = version + 1`,
    openInvoice,
    sign,
    signBatch,
    mined,
    wait(durationMs) {
      waitedMs += durationMs
    },
    setClock(ms) {
      aheadMs = ms
    },
    watcher: ({
      confirmations = 3,
      finalized = false,
      maxRangeBlocks = 100,
      chain = baseBy(node, relay.url),
      secondNode,
      sql: own = sql,
      patientSql,
      during,
      onReread = async () => {},
      rules = match,
      onError = () => {},
    } = {}) =>
      testWatcher(during ? duringSteps(own, during) : own, {
        chain,
        ...(patientSql && { patientSql }),
        ...(secondNode && { secondNode }),
        confirmations: { blocks: confirmations, finalized },
        maxRangeBlocks,
        onReread,
        rules,
        log: { warn: () => {}, error: onError },
        now: clock,
        steadyMs: () => performance.now() + waitedMs,
      }),
    now: async ({ id }) => (await loadMany(sql, [id]))[0] as Invoice.Invoice,
    blockOf: async (txHash) => Number((await receiptOf(txHash))?.blockNumber),
    async counts({ id }) {
      const [row] = await sql`select
        (select count(*)::int from receipts where subject_id = ${id} and revoked_at is null) as receipts,
        (select count(*)::int from receipts where subject_id = ${id} and revoked_at is not null) as revoked,
        (select count(*)::int from trail_steps where subject_id = ${id} and type = 'invoice.settled') as settled,
        (select count(*)::int from transfers where invoice_id = ${id} and state = 'confirmed') as confirmed`
      return { ...row }
    },
    async standing() {
      const [row] = await sql`select
        (select count(*)::int from invoices where state = 'settled') as settled,
        (select count(*)::int from receipts) as receipts,
        (select count(*)::int from trail_steps where type = 'invoice.settled') as events,
        (select count(*)::int from transfers) as transfers`
      return { ...row }
    },
    async stop() {
      await relay.stop()
      await node.stop()
      await database.drop()
    },
  }
}
