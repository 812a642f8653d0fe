import { DomainError } from '../domain/error.ts'

type Most = {
  /** Pieces of work under way. */
  readonly overall: number
  /** Pieces of work under way for one account. */
  readonly each: number
  /** How long a piece of work waits for its turn, unless it says otherwise. */
  readonly patienceMs: number
}

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
  const running = new Map<string, number>()
  /** By account, in the order of their turns. No account has an empty line. */
  const waiting = new Map<string, Set<() => void>>()
  let runningOverall = 0

  function hasShare(accountId: string): boolean {
    return runningOverall < overall && (running.get(accountId) ?? 0) < each
  }

  function count(accountId: string, change: 1 | -1): void {
    const ofAccount = (running.get(accountId) ?? 0) + change
    if (ofAccount > 0) running.set(accountId, ofAccount)
    else running.delete(accountId)
    runningOverall += change
  }

  /** Admits the first waiter that has a share, and ends its account's turn. */
  function admitNext(): void {
    const next = waiting.entries().find(([accountId]) => hasShare(accountId))
    if (!next) return
    const [accountId, line] = next
    const [admit] = line
    if (!admit) return
    leaveLine(accountId, admit)
    if (waiting.delete(accountId)) waiting.set(accountId, line)
    count(accountId, 1)
    admit()
  }

  function leaveLine(accountId: string, admit: () => void): void {
    const line = waiting.get(accountId)
    line?.delete(admit)
    if (line?.size === 0) waiting.delete(accountId)
  }

  function turn(accountId: string, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        leaveLine(accountId, admit)
        reject(overloaded())
      }, patienceMs)
      const line = waiting.get(accountId) ?? new Set()
      waiting.set(accountId, line.add(admit))

      function admit(): void {
        clearTimeout(late)
        resolve()
      }
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
