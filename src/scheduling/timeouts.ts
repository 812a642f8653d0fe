/** What may wait until `dueMs`, by `performance.now()`. */
export type Waiting = { readonly dueMs: number }

const pauseMs = 20

/** Calls `onDue` for each item still held when its time is over. One timer serves all items. */
export function createTimeouts<Item extends Waiting>(onDue: (item: Item) => void) {
  const held = new Set<Item>()
  let timer: Timer | undefined
  let firesAtMs = Infinity

  function add(item: Item): void {
    held.add(item)
    arm(item.dueMs)
  }

  function arm(atMs: number): void {
    if (atMs >= firesAtMs) return
    clearTimeout(timer)
    firesAtMs = atMs
    timer = setTimeout(check, Math.max(0, atMs - performance.now()))
    timer.unref()
  }

  function check(): void {
    const nowMs = performance.now()
    let nextMs = Infinity
    firesAtMs = Infinity
    for (const item of held) {
      if (item.dueMs > nowMs) nextMs = Math.min(nextMs, item.dueMs)
      else if (held.delete(item)) onDue(item)
    }
    arm(Math.max(nextMs, nowMs + pauseMs))
  }

  return { add, remove: (item: Item) => held.delete(item) }
}
