/** A deterministic random generator: the same seed gives the same numbers. */
export type Random = {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number from `least` to `most`, both inclusive. */
  between(least: number, most: number): number
  pick<T>(of: readonly T[]): T
  /** An independent stream: it does not depend on how many numbers of this one were drawn. */
  fork(name: string): Random
}

/** Mulberry32, seeded with a hash of `seed`. */
export function seeded(seed: string): Random {
  let state = Bun.hash.crc32(seed)

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  function between(least: number, most: number): number {
    return least + Math.floor(next() * (most - least + 1))
  }

  return {
    next,
    between,
    pick: (of) => of[between(0, of.length - 1)] as never,
    fork: (name) => seeded(`${seed} ${name}`),
  }
}
