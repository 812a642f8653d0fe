import { Elysia } from 'elysia'
import { noSuch } from '../../domain/error.ts'
import { isUuidOf } from '../../domain/id.ts'
import type { Bundle, Issued } from '../../domain/receipts/receipt.ts'
import type { Operations } from '../operation.ts'
import { readableAnywhere } from '../response/cross-origin.ts'
import { ok } from '../response/envelope.ts'
import * as Docs from './docs.ts'

export type ReceiptReader = { find(receiptId: string): Promise<Issued | null> }

/**
 * `/v1/receipts/:id` for its owner, and the bundle by which anybody can check a receipt against the
 * chain alone.
 */
export function receiptRoutes(operation: Operations, receipts: ReceiptReader) {
  return new Elysia()
    .get(
      '/v1/receipts/:id',
      operation(
        { scope: 'invoices:read', docs: Docs.getReceipt },
        async ({ params, principal }) => {
          const receipt = await find(params.id)
          if (receipt.accountId !== principal.accountId) throw noSuch('receipt')
          return ok(receiptJson(receipt))
        },
      ),
    )
    .get(
      '/v1/public/receipts/:id/bundle',
      operation(
        { scope: null, headers: readableAnywhere(), docs: Docs.getBundle },
        async ({ params }) => {
          const { receiptId, preimage, hash, anchor, revokedAt } = await find(params.id)
          const bundle: Bundle = {
            receiptId,
            preimage,
            hash,
            anchor,
            ...(revokedAt && { revokedAt }),
          }
          return { status: 200, body: JSON.stringify(bundle) }
        },
      ),
    )

  async function find(id = ''): Promise<Issued> {
    const receipt = isUuidOf('drs_', id) ? await receipts.find(id) : null
    if (!receipt) throw noSuch('receipt')
    return receipt
  }
}

function receiptJson(receipt: Issued): string {
  const { accountId: _, preimage, ...shown } = receipt
  const status = receipt.revokedAt ? 'revoked' : receipt.anchor ? 'anchored' : 'pending'
  return JSON.stringify({ ...(JSON.parse(preimage) as object), ...shown, status })
}
