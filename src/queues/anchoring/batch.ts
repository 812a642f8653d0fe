import { rootOf } from '../../domain/receipts/merkle.ts'
import type { Batch, Unbatched } from '../../storage/anchors/batches.ts'

/** The batch of these receipts, in their order. */
export function batchOf(id: string, receipts: readonly Unbatched[]): Batch {
  const root = rootOf(receipts.map(({ hash }) => hash))
  return { id, root, receiptIds: receipts.map((receipt) => receipt.id) }
}
