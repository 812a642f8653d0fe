import { followWire, type Moment } from './postgres-wire.ts'
import type { TcpRelay, Verdict } from './tcp-relay.ts'

/** On the way between one process and PostgreSQL. */
export type Passing = Moment & { readonly process: string; readonly connection: number }

/** `undefined` forwards at once. A promise holds back: `pass` forwards then, `drop` disconnects. */
export type Interceptor = (passing: Passing) => Promise<Verdict> | undefined

export type Statements = ReturnType<typeof statementsThrough>

/** A process is identified by the relay's door it connects to. */
export function statementsThrough(relay: TcpRelay) {
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
    /** Null removes it. */
    intercept(next: Interceptor | null) {
      interceptor = next
    },
  }
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes('drop') ? 'drop' : 'pass'
}
