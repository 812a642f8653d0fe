type Level = 'info' | 'warn' | 'error'

type Log = { readonly [name in Level]: (line: object, message: string) => void }

const maxNames = 10_000

/**
 * Creates a function that writes a line at most once in `everyMs` for each `name`; `repeated` says
 * how often it was not written since. Returns whether it was written.
 */
export function createThrottledLog<Levels extends Level>(
  log: Pick<Log, Levels>,
  { everyMs = 60_000, steadyMs = () => performance.now() } = {},
) {
  /** Those written least recently first. */
  const written = new Map<string, { readonly atMs: number; repeated: number }>()

  return (level: Levels, name: string, line: object, message: string): boolean => {
    const last = written.get(name)
    if (last && steadyMs() - last.atMs < everyMs) {
      last.repeated++
      return false
    }
    written.delete(name)
    written.set(name, { atMs: steadyMs(), repeated: 0 })
    for (const oldest of written.keys()) {
      if (written.size <= maxNames) break
      written.delete(oldest)
    }
    log[level](last?.repeated ? { ...line, repeated: last.repeated } : line, message)
    return true
  }
}
