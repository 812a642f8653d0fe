/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** From 0 up to, but not, 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  pick<T>(of: readonly T[]): T
  /** Another stream, which does not depend on how much of this one is used. */
  fork(name: string): Random
}

/** Mulberry32 behind a hash of the seed. */
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
