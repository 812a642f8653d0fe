import { hash } from 'node:crypto'
import { canonical, type Json } from '../canonical.ts'
import { type Digest, rootOf } from './merkle.ts'

/** One thing that a receipt states: a name in lower camel case, and its value. */
export type Claim = readonly [name: string, value: Json]

/** Claims in the order in which receipts hold them: names ascend by UTF-16 code unit. */
export function inOrder(content: Readonly<Record<string, Json>>): readonly Claim[] {
  return Object.entries(content).sort(([one], [other]) => (one < other ? -1 : 1))
}

/** The salt of each name: 16 bytes of a receipt's secret, so that nobody can guess a claim. */
export function saltsOf(seed: Uint8Array): (name: string) => Uint8Array {
  const keyed = new Bun.CryptoHasher('sha256', seed)
  return (name) => keyed.copy().update(name).digest().subarray(0, 16)
}

/** SHA-256(0x00 ‖ salt ‖ RFC 8785 of [name, value]). */
export function claimHash(salt: Uint8Array, claim: Claim): Digest {
  return hash('sha256', Buffer.concat([claimMark, salt, Buffer.from(canonical(claim))]), 'buffer')
}

/** The hash of a receipt: SHA-256(0x02 ‖ number of claims, 4 bytes ‖ root of the claims). */
export function hashOfClaims(seed: Uint8Array, claims: readonly Claim[]): Digest {
  const saltOf = saltsOf(seed)
  const root = rootOf(claims.map((claim) => claimHash(saltOf(claim[0]), claim)))
  const count = Buffer.alloc(4)
  count.writeUInt32BE(claims.length)
  return hash('sha256', Buffer.concat([receiptMark, count, root]), 'buffer')
}

const claimMark = Uint8Array.of(0)
const receiptMark = Uint8Array.of(2)
