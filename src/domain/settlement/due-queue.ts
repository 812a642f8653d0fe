/** Both included. */
export type DueSpan = { readonly fromMs: number; readonly toMs: number }

/** Items with due dates, ordered by age. */
export type DueQueue<Item> = {
  /** The oldest item due in the span. One that `isOver` is dropped, so it must stay over. */
  oldest(span: DueSpan, isOver: (item: Item) => boolean): Item | undefined
}

/**
 * A tree of halves that know their least and greatest due date: long queues are not read through.
 */
export function dueQueue<Item extends { readonly dueAtMs: number }>(
  items: readonly Item[],
): DueQueue<Item> {
  // The halves of node `n` are `2n` and `2n + 1`; the last `width` nodes are the items.
  const width = 2 ** Math.ceil(Math.log2(Math.max(items.length, 1)))
  const least = new Float64Array(2 * width).fill(Infinity)
  const greatest = new Float64Array(2 * width).fill(-Infinity)
  for (const [at, { dueAtMs }] of items.entries()) {
    least[width + at] = dueAtMs
    greatest[width + at] = dueAtMs
  }
  for (let node = width - 1; node > 0; node--) sum(node)

  function sum(node: number): void {
    least[node] = Math.min(least[2 * node] as number, least[2 * node + 1] as number)
    greatest[node] = Math.max(greatest[2 * node] as number, greatest[2 * node + 1] as number)
  }

  function first(node: number, span: DueSpan): number {
    if ((least[node] as number) > span.toMs || (greatest[node] as number) < span.fromMs) return -1
    if (node >= width) return node - width
    const inOlderHalf = first(2 * node, span)
    return inOlderHalf >= 0 ? inOlderHalf : first(2 * node + 1, span)
  }

  function drop(at: number): void {
    let node = width + at
    least[node] = Infinity
    greatest[node] = -Infinity
    for (node >>= 1; node > 0; node >>= 1) sum(node)
  }

  return {
    oldest(span, isOver) {
      for (let at = first(1, span); at >= 0; at = first(1, span)) {
        const item = items[at] as Item
        if (!isOver(item)) return item
        drop(at)
      }
      return undefined
    },
  }
}
