import { hash } from 'node:crypto'

/** A tree's leaf or node: 32 bytes. */
export type Digest = Uint8Array

/** SHA-256(0x01 ‖ left ‖ right). */
export function nodeOf(left: Digest, right: Digest): Digest {
  nodeBytes.set(left, 1)
  nodeBytes.set(right, 33)
  return hash('sha256', nodeBytes, 'buffer')
}

/**
 * The root of at least one leaf. Trees split as in RFC 6962, at the largest power of two below
 * their size; leaves stand in them as they are, so one alone is its own root.
 */
export function rootOf(leaves: readonly Digest[]): Digest {
  if (leaves.length <= 1) return leafAt(leaves, 0)
  const split = splitOf(leaves.length)
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}

/** What a verifier hashes the leaf at `index` with to get to the root, the nearest first. */
export function pathOf(leaves: readonly Digest[], index: number): readonly Digest[] {
  leafAt(leaves, index)
  if (leaves.length === 1) return []
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return index < split
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - split), rootOf(left)]
}

/** The largest power of two below `size`, which is at least 2. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

function leafAt(leaves: readonly Digest[], index: number): Digest {
  const leaf = leaves[index]
  if (!leaf) throw new RangeError(`a tree of ${leaves.length} leaves has none at ${index}`)
  return leaf
}

const nodeBytes = Uint8Array.of(1, ...new Uint8Array(64))
