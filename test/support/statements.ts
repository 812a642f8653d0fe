import { followWire, type Moment } from './postgres-wire.ts'
import type { TcpRelay, Verdict } from './tcp-relay.ts'

/** A statement or its answer on the way between one process and PostgreSQL. */
export type Passing = Moment & { readonly process: string; readonly connection: number }

/**
 * Inspects a statement or answer on its way. `undefined` forwards it at once. A promise holds it
 * back: `pass` then forwards it, `drop` closes the connection instead.
 */
export type Interceptor = (passing: Passing) => Promise<Verdict> | undefined

/** All statements and answers between the processes and PostgreSQL. */
export type Statements = {
  /** Replaces the interceptor; null removes it. */
  intercept(interceptor: Interceptor | null): void
}

/**
 * Follows the statements that pass through `relay`. A process is identified by the door of the
 * relay it connects to.
 */
export function statementsThrough(relay: TcpRelay): Statements {
  let interceptor: Interceptor | null = null
  let connections = 0
  relay.watch((process) => {
    const wire = followWire()
    const connection = connections++
    const show = (moments: readonly Moment[]) => {
      const verdicts = moments.flatMap(
        (moment) => interceptor?.({ ...moment, process, connection }) ?? [],
      )
      return verdicts.length === 0 ? undefined : Promise.all(verdicts).then(strictest)
    }
    return {
      fromClient: (bytes) => show(wire.fromClient(bytes)),
      fromServer: (bytes) => show(wire.fromServer(bytes)),
    }
  })
  return {
    intercept(next) {
      interceptor = next
    },
  }
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes('drop') ? 'drop' : 'pass'
}
