import { verifyEvent } from '../chain/anchor/proof.ts'
import { canonical, type Json } from '../domain/canonical.ts'
import { type Bundle, hashOf } from '../domain/receipts/receipt.ts'

export type Verdict =
  | { readonly ok: true; readonly receiptId: string; readonly message: string }
  | { readonly ok: false; readonly problem: keyof typeof problems; readonly message: string }

const problems = {
  malformed_bundle: 'this is not a receipt bundle',
  preimage_not_canonical: 'the preimage is not canonical JSON',
  wrong_receipt_id: 'the preimage belongs to another receipt',
  revoked: 'the service has revoked this receipt: a reorganisation removed its payment',
  tampered_preimage: 'the preimage was changed: it does not have the stated hash',
  wrong_hash: 'the chain has a different hash for this receipt',
  not_anchored: 'the receipt is not on the chain yet',
  transaction_not_found: 'the transaction is not on this chain',
  failed_transaction: 'the transaction failed on chain',
  event_not_found: 'the transaction has no matching event for this receipt',
  wrong_contract: 'the event was emitted by another contract',
  forged_event: 'the event states a sender or time that its transaction does not have',
  wrong_sender: 'another sender caused the event',
  stale_place: 'the event has moved to another block: fetch the bundle again',
} as const

/** Default: the contract in the bundle, and any sender. Upper or lower case. */
export type Expected = {
  readonly contract?: string | undefined
  readonly sender?: string | undefined
}

/**
 * Checks a bundle (`GET /v1/public/receipts/:id/bundle`) with only a node of its chain. Anybody can
 * deploy such a contract, so only `expected` proves who made the receipt. Revocations are not on
 * chain: `revoked` is what the bundle says. Further `rpcUrls` are for failover. Errors:
 * `ChainError`.
 */
export async function verifyReceipt(
  input: unknown,
  rpcUrls: string | readonly string[],
  expected: Expected = {},
): Promise<Verdict> {
  const urls = [rpcUrls].flat()
  // JavaScript programs call this too, with values from the environment.
  if (urls.length === 0 || urls.some((url) => typeof url !== 'string' || url === ''))
    throw new TypeError('verifyReceipt(bundle, rpcUrls) needs the URL of a node, or a list of URLs')
  const bundle = asBundle(input)
  if (!bundle) return wrong('malformed_bundle')
  const { receiptId, preimage, anchor, revokedAt } = bundle
  const content = contentOf(preimage)
  if (content === null) return wrong('preimage_not_canonical')
  if (content.receiptId !== receiptId) return wrong('wrong_receipt_id')
  if (revokedAt !== undefined) return wrong('revoked')
  const hash = hashOf(preimage)
  const isWhole = hash === bundle.hash
  if (!anchor) return wrong(isWhole ? 'not_anchored' : 'tampered_preimage')
  if (!isSameAddress(expected.contract, anchor.contract)) return wrong('wrong_contract')
  const proof = await verifyEvent(urls, anchor, { kind: 'receipt', hash, label: receiptId })
  // The event on chain shows whether the bundle's hash or its preimage was changed.
  if (!isWhole) return wrong(proof.outcome === 'ok' ? 'wrong_hash' : 'tampered_preimage')
  if (proof.outcome !== 'ok') return wrong(proof.outcome)
  if (!isSameAddress(expected.sender, proof.sender)) return wrong('wrong_sender')
  const at = new Date(proof.timestampMs).toISOString()
  return {
    ok: true,
    receiptId,
    message: `${receiptId} was anchored by ${proof.sender} in block ${anchor.blockNumber} of chain ${anchor.chainId} at ${at}`,
  }
}

function wrong(problem: keyof typeof problems): Verdict {
  return { ok: false, problem, message: problems[problem] }
}

function isSameAddress(expected: string | undefined, found: string): boolean {
  return expected === undefined || expected.toLowerCase() === found.toLowerCase()
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
    (bundle.anchor === null || isPlace(bundle.anchor)) &&
    (bundle.revokedAt === undefined || typeof bundle.revokedAt === 'string')
  return isBundle ? bundle : null
}

function isPlace(place: Bundle['anchor']): boolean {
  return (
    typeof place?.chainId === 'number' &&
    typeof place.contract === 'string' &&
    // Nodes refuse any other text, as if the fault were theirs.
    /^0x[0-9a-f]{64}$/i.test(place.txHash) &&
    typeof place.blockNumber === 'number' &&
    typeof place.logIndex === 'number'
  )
}
