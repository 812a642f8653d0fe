import { ChainError } from '../chain/chain.ts'

type ErrorLog = { error(line: object, message: string): void }

type Failure = {
  readonly err: unknown
  /** The queue or the task: what fails in the same way each time. */
  readonly of: string
  readonly about: object
  readonly message: string
}

const tellEveryMs = 60_000

/**
 * Creates a function that logs what failed. A fault of a chain lasts, and all work that needs the
 * chain fails by it, many times a minute: of the same work it is told once a minute, with how often
 * it was not told since (`repeated`).
 */
export function createFailureLog(log: ErrorLog, steadyMs: () => number = () => performance.now()) {
  const told = new Map<string, { atMs: number; repeated: number }>()

  return ({ err, of, about, message }: Failure): void => {
    if (!(err instanceof ChainError)) {
      log.error({ err, ...about }, message)
      return
    }
    const name = `${of} ${err.fault}`
    const last = told.get(name)
    if (last && steadyMs() - last.atMs < tellEveryMs) {
      last.repeated++
      return
    }
    told.set(name, { atMs: steadyMs(), repeated: 0 })
    log.error({ err, ...about, repeated: last?.repeated ?? 0 }, message)
  }
}
