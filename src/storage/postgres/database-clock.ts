/** PostgreSQL's clock, as far as this process knows it. */
export type DatabaseClock = ReturnType<typeof createDatabaseClock>

/**
 * A clock that goes on from the time PostgreSQL last gave; until then it is this process's clock,
 * `unixMs`. It decides when something expires that other processes judge as well: their own clocks
 * may differ.
 */
export function createDatabaseClock(unixMs: () => number, steadyMs: () => number) {
  let known: { readonly atMs: number; readonly steadyMs: number } | null = null

  function now(): Date {
    return new Date(known ? known.atMs + steadyMs() - known.steadyMs : unixMs())
  }

  /** Sets the clock to `at`, which PostgreSQL has just given. */
  function learn(at: Date): void {
    known = { atMs: at.getTime(), steadyMs: steadyMs() }
  }

  return { now, learn }
}
