import { DomainError } from '../domain/error.ts'
import { createBatcher } from '../scheduling/batcher.ts'
import { deadlineMs, unavailable } from '../storage/postgres/db.ts'

/** Writes works in one statement, and resolves to one outcome for each, in order. */
export type Flush<Work, Outcome> = (
  lane: number,
  works: readonly Work[],
) => Promise<readonly Outcome[]>

type Options<Work, Outcome> = {
  readonly lanes: number
  readonly maxBatch: number
  /** How much may wait in a lane, and half of that for a shard. */
  readonly maxWaiting: number
  /** How much of that a work takes, by default one. */
  readonly sizeOf?: (work: Work) => number
  readonly onSubmit?: (work: Work) => void
  readonly flush: Flush<Work, Outcome>
}

/**
 * Combines commits that arrive together into one statement. Each lane runs one statement at a time.
 * An account has one lane: two batches that increment its invoice numbers would deadlock.
 *
 * If `flush` rejects, each work is retried alone, so that one bad row does not fail the others,
 * except for a `DomainError`, such as a database out of reach.
 */
export function createGroupCommit<Work, Outcome>(options: Options<Work, Outcome>) {
  const lanes = Array.from({ length: options.lanes }, (_, lane) => laneOf(lane, options))

  /**
   * Commits `work` after earlier work of the same shard (an account). Errors: `overloaded` if too
   * much waits; `unavailable` after 6 s, and work that was not sent by then is never sent.
   */
  function submit(shard: string, work: Work): Promise<Outcome> {
    options.onSubmit?.(work)
    const lane = lanes[hashOf(shard) % lanes.length] as (typeof lanes)[number]
    return lane.submit(shard, work)
  }

  return {
    submit,
    drain: async () => void (await Promise.all(lanes.map((lane) => lane.drain()))),
  }
}

function laneOf<Work, Outcome>(
  lane: number,
  { maxBatch, maxWaiting, sizeOf = () => 1, flush }: Options<Work, Outcome>,
) {
  return createBatcher<Work, Outcome>({
    flush: (works) => flush(lane, works),
    maxBatch,
    maxWaiting,
    maxWaitingPerOwner: maxWaiting / 2,
    sizeOf,
    maxWaitMs: deadlineMs,
    refusal: (why) =>
      why === 'full'
        ? overloaded(lane)
        : unavailable(`nothing came back from lane ${lane} in ${deadlineMs} ms`),
    mayBeOneWork: (error) => !(error instanceof DomainError),
  })
}

function hashOf(shard: string): number {
  let sum = 0
  for (let at = 0; at < shard.length; at++) sum = (sum * 31 + shard.charCodeAt(at)) >>> 0
  return sum
}

function overloaded(lane: number): DomainError {
  return new DomainError('overloaded', 'The service is overloaded; try again shortly', {
    operatorText: `lane ${lane} is full`,
    retryAfterSeconds: 1,
  })
}
