import { toHex } from '../../domain/hash.ts'
import type { Issued } from '../../domain/receipts/bundle.ts'
import type { Claim } from '../../domain/receipts/claims.ts'
import { pathOf, rootOf } from '../../domain/receipts/merkle.ts'
import { isOfInvoice, type Kind } from '../../domain/receipts/receipt.ts'
import { type Sql, statement } from '../postgres/db.ts'

/** Of any account, revoked or not, with its place on the anchor chain. */
export async function findReceipt(sql: Sql, receiptId: string): Promise<Issued | null> {
  const [row] = await statement<Row[]>(sql)`
    select receipts.*, anchors.chain_id, anchors.contract, anchors.tx_hash, anchors.block_number, anchors.log_index, case
      when anchors.id is not null then (
        select string_agg(leaf.hash, ''::bytea order by leaf.batch_index) from receipts as leaf
        where leaf.batch_id = receipts.batch_id
      ) end as leaves
    from receipts left join anchors on anchors.kind = 'batch' and anchors.subject_id = receipts.batch_id::text
      and anchors.state = 'anchored'
    where receipts.id = ${receiptId}`
  if (!row) return null
  return {
    receiptId: row.id,
    accountId: row.account_id,
    kind: row.kind,
    invoiceId: isOfInvoice(row.kind) ? row.subject_id : null,
    seed: row.seed,
    claims: JSON.parse(row.claims) as readonly Claim[],
    hash: row.hash,
    issuedAt: row.issued_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    anchored: row.leaves && anchoredOf(row, digestsIn(row.leaves)),
  }
}

export type Senders = { readonly chainId: number; readonly senders: readonly string[] }

/** Who has called a contract (lower case) for this service, on the chain of the newest call. */
export async function findSenders(sql: Sql, contract: string): Promise<Senders | null> {
  const [row] = await statement<{ chain_id: bigint; senders: string }[]>(sql)`
    select chain_id, string_agg(distinct lower(sender), ' ') as senders from anchor_transactions
    where lower(contract) = ${contract} group by chain_id order by max(created_at) desc limit 1`
  return row ? { chainId: Number(row.chain_id), senders: row.senders.split(' ') } : null
}

function anchoredOf(row: Row, leaves: readonly Uint8Array[]): Issued['anchored'] {
  const index = row.batch_index ?? 0
  return {
    place: { index, size: leaves.length, path: pathOf(leaves, index) },
    anchor: {
      chainId: Number(row.chain_id),
      contract: (row.contract ?? '').toLowerCase(),
      txHash: row.tx_hash ?? '',
      blockNumber: Number(row.block_number),
      logIndex: row.log_index ?? 0,
      root: toHex(rootOf(leaves)),
    },
  }
}

function digestsIn(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: bytes.length / 32 }, (_, at) => bytes.subarray(32 * at, 32 * at + 32))
}

type Row = {
  id: string
  account_id: string
  kind: Kind
  subject_id: string
  seed: Uint8Array
  claims: string
  hash: Uint8Array
  issued_at: Date
  revoked_at: Date | null
  batch_index: number | null
  leaves: Uint8Array | null
  chain_id: bigint | null
  contract: string | null
  tx_hash: string | null
  block_number: bigint | null
  log_index: number | null
}
