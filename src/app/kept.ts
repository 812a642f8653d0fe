/** How many times as long as it took an answer is kept. */
const timesAsLong = 4

/**
 * What `workOut` answers to each name, worked out once for all who ask meanwhile, and kept in proportion to what it cost: however many ask,
 * and however often, no more than a fifth of the time of one connection goes into it, while what is quickly known is hardly ever old.
 * `steadyMs` is never set back. A fault is told to who asked, and not kept.
 */
export function keptByCost<T>(
  workOut: (name: string) => Promise<T>,
  steadyMs: () => number,
): (name: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>()
  return (name) => {
    const kept = answers.get(name)
    if (kept) return kept
    const startedMs = steadyMs()
    const forget = () => void answers.delete(name)
    const answer = workOut(name)
    answers.set(name, answer)
    answer.then(() => setTimeout(forget, timesAsLong * (steadyMs() - startedMs)).unref(), forget)
    return answer
  }
}
