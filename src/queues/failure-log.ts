import { ChainError } from '../chain/chain.ts'
import { createThrottle } from '../telemetry/throttle.ts'

type ErrorLog = { error(line: object, message: string): void }

type Failure = {
  readonly err: unknown
  /** The queue or the task: what fails in the same way each time. */
  readonly of: string
  readonly about: object
  readonly message: string
}

const everyMs = 60_000

/**
 * Logs failures. A chain's fault lasts and fails all work that needs the chain, so it is logged
 * once a minute for each queue or task.
 */
export function createFailureLog(log: ErrorLog, steadyMs?: () => number) {
  const throttle = createThrottle(everyMs, steadyMs)

  return ({ err, of, about, message }: Failure): void => {
    if (!(err instanceof ChainError)) {
      log.error({ err, ...about }, message)
      return
    }
    const repeated = throttle(`${of} ${err.fault}`)
    if (repeated !== null) log.error({ err, ...about, repeated }, message)
  }
}
