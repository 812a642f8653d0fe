import type { Issued, Kind } from '../../domain/receipts/receipt.ts'
import { type Sql, statement } from '../postgres/db.ts'

/** Of any account, revoked or not, with its place on the anchor chain. */
export async function findReceipt(sql: Sql, receiptId: string): Promise<Issued | null> {
  const [row] = await statement<Row[]>(
    sql,
  )`select receipts.*, anchors.state, anchors.chain_id, anchors.contract, anchors.tx_hash,
      anchors.block_number, anchors.log_index
    from receipts join anchors on anchors.kind = 'receipt' and anchors.subject_id = receipts.id
    where receipts.id = ${receiptId}`
  if (!row) return null
  return {
    receiptId: row.id,
    accountId: row.account_id,
    kind: row.kind,
    invoiceId: row.kind === 'settlement' ? row.subject_id : null,
    preimage: row.preimage,
    hash: row.hash,
    issuedAt: row.issued_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    anchor: row.state === 'anchored' ? anchorOf(row) : null,
  }
}

function anchorOf(row: Row): Issued['anchor'] {
  return {
    chainId: Number(row.chain_id),
    contract: row.contract ?? '',
    txHash: row.tx_hash ?? '',
    blockNumber: Number(row.block_number),
    logIndex: row.log_index ?? 0,
  }
}

type Row = {
  id: string
  account_id: string
  kind: Kind
  subject_id: string
  preimage: string
  hash: string
  issued_at: Date
  revoked_at: Date | null
  state: string
  chain_id: bigint | null
  contract: string | null
  tx_hash: string | null
  block_number: bigint | null
  log_index: number | null
}
