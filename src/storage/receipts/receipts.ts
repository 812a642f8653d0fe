import { toHex } from '../../domain/hash.ts'
import type { Issued } from '../../domain/receipts/bundle.ts'
import type { Claim } from '../../domain/receipts/claims.ts'
import { type Tree, treeOf } from '../../domain/receipts/merkle.ts'
import { claimsOfSale, isOfInvoice, type Kind } from '../../domain/receipts/receipt.ts'
import { livesOf } from '../invoices/trails.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { array, type Fragment, type Sql, statement } from '../postgres/db.ts'

/** Of any account, revoked or not, with its place on the anchor chain. */
export async function findReceipt(sql: Sql, receiptId: string): Promise<Issued | null> {
  const [row] = await statement<(Row & { leaves: Uint8Array | null })[]>(sql)`
    select ${columns(sql)}, case when anchors.id is not null then ${leavesOf(sql, sql`receipts.batch_id`)} end as leaves
    from ${placedReceipts(sql)} where receipts.id = ${receiptId}`
  if (!row) return null
  const claims = await claimsOf(sql, [row])
  return issuedOf(row, claims(row), row.leaves && treeOf([row.leaves]))
}

const mostTrees = 64

/** Reads receipts in force, in no order, and keeps the trees of the batches read last. */
export function receiptReader(sql: Sql) {
  const trees = new Map<string, Tree>()

  async function treeAt(batchId: string): Promise<Tree> {
    const known = trees.get(batchId)
    if (known) return known
    const [row] = await statement<[{ leaves: Uint8Array }]>(sql)`
      select ${leavesOf(sql, sql`${batchId}::uuid`)} as leaves`
    const tree = treeOf([row.leaves])
    const [oldest = ''] = trees.keys()
    if (trees.size >= mostTrees) trees.delete(oldest)
    trees.set(batchId, tree)
    return tree
  }

  return async (ids: readonly string[]): Promise<readonly Issued[]> => {
    const rows = await statement<Row[]>(sql)`
      select ${columns(sql)} from ${placedReceipts(sql)}
      where receipts.id = any(${array(ids)}::text[]) and revoked_at is null order by batch_id`
    const claims = await claimsOf(sql, rows)
    const issued: Issued[] = []
    for (const row of rows) {
      const tree = row.batch_id && row.chain_id ? await treeAt(row.batch_id) : null
      issued.push(issuedOf(row, claims(row), tree))
    }
    return issued
  }
}

function columns(sql: Sql) {
  return sql`receipts.*, anchors.chain_id, anchors.contract, anchors.tx_hash, anchors.block_number, anchors.log_index`
}

function placedReceipts(sql: Sql) {
  return sql`receipts left join anchors on anchors.kind = 'batch' and anchors.subject_id = receipts.batch_id::text
    and anchors.state = 'anchored'`
}

function leavesOf(sql: Sql, batchId: Fragment) {
  return sql`(
    select string_agg(leaf.hash, ''::bytea order by leaf.batch_index) from receipts as leaf where leaf.batch_id = ${batchId}
  )`
}

function issuedOf(row: Row, claims: readonly Claim[], tree: Tree | null): Issued {
  return {
    receiptId: row.id,
    accountId: row.account_id,
    kind: row.kind,
    invoiceId: isOfInvoice(row.kind) ? row.subject_id : null,
    seed: row.seed,
    claims,
    hash: row.hash,
    issuedAt: row.issued_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    anchored: tree && anchoredOf(row, tree),
  }
}

/** Reads the claims of receipts: those of sales follow from their invoices. */
async function claimsOf(sql: Sql, rows: readonly Row[]): Promise<(row: Row) => readonly Claim[]> {
  const sales = rows.filter(({ claims }) => claims === null)
  const { lifeOf } = await livesOf(
    sql,
    sales.map((row) => row.subject_id),
  )
  return ({ id, subject_id: invoiceId, seed, hash, claims, ...row }) => {
    if (claims !== null) return JSON.parse(claims) as readonly Claim[]
    const source = { invoiceVersion: row.invoice_version ?? 0, feeBase: row.fee_base ?? 0n }
    return claimsOfSale(lifeOf(invoiceId) ?? [], { id, seed, hash, source })
  }
}

export type Senders = { readonly chainId: number; readonly senders: readonly string[] }

/** Who has called a contract (lower case) for this service, on the chain of the newest call. */
export async function findSenders(sql: Sql, contract: string): Promise<Senders | null> {
  const [row] = await statement<{ chain_id: bigint; senders: Buffer[] }[]>(sql)`
    select chain_id, array_agg(distinct sender) as senders from anchor_transactions
    where contract = ${toBytes(contract)} group by chain_id order by max(created_at) desc limit 1`
  return row ? { chainId: Number(row.chain_id), senders: row.senders.map(toHex) } : null
}

function anchoredOf(row: Row, { root, size, pathOf }: Tree): Issued['anchored'] {
  const index = row.batch_index ?? 0
  return {
    place: { index, size, path: pathOf(index) },
    anchor: {
      chainId: Number(row.chain_id),
      contract: row.contract ? toHex(row.contract) : '',
      txHash: row.tx_hash ? toHex(row.tx_hash) : '',
      blockNumber: Number(row.block_number),
      logIndex: row.log_index ?? 0,
      root: toHex(root),
    },
  }
}

type Row = {
  id: string
  account_id: string
  kind: Kind
  subject_id: string
  seed: Uint8Array
  claims: string | null
  invoice_version: number | null
  fee_base: bigint | null
  hash: Uint8Array
  issued_at: Date
  revoked_at: Date | null
  batch_id: string | null
  batch_index: number | null
  chain_id: bigint | null
  contract: Uint8Array | null
  tx_hash: Uint8Array | null
  block_number: bigint | null
  log_index: number | null
}
