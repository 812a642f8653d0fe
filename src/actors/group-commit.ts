import { DomainError } from '../domain/error.ts'
import { createTurns, type Turns } from '../scheduling/fair-queue.ts'
import { deadlineMs, unavailable } from '../storage/postgres/db.ts'

export type GroupCommit<Work, Outcome> = {
  /**
   * Commits `work` together with whatever else is waiting. Works of one `shard` (an account) go
   * through the same lane, in order; the shards of a lane take turns. Errors: `overloaded` if too
   * much is waiting, or half as much of this shard; `unavailable` after 6 s, and work that has not
   * been sent by then is never sent.
   */
  submit(shard: string, work: Work): Promise<Outcome>
  /** Resolves once everything submitted so far has been answered. */
  drain(): Promise<void>
}

/** Writes works in one statement by a lane, and answers one outcome for each, in order. */
export type Flush<Work, Outcome> = (
  lane: number,
  works: readonly Work[],
) => Promise<readonly Outcome[]>

type Pending<Work, Outcome> = {
  readonly shard: string
  readonly work: Work
  readonly sinceMs: number
  isRefused: boolean
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

type Lane<Work, Outcome> = {
  readonly index: number
  readonly waiting: Turns<Pending<Work, Outcome>>
  flushing: Promise<void> | null
}

const lookEveryMs = 100

/**
 * Combines commits that arrive together into one statement. There is no gathering timer: what
 * arrives while a lane's statement is running becomes the next one. So batches grow with load, and
 * a lone commit does not wait.
 *
 * Each lane runs one statement at a time. Lanes are split by account, because two batches that
 * increment the same account's invoice numbers would block or deadlock each other.
 *
 * `flush` returns one outcome per work, in order. If it rejects, each work is retried alone, so
 * that one bad row does not fail the others. A `DomainError` rejects the whole batch at once, for
 * example when the database is out of reach.
 */
export function createGroupCommit<Work, Outcome>(options: {
  lanes: number
  maxBatch: number
  /** How much may wait in a lane; an account has half of it. */
  maxWaiting: number
  /** How much of that a work takes, by default one: what waits is in memory. */
  sizeOf?: (work: Work) => number
  flush: Flush<Work, Outcome>
}): GroupCommit<Work, Outcome> {
  const { sizeOf = () => 1 } = options
  const lanes: Lane<Work, Outcome>[] = Array.from({ length: options.lanes }, (_, index) => ({
    index,
    waiting: createTurns(({ work }) => sizeOf(work)),
    flushing: null,
  }))

  function submit(shard: string, work: Work): Promise<Outcome> {
    const lane = lanes[laneOf(shard)] as Lane<Work, Outcome>
    const { waiting } = lane
    if (
      waiting.length() >= options.maxWaiting ||
      waiting.lengthOf(shard) >= options.maxWaiting / 2
    ) {
      const refusal = new DomainError(
        'overloaded',
        'The service is overloaded; try again shortly',
        {
          operatorText: `lane ${lane.index} is full`,
          retryAfterSeconds: 1,
        },
      )
      return Promise.reject(refusal)
    }
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now()
      waiting.add(shard, { shard, work, sinceMs, isRefused: false, resolve, reject })
      lane.flushing ??= run(lane)
    })
  }

  function laneOf(shard: string): number {
    let sum = 0
    for (let at = 0; at < shard.length; at++) sum = (sum * 31 + shard.charCodeAt(at)) >>> 0
    return sum % options.lanes
  }

  async function run(lane: Lane<Work, Outcome>): Promise<void> {
    let sent: readonly Pending<Work, Outcome>[] = []
    // A statement has its own deadline, but work behind one that hangs would have to wait for both.
    const looking = setInterval(() => refuseLate(lane, sent), lookEveryMs)
    while (lane.waiting.length() > 0) {
      // Lets work submitted in the same turn of the event loop join the same statement.
      await new Promise(setImmediate)
      sent = nextBatch(lane)
      await settle(lane.index, sent)
    }
    clearInterval(looking)
    lane.flushing = null
  }

  /** So much as a batch holds, of each shard in turn: none waits for all of another's. */
  function nextBatch({ waiting }: Lane<Work, Outcome>): readonly Pending<Work, Outcome>[] {
    const batch: Pending<Work, Outcome>[] = []
    while (batch.length < options.maxBatch) {
      const next = waiting.next(() => true)
      if (!next) break
      waiting.serve(next.shard, next)
      batch.push(next)
    }
    return batch
  }

  function refuseLate(lane: Lane<Work, Outcome>, sent: readonly Pending<Work, Outcome>[]): void {
    const lateMs = performance.now() - deadlineMs
    const isLate = ({ sinceMs }: Pending<Work, Outcome>) => sinceMs <= lateMs
    const refusal = unavailable(`nothing came back from lane ${lane.index} in ${deadlineMs} ms`)
    for (const pending of [...sent, ...lane.waiting.all()].filter(isLate)) {
      pending.isRefused = true
      pending.reject(refusal)
      lane.waiting.remove(pending.shard, pending)
    }
  }

  async function settle(lane: number, batch: readonly Pending<Work, Outcome>[]): Promise<void> {
    try {
      const works = batch.map((pending) => pending.work)
      const outcomes = await options.flush(lane, works)
      for (const [at, pending] of batch.entries()) pending.resolve(outcomes[at] as Outcome)
    } catch (error) {
      if (batch.length === 1 || error instanceof DomainError) {
        for (const pending of batch) pending.reject(error)
        return
      }
      for (const pending of batch) if (!pending.isRefused) await settle(lane, [pending])
    }
  }

  return {
    submit,
    async drain() {
      await Promise.all(lanes.map((lane) => lane.flushing))
    },
  }
}
