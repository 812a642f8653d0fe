import type { Topology } from '../support/topology.ts'
import type { Try } from './client.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

/** One row of the table of faults. */
export type Fault = {
  readonly id: string
  readonly what: string
  readonly needsRedis?: true
  /**
   * Causes the fault for real and repairs it. Answers every deviation from what the row demands.
   * The oracles are asked afterwards.
   */
  readonly inject: (stage: Stage, random: Random) => Promise<readonly string[]>
}

/**
 * Attempts with an outcome no caller should see: silence, a 5xx answer other than 503, and 503
 * unless `mayBe503`.
 */
export function badTries(tries: readonly Try[], mayBe503: boolean): readonly string[] {
  const bad = tries.filter(
    ({ outcome }) =>
      outcome === 'silent' ||
      (typeof outcome === 'number' && outcome >= 500 && !(mayBe503 && outcome === 503)),
  )
  return bad
    .slice(0, 5)
    .map(
      ({ what, at, outcome, tookMs, complaint }) =>
        `${what} at ${at}: ${outcome} after ${Math.round(tookMs)} ms ${complaint ?? ''}`,
    )
}

/** Attempts that took longer than `limitMs`. */
export function slowTries(tries: readonly Try[], limitMs: number): readonly string[] {
  return tries
    .filter(({ tookMs }) => tookMs > limitMs)
    .slice(0, 5)
    .map(({ what, at, tookMs }) => `${what} at ${at} took ${Math.round(tookMs)} ms`)
}

/** For failure messages: the last warnings and errors of each process. */
export function lastWarnings({ http, workers }: Topology): readonly string[] {
  return [...http, ...workers].flatMap(({ name, log }) =>
    log()
      .filter(({ level }) => level === 'warn' || level === 'error')
      .slice(-5)
      .map((line) => `${name}: ${JSON.stringify(line).slice(0, 600)}`),
  )
}
