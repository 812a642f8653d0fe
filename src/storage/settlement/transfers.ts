import type { MatchedBy } from '../../domain/invoices/progress.ts'
import type { Network } from '../../domain/network.ts'
import type { Credit } from '../../domain/settlement/candidate.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import { array, type Sql, statement } from '../postgres/db.ts'

/** Credited to an invoice, or held. */
export type StoredTransfer = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly blockTimeMs: number
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  readonly state: 'seen' | 'confirmed' | 'reverted'
  readonly credit: Credit | null
  readonly heldAs: 'ambiguous' | 'unmatched' | null
  /** It is credited, deep enough, and not confirmed: no second node has shown it yet. */
  readonly awaitsNode?: true
}

export type TransferChange = { readonly before: StoredTransfer; readonly after: StoredTransfer }

/** Transfers still in the blocks `from` to `to`, and all of the given transactions. */
export async function transfersIn(
  sql: Sql,
  chain: Network,
  { from, to }: { from: number; to: number },
  txHashes: readonly string[],
): Promise<readonly StoredTransfer[]> {
  const rows = await statement<Row[]>(sql)`select * from transfers
    where chain = ${chain} and (
      (block_number between ${from} and ${to} and state <> 'reverted') or tx_hash = any(${array(txHashes.map(toBytes))}::bytea[])
    )`
  return rows.map(decode)
}

/** Some of those before a block that wait for a second node. Others get their turn by chance. */
export async function awaitingNode(
  sql: Sql,
  chain: Network,
  before: number,
): Promise<readonly StoredTransfer[]> {
  const rows = await statement<Row[]>(sql)`select * from transfers
    where chain = ${chain} and awaits_node and block_number < ${before} order by random() limit ${lookedAtOnce}`
  return rows.map(decode)
}

const lookedAtOnce = 200

export async function transfersOf(
  sql: Sql,
  chain: Network,
  txHash: string,
): Promise<readonly StoredTransfer[]> {
  const rows = await statement<Row[]>(sql)`select * from transfers
    where chain = ${chain} and tx_hash = ${toBytes(txHash)} and state <> 'reverted' order by position`
  return rows.map(decode)
}

/** Reverted or not. */
export async function findTransfer(
  sql: Sql,
  { chain, txHash, position }: Pick<StoredTransfer, 'chain' | 'txHash' | 'position'>,
): Promise<StoredTransfer | undefined> {
  const rows = await statement<Row[]>(sql)`select * from transfers
    where chain = ${chain} and tx_hash = ${toBytes(txHash)} and position = ${position}`
  return rows.map(decode)[0]
}

export type Row = {
  chain: Network
  tx_hash: Buffer
  position: number
  block_number: bigint
  block_hash: Buffer
  block_time: Date
  from_address: Buffer
  to_address: Buffer
  usdc_base: bigint
  state: StoredTransfer['state']
  invoice_id: string | null
  matched_by: MatchedBy | null
  held_as: StoredTransfer['heldAs']
  awaits_node: boolean
}

export function decode(row: Row): StoredTransfer {
  const { chain } = row
  return {
    chain,
    txHash: toText(chain, row.tx_hash),
    position: row.position,
    blockNumber: Number(row.block_number),
    blockHash: toText(chain, row.block_hash),
    blockTimeMs: row.block_time.getTime(),
    from: toText(chain, row.from_address),
    to: toText(chain, row.to_address),
    usdcBase: row.usdc_base,
    state: row.state,
    credit:
      row.invoice_id && row.matched_by
        ? { invoiceId: row.invoice_id, matchedBy: row.matched_by }
        : null,
    heldAs: row.held_as,
    ...(row.awaits_node && { awaitsNode: true }),
  }
}
