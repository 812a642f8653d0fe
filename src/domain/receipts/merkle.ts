/** A tree's leaf or node: 32 bytes. */
export type Digest = Uint8Array

export type Tree = {
  readonly size: number
  readonly root: Digest
  /** What a verifier hashes the leaf at `index` with to get to the root, the nearest first. */
  readonly pathOf: (index: number) => readonly Digest[]
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function nodeOf(left: Digest, right: Digest): Digest {
  nodeBytes.set(left, 1)
  nodeBytes.set(right, 33)
  return sha256(nodeBytes)
}

/**
 * The tree of at least one leaf; leaves may also be given in runs, as one array of bytes each. It
 * takes 64 bytes for each leaf. Trees split as in RFC 6962, at the largest power of two below their
 * size; leaves stand in them as they are, so one alone is its own root.
 */
export function treeOf(leaves: readonly Uint8Array[]): Tree {
  let row: Uint8Array = Buffer.concat(leaves)
  const size = row.length / 32
  if (size === 0) throw new RangeError('a tree has at least one leaf')
  const rows = [row]
  for (; row.length > 32; rows.push(row)) row = above(row)
  return {
    size,
    root: row,
    pathOf(index) {
      if (index < 0 || index >= size)
        throw new RangeError(`a tree of ${size} leaves has none at ${index}`)
      // Without a right neighbour, a node stands in the next row as it is.
      return rows.flatMap((row, height) => {
        const neighbour = Math.floor(index / 2 ** height) ^ 1
        return row.length > 32 * neighbour ? [nodeAt(row, neighbour)] : []
      })
    },
  }
}

/** The root of the tree of these leaves. */
export function rootOf(leaves: readonly Digest[]): Digest {
  return treeOf(leaves).root
}

function above(row: Uint8Array): Uint8Array {
  const next = new Uint8Array(Math.ceil(row.length / 64) * 32)
  for (let at = 0; at < row.length; at += 64) {
    const left = row.subarray(at, at + 32)
    const right = row.subarray(at + 32, at + 64)
    next.set(right.length === 0 ? left : nodeOf(left, right), at / 2)
  }
  return next
}

function nodeAt(row: Uint8Array, index: number): Digest {
  return row.subarray(32 * index, 32 * index + 32)
}

/** The fastest way that Bun has: receipts need dozens. */
export function sha256(bytes: Uint8Array): Digest {
  return Bun.SHA256.hash(bytes, new Uint8Array(32)) as Uint8Array
}

const nodeBytes = Uint8Array.of(1, ...new Uint8Array(64))
