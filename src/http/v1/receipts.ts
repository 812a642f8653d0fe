import { Elysia } from 'elysia'
import type { Receipts } from '../../actors/receipts.ts'
import type { Bundle, Issued } from '../../domain/receipts/receipt.ts'
import type { Operations } from '../operation.ts'
import { readableAnywhere } from '../response/cross-origin.ts'
import { ok } from '../response/envelope.ts'
import * as Docs from './docs.ts'

/** A receipt for its owner, and the bundle with which anybody can check it against the chain. */
export function receiptRoutes(operation: Operations, receipts: Receipts) {
  return new Elysia()
    .get(
      '/v1/receipts/:id',
      operation({ scope: 'invoices:read', docs: Docs.getReceipt }, async ({ params, principal }) =>
        ok(receiptJson(await receipts.get(principal.accountId, params.id ?? ''))),
      ),
    )
    .get(
      '/v1/public/receipts/:id/bundle',
      operation(
        { scope: null, headers: readableAnywhere(), docs: Docs.getBundle },
        async ({ params }) => ({
          status: 200,
          body: bundleJson(await receipts.find(params.id ?? '')),
        }),
      ),
    )
}

function receiptJson(receipt: Issued): string {
  const { accountId: _, preimage, ...shown } = receipt
  const status = receipt.revokedAt ? 'revoked' : receipt.anchor ? 'anchored' : 'pending'
  return JSON.stringify({ ...(JSON.parse(preimage) as object), ...shown, status })
}

function bundleJson({ receiptId, preimage, hash, anchor, revokedAt }: Issued): string {
  const bundle: Bundle = { receiptId, preimage, hash, anchor, ...(revokedAt && { revokedAt }) }
  return JSON.stringify(bundle)
}
