import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { canonical, type Json } from '../../src/domain/canonical.ts'
import { toHex } from '../../src/domain/hash.ts'
import { claimHash, hashOfClaims, inOrder } from '../../src/domain/receipts/claims.ts'
import { nodeOf, rootOf, treeOf } from '../../src/domain/receipts/merkle.ts'
import { type Bundle, bundleIn, hidden, receiptHash, rootFrom } from '../../src/verify/bundle.ts'
import { redact } from '../../src/verify/redact.ts'
import { batchOf, receiptOf } from '../support/receipts.ts'

const place = {
  chainId: 84532,
  contract: `0x${'c0'.repeat(20)}`,
  txHash: `0x${'a7'.repeat(32)}`,
  blockNumber: 7,
  logIndex: 3,
}
const others = [1, 2, 3, 4].map((n) => receiptOf({ total: `${n}` }, n))
const receipt = receiptOf()
const batch = batchOf(receipt, others, 2)
const whole = batch.bundleAt(place) as Placed

type Placed = Extract<Bundle, { index: number }>

/** Whether nothing but the chain is left to ask. */
function isAccepted(input: unknown): boolean {
  const bundle = bundleIn(input)
  if (!bundle?.anchor || receiptHash(bundle.claims) !== bundle.hash) return false
  return rootFrom(bundle.hash, bundle) === bundle.anchor.root
}

const name = fc.stringMatching(/^[a-z][A-Za-z0-9]{0,12}$/)
const value = fc.jsonValue({ maxDepth: 3 }).filter(isExact) as fc.Arbitrary<Json>
const content = fc.dictionary(name, value, { minKeys: 1, maxKeys: 12, noNullPrototype: true })
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('a bundle is accepted', () => {
  test('whole, and with any of its claims hidden, as the service or its holder hides them', () => {
    expect(isAccepted(whole)).toBe(true)
    const names = receipt.claims.map(([name]) => name)
    fc.assert(
      fc.property(fc.subarray(names), fc.subarray(names), (once, again) => {
        const redacted = redact(whole, once)
        expect(redacted).toEqual(batch.bundleAt(place, once) as typeof redacted)
        expect(isAccepted(redacted)).toBe(true)
        const both = once.filter((name) => again.includes(name))
        expect(redact(redacted, both)).toEqual(redact(whole, both))
      }),
    )
  })

  test('of whatever claims, alone or in a batch of any size', () => {
    fc.assert(
      fc.property(content, seed, fc.nat(20), fc.nat(20), (stated, seed, size, at) => {
        const claims = inOrder(stated)
        const own = { seed, claims, hash: hashOfClaims(seed, claims) }
        const rest = Array.from({ length: size }, (_, n) => receiptOf({}, n))
        const { receiptId: _, ...bundle } = batchOf(own, rest, at % (size + 1)).bundleAt(place)
        expect(isAccepted(bundle)).toBe(true)
      }),
    )
  })
})

describe('nothing else is', () => {
  test('a bundle with one character changed anywhere states the same, or is refused', () => {
    const text = JSON.stringify(whole)
    const printable = fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.nat(text.length - 1), printable, (at, other) => {
        const changed = parsed(text.slice(0, at) + other + text.slice(at + 1))
        if (Bun.deepEquals(changed, whole) || isForTheChain(changed)) return
        expect(isAccepted(changed)).toBe(false)
      }),
      { numRuns: 3_000 },
    )
  })

  test.each(Object.entries(mutations()))('%s is refused', (_, bundle) => {
    expect(isAccepted(bundle)).toBe(false)
  })

  test('no claim of another receipt, and none twice', () => {
    const [other] = others.map((one) => batchOf(one, [receipt]).bundleAt(place))
    const foreign = other?.claims.find((claim) => 'name' in claim && claim.name === 'total')
    whole.claims.forEach((claim, at) => {
      for (const claims of [
        whole.claims.with(at, foreign as typeof claim),
        whole.claims.toSpliced(at, 0, claim),
        whole.claims.toSpliced(at, 0, hidden(claim)),
        whole.claims.toSpliced(at, 1),
        [...whole.claims.toSpliced(at, 1), claim],
      ]) {
        if (Bun.deepEquals(claims, whole.claims)) continue
        expect(isAccepted({ ...whole, claims })).toBe(false)
      }
    })
  })

  test('neither inner nodes of its tree nor a batch pass for claims or for a receipt', () => {
    const leaves = whole.claims.map((claim) => bytes(hidden(claim).hash))
    const [one, two, ...rest] = leaves as [Uint8Array, Uint8Array, ...Uint8Array[]]
    const fewer = [nodeOf(one, two), ...rest].map((leaf) => ({ hash: toHex(leaf) }))
    const only = [{ hash: toHex(rootOf(leaves)) }]
    for (const claims of [fewer, only]) expect(receiptHash(claims)).not.toBe(whole.hash)
    const hashes = [receipt, ...others].map(({ hash }) => hash)
    const inner = hashes.map((hash) => ({ hash: toHex(hash) }))
    const { receiptId: _, ...bundle } = { ...whole, claims: inner, hash: whole.anchor?.root }
    expect(isAccepted({ ...bundle, index: 0, size: 1, path: [] })).toBe(false)
  })
})

