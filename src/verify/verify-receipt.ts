import { type Anchor, type Bundle, bundleIn, type Json, receiptHash, rootFrom } from './bundle.ts'
import { type Anchored, isRevoked, type Missing, readAnchor } from './chain.ts'
import { type Ask, askNodes, sensible } from './node.ts'

/** Whose receipts are believed, as in `anchor` of `/.well-known/quittance`. */
export type Issuer = {
  /** Absent: of any chain. */
  readonly chainId?: number | undefined
  readonly contract: string
  readonly senders: readonly string[]
}

/** What is checked, in this order. */
export const checks = ['hash', 'path', 'root', 'issuer', 'revocation'] as const

export type Check = (typeof checks)[number]

export type Verdict =
  | {
      readonly ok: true
      readonly message: string
      readonly receiptId: string | null
      readonly hash: string
      /** The claims that the bundle shows. */
      readonly claims: Readonly<Record<string, unknown>>
      readonly anchoredBy: string
      readonly anchoredAt: string
    }
  | {
      readonly ok: false
      readonly message: string
      readonly problem: Problem
      readonly failed: Check
    }

export type Problem = keyof typeof problems

const problems = {
  malformed_bundle: ['hash', 'this is not a receipt bundle'],
  wrong_hash: ['hash', 'a claim was changed, added or removed: the receipt has another hash'],
  not_anchored: ['path', 'the receipt is not on the chain yet'],
  wrong_path: ['path', 'the receipt does not belong to the batch'],
  transaction_not_found: ['root', 'the transaction is not on this chain'],
  failed_transaction: ['root', 'the transaction failed on chain'],
  event_not_found: ['root', 'the transaction does not anchor this batch with this contract'],
  stale_place: ['root', 'the event has moved to another block: fetch the bundle again'],
  forged_event: ['root', 'the event states a sender or time that its transaction does not have'],
  wrong_size: ['root', 'the batch has another number of receipts on chain'],
  wrong_chain: ['issuer', 'the issuer anchors on another chain'],
  wrong_contract: ['issuer', 'the issuer anchors with another contract'],
  wrong_sender: ['issuer', 'somebody else has anchored it'],
  revoked: ['revocation', 'the issuer has revoked this receipt'],
} as const satisfies Record<string, readonly [Check, string]>

/**
 * Checks a bundle (`GET /v1/public/receipts/:id/bundle`) with nodes of its chain, of which the
 * later ones are asked what the earlier ones do not know. Rejects with `NodeError` where they do
 * not say enough for a verdict.
 */
export function verifyReceipt(
  bundle: unknown,
  rpcUrls: string | readonly string[],
  issuer: Issuer,
): Promise<Verdict> {
  const urls = [rpcUrls].flat()
  // JavaScript programs call this too, with values from the environment.
  if (urls.length === 0 || urls.some((url) => typeof url !== 'string' || url === ''))
    throw new TypeError(
      'verifyReceipt(bundle, rpcUrls, issuer) needs the URL of a node, or several',
    )
  return verify(bundle, askNodes(urls), issuer)
}

/** As `verifyReceipt`, with any way to ask a node. `passed` hears of each check that it passes. */
export function verify(
  input: unknown,
  ask: Ask,
  issuer: Issuer,
  passed: (check: Check) => void = () => {},
): Promise<Verdict> {
  const chain: Chain = {
    readAnchor: (anchor) => readAnchor(ask, anchor),
    isRevoked: (hash, anchor, sender) => isRevoked(ask, hash, anchor, sender),
  }
  return verifyOn(input, chain, issuer, passed)
}

/** What a chain says of receipts. */
export type Chain = {
  readonly readAnchor: (anchor: Anchor) => Promise<Anchored | Missing>
  readonly isRevoked: (hash: string, anchor: Anchor, sender: string) => Promise<boolean>
}

/** As `verify`, with what remembers what it has asked: `chainForMany`. */
export async function verifyOn(
  input: unknown,
  chain: Chain,
  issuer: Issuer,
  passed: (check: Check) => void = () => {},
): Promise<Verdict> {
  const [contract, senders] = [lower(issuer?.contract), issuer?.senders?.map?.(lower)]
  // Anybody can deploy such a contract, or call this one.
  if (!contract || !senders?.length)
    throw new TypeError('the issuer needs a contract and at least one sender')
  const bundle = bundleIn(input)
  if (!bundle) return wrong('malformed_bundle')
  const { hash, anchor } = bundle
  if (receiptHash(bundle.claims) !== hash) return wrong('wrong_hash')
  passed('hash')
  if (anchor === null) return wrong('not_anchored')
  if (rootFrom(hash, bundle) !== anchor.root) return wrong('wrong_path')
  passed('path')
  const found = await sensible(chain.readAnchor(anchor))
  if (typeof found === 'string') return wrong(found)
  if (found.size !== bundle.size) return wrong('wrong_size')
  passed('root')
  if ((issuer.chainId ?? anchor.chainId) !== anchor.chainId) return wrong('wrong_chain')
  if (anchor.contract !== contract) return wrong('wrong_contract')
  if (!senders.includes(found.sender)) return wrong('wrong_sender')
  passed('issuer')
  if (await sensible(chain.isRevoked(hash, anchor, found.sender))) return wrong('revoked')
  passed('revocation')
  return right(bundle, found.sender, found.at.toISOString())
}

function right(bundle: Bundle, anchoredBy: string, anchoredAt: string): Verdict {
  const { receiptId = null, hash, anchor } = bundle
  const claims: Record<string, Json> = {}
  for (const claim of bundle.claims) if ('name' in claim) claims[claim.name] = claim.value
  const place = `in block ${anchor?.blockNumber} of chain ${anchor?.chainId} at ${anchoredAt}`
  const message = `${receiptId ?? hash} was anchored by ${anchoredBy} ${place}`
  return { ok: true, message, receiptId, hash, claims, anchoredBy, anchoredAt }
}

function wrong(problem: Problem): Verdict {
  const [failed, message] = problems[problem]
  return { ok: false, message, problem, failed }
}

function lower(address: string | undefined): string {
  return String(address ?? '').toLowerCase()
}
