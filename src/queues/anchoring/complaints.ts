type Options = {
  readonly steadyMs: () => number
  readonly log: { warn(line: object, message: string): void }
}

const everyMs = 60_000

/**
 * Creates a function that logs what goes wrong. The same may go wrong for days with each round:
 * what has the same `name` is told once a minute.
 */
export function complaints({ steadyMs, log }: Options) {
  const toldAtMs = new Map<string, number>()

  return (name: string, line: object, message: string): void => {
    const nowMs = steadyMs()
    for (const [told, atMs] of toldAtMs) if (nowMs >= atMs + everyMs) toldAtMs.delete(told)
    if (toldAtMs.has(name)) return
    toldAtMs.set(name, nowMs)
    log.warn(line, message)
  }
}
