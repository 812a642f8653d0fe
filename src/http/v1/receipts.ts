import { Elysia } from 'elysia'
import type { Receipts } from '../../actors/receipts.ts'
import { toHex } from '../../domain/hash.ts'
import { bundleOf, type Issued } from '../../domain/receipts/bundle.ts'
import type { Operations } from '../operation.ts'
import { listQueryOf } from '../request/request-url.ts'
import { ok } from '../response/envelope.ts'
import * as Docs from './receipt-docs.ts'

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
      '/.well-known/quittance',
      operation({ scope: null }, async () => ({
        status: 200,
        body: JSON.stringify({ anchor: await receipts.issuer() }),
      })),
    )
    .get(
      '/v1/public/receipts/:id/bundle',
      operation({ scope: null, docs: Docs.getBundle }, async ({ params, request }) => {
        const receipt = await receipts.find(params.id ?? '')
        // A name that is misspelt must not show everything.
        const show = listQueryOf(request.url, (parameter) => parameter('show'))
        return { status: 200, body: JSON.stringify(bundleOf(receipt, show?.split(',') ?? null)) }
      }),
    )
}

function receiptJson(receipt: Issued): string {
  const { receiptId, kind, invoiceId, claims, hash, anchored, issuedAt, revokedAt } = receipt
  return JSON.stringify({
    receiptId,
    kind,
    invoiceId,
    status: revokedAt ? 'revoked' : anchored ? 'anchored' : 'pending',
    issuedAt,
    revokedAt,
    claims: Object.fromEntries(claims),
    hash: toHex(hash),
    anchor: anchored?.anchor ?? null,
  })
}
