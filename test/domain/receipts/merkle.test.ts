import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type Digest, nodeOf, rootOf, treeOf } from '../../../src/domain/receipts/merkle.ts'

test('a node is SHA-256 of 0x01 and both below it, and trees split as in RFC 6962', () => {
  const leaves = [1, 2, 3, 4, 5, 6, 7].map((byte) => new Uint8Array(32).fill(byte))
  const [a, b, c, d, e, f, g] = leaves as [Digest, Digest, Digest, Digest, Digest, Digest, Digest]
  const left = byHand(byHand(a, b), byHand(c, d))
  expect(hex(nodeOf(a, b))).toBe(hex(byHand(a, b)))
  expect(hex(rootOf([a]))).toBe(hex(a))
  expect(hex(rootOf(leaves.slice(0, 3)))).toBe(hex(byHand(byHand(a, b), c)))
  expect(hex(rootOf(leaves.slice(0, 5)))).toBe(hex(byHand(left, e)))
  expect(hex(rootOf(leaves))).toBe(hex(byHand(left, byHand(byHand(e, f), g))))
  expect(treeOf(leaves).pathOf(6).map(hex)).toEqual([byHand(e, f), left].map(hex))
})

test('no tree has no leaf, and no leaf beyond its end a path', () => {
  expect(() => rootOf([])).toThrow(RangeError)
  expect(() => treeOf([new Uint8Array(32)]).pathOf(1)).toThrow(RangeError)
})

function byHand(left: Digest, right: Digest): Digest {
  return createHash('sha256')
    .update(Uint8Array.of(1, ...left, ...right))
    .digest()
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
