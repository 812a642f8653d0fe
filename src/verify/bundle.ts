import { sha256 } from '@noble/hashes/sha2.js'

/** The form of a bundle, and what can be checked of it without a chain: docs/receipts.md. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
type JsonObject = { readonly [name: string]: Json }

export type Shown = { readonly salt: string; readonly name: string; readonly value: Json }
export type Hidden = { readonly hash: string }

export type Anchor = {
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly root: string
}

export type Bundle = {
  readonly version: 2
  readonly receiptId?: string
  readonly hash: string
  readonly claims: readonly (Shown | Hidden)[]
} & (
  | { readonly anchor: null }
  | {
      readonly index: number
      readonly size: number
      readonly path: readonly string[]
      readonly anchor: Anchor
    }
)

/** Null unless `input` has exactly the form of a bundle. */
export function bundleIn(input: unknown): Bundle | null {
  const always = { version: isTwo, hash: isHash, claims: isClaims }
  const placed = { index: isCount, size: isCount, path: isPath, anchor: isAnchor }
  const [unplaced, named] = [{ anchor: isNull }, { receiptId: isReceiptId }]
  const isBundle =
    isRecord(input, { ...always, ...placed }, named) ||
    isRecord(input, { ...always, ...unplaced }, named)
  if (!isBundle) return null
  const bundle = input as Bundle
  const { receiptId, claims } = bundle
  const shown = claims.filter((claim) => 'name' in claim)
  if (shown.some(({ name }, at) => at > 0 && name <= (shown[at - 1]?.name ?? ''))) return null
  const stated = shown.find(({ name }) => name === 'receiptId')?.value
  return receiptId === undefined || receiptId === stated ? bundle : null
}

/** The claim with its name and value left out. */
export function hidden(claim: Shown | Hidden): Hidden {
  return { hash: 'name' in claim ? claimHash(claim) : claim.hash }
}

/** The hash of the receipt that states these claims. */
export function receiptHash(claims: Bundle['claims']): string {
  const leaves = claims.map((claim) => bytesOf(hidden(claim).hash))
  const count = new Uint8Array(4)
  new DataView(count.buffer).setUint32(0, leaves.length)
  return hexOf(sha256(joined(mark.receipt, count, rootOf(leaves))))
}

/** The root to which a path leads; null where no tree of `size` leaves has such a path. */
export function rootFrom(
  hash: string,
  { index, size, path }: Pick<Extract<Bundle, { index: number }>, 'index' | 'size' | 'path'>,
): string | null {
  let [at, last] = [index, size - 1]
  if (at > last) return null
  let root = bytesOf(hash)
  for (const step of path) {
    if (last === 0) return null
    // Without a right neighbour, a node stands in the next rows as it is.
    while (at % 2 === 0 && at === last) [at, last] = [at / 2, Math.floor(last / 2)]
    const other = bytesOf(step)
    root = at % 2 === 1 ? nodeOf(other, root) : nodeOf(root, other)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? hexOf(root) : null
}

function claimHash({ salt, name, value }: Shown): string {
  const text = new TextEncoder().encode(canonical([name, value]))
  return hexOf(sha256(joined(mark.claim, bytesOf(salt), text)))
}

/** RFC 8785, of values that `isValue` accepts. */
function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), second] = leaves
  if (!second) return first
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}

function nodeOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(joined(mark.node, left, right))
}

const mark = { claim: Uint8Array.of(0), node: Uint8Array.of(1), receipt: Uint8Array.of(2) }

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2 - 1)
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(hex.slice(2 * at + 2, 2 * at + 4), 16)
  return bytes
}

function hexOf(bytes: Uint8Array): string {
  let hex = '0x'
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}

type Check = (value: unknown) => boolean

const isNull: Check = (value) => value === null
const isTwo: Check = (value) => value === 2
const isHash = isHex(32)
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isPath: Check = (value) => Array.isArray(value) && value.every(isHash)
const isReceiptId: Check = (value) => typeof value === 'string'
const isName: Check = (value) => typeof value === 'string' && /^[a-z][A-Za-z0-9]*$/.test(value)
const place = { chainId: isCount, blockNumber: isCount, logIndex: isCount }
const isAnchor: Check = (value) =>
  isRecord(value, { ...place, contract: isHex(20), txHash: isHash, root: isHash })
const isClaim: Check = (value) =>
  isRecord(value, { hash: isHash }) ||
  isRecord(value, { salt: isHex(16), name: isName, value: (item) => isValue(item) })

function isClaims(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isClaim)
}

const deepest = 8

/** What any two programs write alike: texts without lone surrogates, exact integers. */
function isValue(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isSafeInteger(value)
  if (typeof value !== 'object' || depth === deepest) return false
  const names = Array.isArray(value) ? [] : Object.keys(value)
  const items: readonly unknown[] = Object.values(value)
  return (
    names.every((name) => name.isWellFormed()) && items.every((item) => isValue(item, depth + 1))
  )
}

function isHex(length: number): Check {
  const look = new RegExp(`^0x[0-9a-f]{${2 * length}}$`)
  return (value) => typeof value === 'string' && look.test(value)
}

/** Whether `value` has all of `members`, perhaps some of `others`, and nothing else. */
function isRecord(
  value: unknown,
  members: Readonly<Record<string, Check>>,
  others: Readonly<Record<string, Check>> = {},
): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = new Map<string, unknown>(Object.entries(value))
  const checks = { ...others, ...members }
  return (
    Object.keys(members).every((name) => entries.has(name)) &&
    [...entries].every(([name, item]) => Object.hasOwn(checks, name) && checks[name]?.(item))
  )
}
