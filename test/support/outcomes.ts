/** Counts each outcome: `done`, or the reason of the refusal. */
export async function tally(asked: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of await Promise.allSettled(asked)) {
    const name = outcome.status === 'fulfilled' ? 'done' : outcome.reason.reason
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
