import { type LoadResult, load } from './load.ts'

export type Variant = {
  readonly port: number
  readonly requests: readonly Uint8Array[]
  readonly status?: number
}

export type Turns<Name extends string> = Readonly<Record<Name, readonly LoadResult[]>>

/**
 * Loads the variants in turn, for `rounds` rounds after one that does not count. Drift in the
 * machine's speed affects all variants alike.
 */
export async function takeParts<Name extends string>(
  variants: Readonly<Record<Name, Variant>>,
  options: { connections: number; rounds: number; seconds: number },
): Promise<Turns<Name>> {
  const { connections, rounds, seconds } = options
  const names = Object.keys(variants) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as LoadResult[]])) as Record<
    Name,
    LoadResult[]
  >
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const result = await load({ ...variants[name], connections, seconds })
      if (round > 0) results[name].push(result)
    }
  }
  return results
}

/** Requests per second of `of` divided by those of `over`, as the median over the rounds. */
export function ratio(of: readonly LoadResult[], over: readonly LoadResult[]): number {
  return median(of.map(({ perSecond }, round) => perSecond / (over[round]?.perSecond ?? 1)))
}

/**
 * Medians of requests per second, p50 and p99 in milliseconds, and the number of answers other than
 * 2xx.
 */
export function show<Name extends string>(connections: number, turns: Turns<Name>): void {
  console.log('connections  variant                            per second     p50 ms     p99 ms')
  for (const [name, runs] of Object.entries<readonly LoadResult[]>(turns)) {
    const of = (read: (run: LoadResult) => number) => median(runs.map(read))
    const numbers = [
      of((run) => run.perSecond).toFixed(0),
      of((run) => run.p50Ms).toFixed(1),
      of((run) => run.p99Ms).toFixed(1),
    ]
    const failed = runs.reduce((sum, run) => sum + run.failed, 0)
    console.log(
      `${String(connections).padStart(11)}  ${name.padEnd(34)} ${numbers.map((text) => text.padStart(10)).join(' ')}${failed > 0 ? `  ${failed} FAILED` : ''}`,
    )
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
