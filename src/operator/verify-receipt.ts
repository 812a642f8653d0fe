import { verifyEvent } from '../chain/anchor-proof.ts'
import { canonical, type Json } from '../domain/canonical.ts'
import { type Bundle, hashOf } from '../domain/receipt.ts'

/** What a check of a receipt came to; each way of being wrong has its own `problem`. */
export type Verdict =
  | { readonly ok: true; readonly receiptId: string; readonly message: string }
  | {
      readonly ok: false
      readonly problem:
        | 'malformed_bundle'
        | 'not_anchored'
        | 'preimage_not_canonical'
        | 'wrong_hash'
        | 'wrong_receipt_id'
        | 'transaction_not_found'
        | 'failed_transaction'
        | 'wrong_contract'
        | 'wrong_block'
        | 'event_not_found'
      readonly message: string
    }

/**
 * Checks a bundle (`GET /v1/public/receipts/:id/bundle`) with nothing but a node of the chain it names: the preimage hashes to the hash, and
 * the contract emitted that hash under that receipt's id. Rejects with `ChainError` when the node does not answer.
 */
export async function verifyReceipt(input: unknown, rpcUrls: readonly string[]): Promise<Verdict> {
  const bundle = asBundle(input)
  if (!bundle) return wrong('malformed_bundle', 'this is no receipt bundle')
  const content = contentOf(bundle.preimage)
  if (content === null) return wrong('preimage_not_canonical', 'the preimage is not canonical JSON')
  if (hashOf(bundle.preimage) !== bundle.hash)
    return wrong('wrong_hash', 'the preimage does not hash to the hash')
  if (content.receiptId !== bundle.receiptId)
    return wrong('wrong_receipt_id', 'the preimage is of another receipt')
  if (!bundle.anchor) return wrong('not_anchored', 'the receipt is not on the chain yet')
  const { receiptId, hash, anchor } = bundle
  const proof = await verifyEvent(rpcUrls, anchor, { kind: 'receipt', hash, label: receiptId })
  if (proof.outcome !== 'ok') return wrong(proof.outcome, explanations[proof.outcome])
  if (proof.blockNumber !== anchor.blockNumber)
    return wrong('wrong_block', 'the event is in another block')
  const at = new Date(proof.timestampMs).toISOString()
  return {
    ok: true,
    receiptId,
    message: `${receiptId} was anchored by ${proof.sender} in block ${proof.blockNumber} of chain ${anchor.chainId} at ${at}`,
  }
}

const explanations = {
  transaction_not_found: 'the chain does not know the transaction',
  failed_transaction: 'the transaction failed on chain',
  wrong_contract: 'the event was not emitted by the contract the bundle names',
  event_not_found: 'the transaction holds no such event for this receipt',
  wrong_hash: 'the chain holds another hash for this receipt',
} as const

function wrong(problem: Extract<Verdict, { ok: false }>['problem'], message: string): Verdict {
  return { ok: false, problem, message }
}

function contentOf(preimage: string): { readonly receiptId?: unknown } | null {
  try {
    const content = JSON.parse(preimage) as Json
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content)
    return isObject && canonical(content) === preimage ? (content as { receiptId?: unknown }) : null
  } catch {
    return null
  }
}

function asBundle(input: unknown): Bundle | null {
  const bundle = input as Bundle | null
  const isBundle =
    typeof bundle === 'object' &&
    bundle !== null &&
    typeof bundle.receiptId === 'string' &&
    typeof bundle.preimage === 'string' &&
    typeof bundle.hash === 'string' &&
    (bundle.anchor === null || isPlace(bundle.anchor))
  return isBundle ? bundle : null
}

function isPlace(place: Bundle['anchor']): boolean {
  return (
    typeof place?.chainId === 'number' &&
    typeof place.contract === 'string' &&
    typeof place.txHash === 'string' &&
    typeof place.blockNumber === 'number' &&
    typeof place.logIndex === 'number'
  )
}
