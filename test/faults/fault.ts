import type { Topology } from '../support/topology.ts'
import type { Try } from './client.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

/** One row of the fault table. */
export type Fault = {
  readonly id: string
  readonly what: string
  readonly needsRedis?: true
  /** Breaks something for real, and mends it. Answers what did not go as the row demands; the oracles are asked afterwards. */
  readonly inject: (stage: Stage, random: Random) => Promise<readonly string[]>
}

/** Tries that no caller should ever see: other errors of ours than 503, silence, and, where nothing excuses it, 503. */
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

/** Tries that took longer than they may. */
export function slowTries(tries: readonly Try[], limitMs: number): readonly string[] {
  return tries
    .filter(({ tookMs }) => tookMs > limitMs)
    .slice(0, 5)
    .map(({ what, at, tookMs }) => `${what} at ${at} took ${Math.round(tookMs)} ms`)
}

/** For a failure: what the processes complained of last. */
export function lastWarnings({ http, workers }: Topology): readonly string[] {
  return [...http, ...workers].flatMap(({ name, log }) =>
    log()
      .filter(({ level }) => level === 'warn' || level === 'error')
      .slice(-5)
      .map((line) => `${name}: ${JSON.stringify(line).slice(0, 600)}`),
  )
}
