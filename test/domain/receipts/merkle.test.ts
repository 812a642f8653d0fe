import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import {
  type Digest,
  nodeOf,
  pathOf,
  rootFrom,
  rootOf,
} from '../../../src/domain/receipts/merkle.ts'

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 })
const tree = fc.uniqueArray(digest, { minLength: 1, maxLength: 40, selector: hex })
const place = tree.chain((leaves) =>
  fc.record({ leaves: fc.constant(leaves), index: fc.nat({ max: leaves.length - 1 }) }),
)

test('R2 a node is SHA-256 of 0x01 and both below it, and trees split as in RFC 6962', () => {
  const leaves = [1, 2, 3, 4, 5, 6, 7].map((byte) => new Uint8Array(32).fill(byte))
  const [a, b, c, d, e, f, g] = leaves as [Digest, Digest, Digest, Digest, Digest, Digest, Digest]
  const left = byHand(byHand(a, b), byHand(c, d))
  expect(hex(nodeOf(a, b))).toBe(hex(byHand(a, b)))
  expect(hex(rootOf([a]))).toBe(hex(a))
  expect(hex(rootOf(leaves.slice(0, 3)))).toBe(hex(byHand(byHand(a, b), c)))
  expect(hex(rootOf(leaves.slice(0, 5)))).toBe(hex(byHand(left, e)))
  expect(hex(rootOf(leaves))).toBe(hex(byHand(left, byHand(byHand(e, f), g))))
  expect(pathOf(leaves, 6).map(hex)).toEqual([byHand(e, f), left].map(hex))
})

test('R2 every leaf leads to the root by its path, which is never longer than the tree is high', () => {
  fc.assert(
    fc.property(place, ({ leaves, index }) => {
      const path = pathOf(leaves, index)
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(leaves.length)))
      const root = rootFrom(leaves[index] as Digest, index, leaves.length, path)
      expect(root && hex(root)).toBe(hex(rootOf(leaves)))
    }),
  )
})

test('R2 a path leads nowhere else: not from another leaf or place, nor with another length', () => {
  fc.assert(
    fc.property(place, digest, fc.nat({ max: 45 }), ({ leaves, index }, other, elsewhere) => {
      const [leaf, path, size] = [leaves[index] as Digest, pathOf(leaves, index), leaves.length]
      const root = hex(rootOf(leaves))
      const isRoot = (found: Digest | null) => found !== null && hex(found) === root
      expect(isRoot(rootFrom(other, index, size, path))).toBe(hex(other) === hex(leaf))
      if (elsewhere !== index) expect(isRoot(rootFrom(leaf, elsewhere, size, path))).toBe(false)
      expect(isRoot(rootFrom(leaf, index, size, [...path, other]))).toBe(false)
      expect(isRoot(rootFrom(leaf, index, size, [other, ...path]))).toBe(false)
      path.forEach((_, at) => {
        expect(isRoot(rootFrom(leaf, index, size, path.toSpliced(at, 1)))).toBe(false)
        expect(isRoot(rootFrom(leaf, index, size, path.with(at, other)))).toBe(
          hex(other) === hex(path[at] as Digest),
        )
      })
    }),
  )
})

test('R2 numbers and lengths that no tree has lead nowhere', () => {
  const leaf = new Uint8Array(32)
  expect(rootFrom(leaf, 0, 1, [])).toEqual(leaf)
  for (const [index, size] of [
    [0, 0],
    [-1, 1],
    [1, 1],
    [0.5, 1],
    [0, 1.5],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
    [0, 2 ** 53],
  ] as const) {
    expect(rootFrom(leaf, index, size, [])).toBeNull()
  }
  expect(rootFrom(leaf.subarray(1), 0, 1, [])).toBeNull()
  expect(rootFrom(leaf, 0, 2, [leaf.subarray(1)])).toBeNull()
  expect(() => rootOf([])).toThrow(RangeError)
  expect(() => pathOf([leaf], 1)).toThrow(RangeError)
})

function byHand(left: Digest, right: Digest): Digest {
  return createHash('sha256')
    .update(Uint8Array.of(1, ...left, ...right))
    .digest()
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
