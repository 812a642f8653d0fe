export type DatabaseClock = ReturnType<typeof createDatabaseClock>

/**
 * Continues from the last time that PostgreSQL told. What is dated, falls due or expires goes by
 * it: processes' clocks may differ.
 */
export function createDatabaseClock(at: Date, steadyMs: () => number) {
  let known = { atMs: at.getTime(), steadyMs: steadyMs() }

  function now(): Date {
    return new Date(known.atMs + steadyMs() - known.steadyMs)
  }

  function learn(told: Date): void {
    known = { atMs: told.getTime(), steadyMs: steadyMs() }
  }

  return { now, learn }
}
