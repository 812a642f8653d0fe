import { DomainError } from '../domain/error.ts'
import { createCounts } from './counts.ts'
import { createTurns } from './fair-queue.ts'

type Most = {
  /** Pieces of work under way. */
  readonly overall: number
  /** Pieces of work under way for one account. */
  readonly each: number
  /** How long a piece of work waits for its turn, unless it says otherwise. */
  readonly patienceMs: number
}

type Waiter = { readonly accountId: string; admit(): void }

/**
 * Runs an account's work as soon as it is its turn, and returns its result. Errors: those of the
 * work; `overloaded` if its turn does not come in time.
 */
export type InTurn = <T>(
  accountId: string,
  work: () => Promise<T>,
  patienceMs?: number,
) => Promise<T>

/**
 * Limits how much work is under way at once, so that no account can take all of what the accounts
 * share. Waiting accounts take turns: none has to wait for all of another's work.
 */
export function createShares({ overall, each, patienceMs: usualMs }: Most): InTurn {
  const running = createCounts()
  const waiting = createTurns<Waiter>()
  let runningOverall = 0

  function hasShare(accountId: string): boolean {
    return runningOverall < overall && running.of(accountId) < each
  }

  function count(accountId: string, change: 1 | -1): void {
    running.add(accountId, change)
    runningOverall += change
  }

  /** Admits the first waiter that has a share, and ends its account's turn. */
  function admitNext(): void {
    const next = waiting.next(({ accountId }) => hasShare(accountId))
    if (!next) return
    const { accountId } = next
    waiting.serve(accountId, next)
    count(accountId, 1)
    next.admit()
  }

  function turn(accountId: string, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        accountId,
        admit() {
          clearTimeout(late)
          resolve()
        },
      }
      const late = setTimeout(() => {
        waiting.remove(accountId, waiter)
        reject(overloaded())
      }, patienceMs)
      waiting.add(accountId, waiter)
    })
  }

  return async (accountId, work, patienceMs = usualMs) => {
    if (hasShare(accountId)) count(accountId, 1)
    else await turn(accountId, patienceMs)
    try {
      return await work()
    } finally {
      count(accountId, -1)
      admitNext()
    }
  }
}

function overloaded(): DomainError {
  return new DomainError('overloaded', 'Too many lists are being read; try again shortly', {
    retryAfterSeconds: 2,
  })
}
