import type { Topology } from '../support/topology.ts'
import { eventually } from '../support/wait.ts'
import type { Try } from './client.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

/** One row of the table of faults. */
export type Fault = {
  readonly id: string
  readonly what: string
  readonly needsRedis?: true
  /** It happens on a stage of docs/high-availability.md. */
  readonly needsHa?: true
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
      ({ what, at, outcome, tookMs, body }) =>
        `${what} at ${at}: ${outcome} after ${Math.round(tookMs)} ms ${body ?? ''}`,
    )
}

/** Causes a fault under load that no caller may notice. Answers the attempts that did. */
export async function unnoticed(
  { underLoad }: Stage,
  random: Random,
  inject: () => Promise<unknown>,
): Promise<readonly string[]> {
  return badTries(await underLoad(random, inject), false)
}

/** The milliseconds until base is read up to `block` and payments there count as confirmed. */
export async function timeUntilRead({ topology }: Stage, block: number): Promise<number> {
  const startedMs = performance.now()
  const isRead = async () =>
    (await topology.sql`select from cursors where chain = 'base' and next_block > ${block}`)
      .length === 1
  await eventually(isRead, 600_000)
  return performance.now() - startedMs
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
