import type { Json } from '../canonical.ts'
import { invalidField } from '../error.ts'
import { toHex } from '../hash.ts'
import { type Claim, claimHash, saltsOf } from './claims.ts'
import type { Digest } from './merkle.ts'
import type { Kind, Receipt } from './receipt.ts'

/** The place on chain of the event that names the root of a batch of receipts. */
export type Anchor = {
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly root: string
}

/** What a node answers, by method, to what a verifier asks about an anchor. */
export type AnchorFacts = Readonly<Record<string, unknown>>

/** Where a receipt stands in its batch, and how its hash leads to the root. */
export type Place = {
  readonly index: number
  readonly size: number
  readonly path: readonly Digest[]
}

/** A stored receipt. `anchored` is null until its batch is on chain. */
export type Issued = Pick<Receipt, 'seed' | 'claims' | 'hash'> & {
  readonly receiptId: string
  readonly accountId: string
  readonly kind: Kind
  /** Of a settlement. */
  readonly invoiceId: string | null
  readonly issuedAt: string
  readonly revokedAt: string | null
  readonly anchored: { readonly place: Place; readonly anchor: Anchor } | null
}

/** What anybody needs to check a receipt: docs/receipts.md. Bytes are 0x and lower-case hex. */
export type Bundle = {
  readonly version: 2
  /** Absent where claims are hidden: it leads to the whole receipt. */
  readonly receiptId?: string
  readonly hash: string
  readonly claims: readonly (Shown | Hidden)[]
  /** Absent while `anchor` is null. */
  readonly index?: number
  readonly size?: number
  readonly path?: readonly string[]
  readonly anchor: Anchor | null
}

type Shown = { readonly salt: string; readonly name: string; readonly value: Json }
type Hidden = { readonly hash: string }

/**
 * The bundle of a receipt. `show` names the claims that its reader may see; null: all. Errors:
 * `invalid_field` for a name that the receipt does not have.
 */
export function bundleOf(receipt: Issued, show: readonly string[] | null): Bundle {
  const { receiptId, seed, claims, hash, anchored } = receipt
  const unknown = show?.find((name) => !claims.some(([known]) => known === name))
  if (unknown !== undefined) throw invalidField('show', `the receipt does not state '${unknown}'`)
  const salts = saltsOf(seed, claims.length)
  return {
    version: 2,
    ...(show === null && { receiptId }),
    hash: toHex(hash),
    claims: claims.map((claim, at) => {
      const isHidden = show?.includes(claim[0]) === false
      return (isHidden ? hidden : shown)(salts[at] as Uint8Array, claim)
    }),
    ...(anchored && { ...anchored.place, path: anchored.place.path.map(toHex) }),
    anchor: anchored?.anchor ?? null,
  }
}

function shown(salt: Uint8Array, [name, value]: Claim): Shown {
  return { salt: toHex(salt), name, value }
}

function hidden(salt: Uint8Array, claim: Claim): Hidden {
  return { hash: toHex(claimHash(salt, claim)) }
}
