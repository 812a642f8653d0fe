export type DatabaseClock = ReturnType<typeof createDatabaseClock>

/**
 * Continues from PostgreSQL's last known time; until then, from `unixMs`. It decides when something
 * expires that other processes judge as well.
 */
export function createDatabaseClock(unixMs: () => number, steadyMs: () => number) {
  let known: { readonly atMs: number; readonly steadyMs: number } | null = null

  function now(): Date {
    return new Date(known ? known.atMs + steadyMs() - known.steadyMs : unixMs())
  }

  function learn(at: Date): void {
    known = { atMs: at.getTime(), steadyMs: steadyMs() }
  }

  return { now, learn }
}
