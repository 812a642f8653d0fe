/**
 * Calls `ask` at a constant rate, whether or not earlier calls have ended: real callers do not wait
 * for each other. `stop` resolves once every call has ended.
 */
export function askSteadily(
  perSecond: number,
  ask: (n: number) => Promise<void>,
): { stop(): Promise<void> } {
  const startedMs = performance.now()
  const open = new Set<Promise<void>>()
  let asked = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - startedMs) / 1_000) * perSecond
    while (asked < due) {
      const asking = ask(asked++).finally(() => open.delete(asking))
      open.add(asking)
    }
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}

/** The given percentile of the numbers; 0 if there are none. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}
