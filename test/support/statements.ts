import { followWire, type Moment } from './postgres-wire.ts'
import type { TcpRelay, Verdict } from './tcp-relay.ts'

/** A statement of one process, on its way. */
export type Passing = Moment & { readonly process: string; readonly connection: number }

/** Looks at a statement or an answer, which goes on at once, or once this says so, or never. */
export type Onlooker = (passing: Passing) => Promise<Verdict> | undefined

/** Everything that processes ask PostgreSQL through a relay, and are answered. */
export type Statements = {
  /** From now on, who looks at it; null for nobody. */
  look(onlooker: Onlooker | null): void
}

/** Processes are told apart by the doors of the relay they come in by. */
export function statementsThrough(relay: TcpRelay): Statements {
  let onlooker: Onlooker | null = null
  let connections = 0
  relay.watch((process) => {
    const wire = followWire()
    const connection = connections++
    const show = (moments: readonly Moment[]) => {
      const verdicts = moments.flatMap(
        (moment) => onlooker?.({ ...moment, process, connection }) ?? [],
      )
      return verdicts.length === 0 ? undefined : Promise.all(verdicts).then(strictest)
    }
    return {
      fromClient: (bytes) => show(wire.fromClient(bytes)),
      fromServer: (bytes) => show(wire.fromServer(bytes)),
    }
  })
  return {
    look(next) {
      onlooker = next
    },
  }
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes('drop') ? 'drop' : 'pass'
}