describe('no two meanings have the same bytes', () => {
  test('claims, nodes and receipts are told apart by their first byte', () => {
    fc.assert(
      fc.property(seed, seed, (left, right) => {
        // What a node is made of, taken as salt and text of a claim.
        const text = Buffer.concat([left.subarray(16), right])
        const asClaim = sha256(0, left.subarray(0, 16), text)
        const asReceipt = sha256(2, left, right)
        expect(new Set([nodeOf(left, right), asClaim, asReceipt].map(toHex)).size).toBe(3)
      }),
    )
  })

  test('claims differ in their hash where they differ in salt, name or value', () => {
    fc.assert(
      fc.property(fc.tuple(seed, name, value), fc.tuple(seed, name, value), (one, other) => {
        const hashes = [one, other].map(([salt, name, value]) =>
          toHex(claimHash(salt.subarray(0, 16), [name, value])),
        )
        const texts = [one, other].map(([salt, name, value]) =>
          canonical([toHex(salt.subarray(0, 16)), name, value]),
        )
        expect(hashes[0] === hashes[1]).toBe(texts[0] === texts[1])
      }),
    )
  })

  test('the number of claims and the place in a batch are part of what is hashed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 1, max: 24 }),
        (one, other) => {
          const alike = (count: number) =>
            receiptHash(Array.from({ length: count }, () => ({ hash: `0x${'5a'.repeat(32)}` })))
          expect(alike(one) === alike(other)).toBe(one === other)
        },
      ),
    )
  })

  test('a path leads from its leaf and place to the root, and from nothing else', () => {
    const leaves = fc.uniqueArray(seed, { minLength: 1, maxLength: 24, selector: toHex })
    fc.assert(
      fc.property(leaves, seed, fc.nat(), (leaves, foreign, at) => {
        const [root, other, size] = [toHex(rootOf(leaves)), toHex(foreign), leaves.length]
        const index = at % size
        const leaf = toHex(leaves[index] ?? foreign)
        const path = treeOf(leaves).pathOf(index).map(toHex)
        const leads = (leaf: string, place: Partial<Parameters<typeof rootFrom>[1]> = {}) =>
          rootFrom(leaf, { index, size, path, ...place }) === root
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
        expect([leads(leaf), leads(other)]).toEqual([true, other === leaf])
        for (let elsewhere = 0; elsewhere <= size; elsewhere++)
          expect(leads(leaf, { index: elsewhere })).toBe(elsewhere === index)
        expect(leads(leaf, { path: [...path, other] })).toBe(false)
        expect(leads(leaf, { path: [other, ...path] })).toBe(false)
        path.forEach((step, at) => {
          expect(leads(leaf, { path: path.toSpliced(at, 1) })).toBe(false)
          expect(leads(leaf, { path: path.with(at, other) })).toBe(step === other)
        })
      }),
    )
  })
})

