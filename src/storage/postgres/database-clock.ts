/** PostgreSQL's clock, as far as this process knows it. */
export type DatabaseClock = {
  now(): Date
  /** PostgreSQL has just said that it is `at`. */
  learn(at: Date): void
}

/**
 * A clock that goes on from what PostgreSQL said last; until it has said anything, it is the clock
 * of this process, `unixMs`. What ends at a time that other processes compare, too, ends by this
 * clock: theirs may differ.
 */
export function createDatabaseClock(unixMs: () => number, steadyMs: () => number): DatabaseClock {
  let known: { readonly atMs: number; readonly steadyMs: number } | null = null
  return {
    now: () => new Date(known ? known.atMs + steadyMs() - known.steadyMs : unixMs()),
    learn(at) {
      known = { atMs: at.getTime(), steadyMs: steadyMs() }
    },
  }
}
