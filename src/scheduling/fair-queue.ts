import { createCounts } from './counts.ts'

/**
 * What waits, in one line for each owner. What is next is looked for line by line, and an owner
 * whose turn has ended goes behind all others: nobody has to wait for all of another's.
 */
export type Turns<Item> = {
  add(ownerId: string, item: Item): void
  /** Takes an item out of its owner's line; false if it is not there. */
  remove(ownerId: string, item: Item): boolean
  /** The first item that fits, owner by owner. */
  next(fits: (item: Item) => boolean): Item | undefined
  endTurn(ownerId: string): void
  /** Takes an item out of its owner's line, and with that the owner's turn has ended. */
  serve(ownerId: string, item: Item): void
  /** The length of an owner's line: how much its items are together. */
  lengthOf(ownerId: string): number
  /** The length of all lines together. */
  length(): number
  /** Everything that waits, in the order of the turns. */
  all(): readonly Item[]
}

/** `sizeOf` tells how much an item is; by default each is one. */
export function createTurns<Item>(sizeOf: (item: Item) => number = () => 1): Turns<Item> {
  /** By owner, in the order of their turns. No owner has an empty line. */
  const lines = new Map<string, Set<Item>>()
  const lengths = createCounts()
  let length = 0

  function count(ownerId: string, change: number): void {
    lengths.add(ownerId, change)
    length += change
  }

  function remove(ownerId: string, item: Item): boolean {
    const line = lines.get(ownerId)
    const wasThere = line?.delete(item) ?? false
    if (line?.size === 0) lines.delete(ownerId)
    if (wasThere) count(ownerId, -sizeOf(item))
    return wasThere
  }

  function endTurn(ownerId: string): void {
    const line = lines.get(ownerId)
    if (!line) return
    lines.delete(ownerId)
    lines.set(ownerId, line)
  }

  return {
    add(ownerId, item) {
      const line = lines.get(ownerId) ?? new Set()
      lines.set(ownerId, line.add(item))
      count(ownerId, sizeOf(item))
    },
    remove,
    next(fits) {
      for (const line of lines.values()) for (const item of line) if (fits(item)) return item
      return undefined
    },
    endTurn,
    serve(ownerId, item) {
      remove(ownerId, item)
      endTurn(ownerId)
    },
    lengthOf: lengths.of,
    length: () => length,
    all: () =>
      lines
        .values()
        .toArray()
        .flatMap((line) => [...line]),
  }
}