/** What is wrong, and a bundle with it. */
function mutations(): Readonly<Record<string, unknown>> {
  const [first, second] = whole.claims as unknown as [object, object]
  const claims = (change: (claims: readonly object[]) => readonly object[]) => ({
    ...whole,
    claims: change(whole.claims),
  })
  const firstWith = (over: object) => claims((all) => all.with(0, { ...first, ...over }))
  const anchorWith = (over: object) => ({ ...whole, anchor: { ...whole.anchor, ...over } })
  const { receiptId: _id, ...anonymous } = whole
  const { path: _path, ...pathless } = whole
  const lone = { version: 2, claims: whole.claims, hash: whole.hash, anchor: null }
  const deep = Array.from({ length: 9 }).reduce<object>((inner) => [inner], [])
  return {
    nothing: null,
    'a list': [whole],
    'another version': { ...whole, version: 1 },
    'a version as text': { ...whole, version: '2' },
    'an unknown member': { ...whole, note: 'paid' },
    'a member of all objects': { ...whole, toString: 'x' },
    'no claims': { ...whole, claims: [] },
    'no list of claims': { ...whole, claims: { 0: first } },
    'the id of another receipt': { ...whole, receiptId: 'drs_other' },
    'an id whose claim is hidden': { ...anonymous, ...redact(whole, ['total']), receiptId: _id },
    'claims in another order': claims(([one, two, ...rest]) => [two, one, ...rest] as object[]),
    'a claim twice': claims((all) => [first, ...all]),
    'a claim less': claims((all) => all.slice(1)),
    'a hidden claim more': claims((all) => [...all, { hash: whole.hash }]),
    'a short salt': firstWith({ salt: `0x${'5a'.repeat(15)}` }),
    'a long salt': firstWith({ salt: `0x${'5a'.repeat(17)}` }),
    'a salt in upper case': firstWith({ salt: `0x${'5A'.repeat(16)}` }),
    'a salt without 0x': firstWith({ salt: '5a'.repeat(16) }),
    'a salt of another claim': firstWith({ salt: (second as { salt?: string }).salt }),
    'a name that is none': firstWith({ name: 'Kind' }),
    'a name with a line end': firstWith({ name: 'kind\n' }),
    'another value': firstWith({ value: 'refund' }),
    'no value': firstWith({ value: undefined }),
    'a fraction': firstWith({ value: 0.5 }),
    'a number that is not exact': firstWith({ value: 2 ** 53 }),
    'half a character': firstWith({ value: '\ud800' }),
    'half a character in a name': firstWith({ value: { '\udc00': 1 } }),
    'a value too deep': firstWith({ value: deep }),
    'a claim with a hash as well': firstWith({ hash: whole.hash }),
    'a claim of nothing': claims((all) => all.with(0, {})),
    'a short hash': { ...whole, hash: whole.hash.slice(0, -2) },
    'another hash': { ...whole, hash: `0x${'00'.repeat(32)}` },
    'no path': pathless,
    'a path without anchor': { ...whole, anchor: null },
    'an anchor without path': { ...lone, anchor: whole.anchor },
    'another index': { ...whole, index: whole.index + 1 },
    'an index beyond the size': { ...whole, index: whole.size },
    'an index below 0': { ...whole, index: -1 },
    'an index as text': { ...whole, index: `${whole.index}` },
    'half an index': { ...whole, index: whole.index + 0.5 },
    'a size that the path does not have': { ...whole, size: 1 },
    'no size': { ...whole, size: 0 },
    'a path one longer': { ...whole, path: [...whole.path, whole.hash] },
    'a path one shorter': { ...whole, path: whole.path.slice(1) },
    'a path in another order': { ...whole, path: whole.path.toReversed() },
    'another root': anchorWith({ root: whole.hash }),
    'a contract in upper case': anchorWith({ contract: `0x${'C0'.repeat(20)}` }),
    'a transaction that is none': anchorWith({ txHash: '' }),
    'a block below 0': anchorWith({ blockNumber: -1 }),
    'a block as text': anchorWith({ blockNumber: '7' }),
    'a log index that is none': anchorWith({ logIndex: null }),
    'an unknown member of the anchor': anchorWith({ sender: place.contract }),
  }
}

/** Only what the chain alone knows was changed: where the event is, and how large the batch. */
function isForTheChain(changed: unknown): boolean {
  const { anchor } = (changed ?? {}) as { anchor?: object }
  const { size } = whole
  return Bun.deepEquals({ ...(changed as object), size, anchor: { ...anchor, ...place } }, whole)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isExact(json: unknown): boolean {
  const numbers = JSON.stringify(json).match(/"(?:[^"\\]|\\.)*"|-?[\d.]+(?:e[+-]?\d+)?/g) ?? []
  return numbers.every((one) => one.startsWith('"') || Number.isSafeInteger(Number(one)))
}

function sha256(mark: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return createHash('sha256').update(Uint8Array.of(mark)).update(Buffer.concat(parts)).digest()
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
