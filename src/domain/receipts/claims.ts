import { createCipheriv } from 'node:crypto'
import { canonical, type Json } from '../canonical.ts'
import { type Digest, rootOf, sha256 } from './merkle.ts'

/** One thing that a receipt states: a name in lower camel case, and its value. */
export type Claim = readonly [name: string, value: Json]

/** Claims in the order in which receipts hold them: names ascend by UTF-16 code unit. */
export function inOrder(content: Readonly<Record<string, Json>>): readonly Claim[] {
  return Object.entries(content).sort(([one], [other]) => (one < other ? -1 : 1))
}

/**
 * The salts of so many claims, in their order: 16 bytes each of the key stream of AES-256 in
 * counter mode, of which the seed is the key. Nobody can guess a claim without its salt.
 */
export function saltsOf(seed: Uint8Array, count: number): readonly Uint8Array[] {
  const stream = createCipheriv('aes-256-ctr', seed, counterStart).update(Buffer.alloc(16 * count))
  return Array.from({ length: count }, (_, at) => stream.subarray(16 * at, 16 * (at + 1)))
}

/** SHA-256(0x00 ‖ salt ‖ RFC 8785 of [name, value]). */
export function claimHash(salt: Uint8Array, claim: Claim): Digest {
  const text = canonical(claim)
  if (3 * text.length > shortBytes.length - saltEnd)
    return sha256(Buffer.concat([claimMark, salt, Buffer.from(text)]))
  shortBytes.set(salt, 1)
  return sha256(shortBytes.subarray(0, saltEnd + shortBytes.write(text, saltEnd)))
}

/** The hash of a receipt: SHA-256(0x02 ‖ number of claims, 4 bytes ‖ root of the claims). */
export function hashOfClaims(seed: Uint8Array, claims: readonly Claim[]): Digest {
  const salts = saltsOf(seed, claims.length)
  const root = rootOf(claims.map((claim, at) => claimHash(salts[at] as Uint8Array, claim)))
  const count = Buffer.alloc(4)
  count.writeUInt32BE(claims.length)
  return sha256(Buffer.concat([receiptMark, count, root]))
}

const claimMark = Uint8Array.of(0)
/** For claims that fit, which begin with the same mark. */
const shortBytes = Buffer.alloc(1_024)
const saltEnd = 17
const receiptMark = Uint8Array.of(2)
const counterStart = new Uint8Array(16)
