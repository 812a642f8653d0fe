import { Elysia } from 'elysia'
import { DomainError } from '../../domain/error.ts'
import type { Operations } from '../operation.ts'
import { ok } from './shapes.ts'

/** A receipt and what is known of its anchor; contract §10. */
export type IssuedReceipt = {
  readonly receiptId: string
  readonly accountId: string
  readonly kind: 'settlement' | 'agreement'
  readonly invoiceId: string | null
  readonly preimage: string
  readonly hash: string
  readonly issuedAt: string
  readonly revokedAt: string | null
  /** Null until the event is on the chain. */
  readonly anchor: {
    readonly chainId: number
    readonly contract: string
    readonly txHash: string
    readonly blockNumber: number
    readonly logIndex: number
  } | null
}

export type ReceiptReader = { find(receiptId: string): Promise<IssuedReceipt | null> }

/** `/v1/receipts/:id` for its owner, and the bundle with which anyone can check it against the chain alone. */
export function receiptRoutes(operation: Operations, receipts: ReceiptReader) {
  return new Elysia()
    .get(
      '/v1/receipts/:id',
      operation({ scope: 'invoices:read' }, async ({ params, principal }) => {
        const receipt = await find(params.id)
        if (receipt.accountId !== principal.accountId) throw unknown()
        return ok(receiptJson(receipt))
      }),
    )
    .get(
      '/v1/public/receipts/:id/bundle',
      operation({ scope: null }, async ({ params }) => {
        const { receiptId, preimage, hash, anchor } = await find(params.id)
        return { status: 200, body: JSON.stringify({ receiptId, preimage, hash, anchor }) }
      }),
    )

  async function find(id = ''): Promise<IssuedReceipt> {
    const receipt = receiptId.test(id) ? await receipts.find(id) : null
    if (!receipt) throw unknown()
    return receipt
  }
}

const receiptId = /^drs_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function unknown(): DomainError {
  return new DomainError('not_found', 'No such receipt')
}

function receiptJson(receipt: IssuedReceipt): string {
  const { accountId: _, preimage, ...shown } = receipt
  const status = receipt.revokedAt ? 'revoked' : receipt.anchor ? 'anchored' : 'pending'
  return JSON.stringify({ ...(JSON.parse(preimage) as object), ...shown, status })
}
