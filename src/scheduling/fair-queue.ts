/** A count for each owner; owners that count nothing are not kept. */
export function createCounts() {
  const counts = new Map<string, number>()

  function of(ownerId: string): number {
    return counts.get(ownerId) ?? 0
  }

  function add(ownerId: string, change: number): void {
    const count = of(ownerId) + change
    if (count === 0) counts.delete(ownerId)
    else counts.set(ownerId, count)
  }

  return { of, add }
}

/** `sizeOf`: how much of the limits an item takes, by default one. */
type Options<Item> = {
  readonly maxLength?: number | undefined
  readonly maxPerOwner?: number | undefined
  readonly sizeOf?: ((item: Item) => number) | undefined
}

/** A line for each owner, served round-robin: no owner waits behind another's backlog. */
export function createFairQueue<Item>(options: Options<Item> = {}) {
  const { maxLength = Infinity, maxPerOwner = Infinity, sizeOf = () => 1 } = options
  /** In the order in which owners are served. */
  const lines = new Map<string, Set<Item>>()
  const lengths = createCounts()
  let length = 0

  function count(ownerId: string, change: number): void {
    lengths.add(ownerId, change)
    length += change
  }

  /** Appends an item to its owner's line; false if the queue or the line is full. */
  function add(ownerId: string, item: Item): boolean {
    if (length >= maxLength || lengths.of(ownerId) >= maxPerOwner) return false
    const line = lines.get(ownerId)
    if (line) line.add(item)
    else lines.set(ownerId, new Set([item]))
    count(ownerId, sizeOf(item))
    return true
  }

  /** False if the item is not there. */
  function remove(ownerId: string, item: Item): boolean {
    const line = lines.get(ownerId)
    if (!line?.delete(item)) return false
    if (line.size === 0) lines.delete(ownerId)
    count(ownerId, -sizeOf(item))
    return true
  }

  function next(fits: (item: Item) => boolean = () => true): Item | undefined {
    for (const line of lines.values()) for (const item of line) if (fits(item)) return item
    return undefined
  }

  function firstOf(ownerId: string): Item | undefined {
    return lines.get(ownerId)?.values().next().value
  }

  /** Moves an owner's line behind all others. */
  function endTurn(ownerId: string): void {
    const line = lines.get(ownerId)
    if (!line) return
    lines.delete(ownerId)
    lines.set(ownerId, line)
  }

  function serve(ownerId: string, item: Item): void {
    remove(ownerId, item)
    endTurn(ownerId)
  }

  return {
    add,
    remove,
    next,
    firstOf,
    endTurn,
    serve,
    length: () => length,
    owners: (): readonly string[] => [...lines.keys()],
    items: (): readonly Item[] => [...lines.values()].flatMap((line) => [...line]),
  }
}
