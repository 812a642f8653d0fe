import type { Flush } from '../actors/group-commit.ts'
import type { Live, Matter } from '../actors/live.ts'

type Change = { readonly after: { readonly accountId: string } }

/**
 * Wraps `flush` so that after each statement the dashboards of the changed accounts are notified of
 * `matter`, within this process.
 */
export function told<Work extends Change, Outcome>(
  live: Pick<Live, 'touched'>,
  matter: Matter,
  flush: Flush<Work, Outcome>,
): Flush<Work, Outcome> {
  return async (lane, works) => {
    const outcomes = await flush(lane, works)
    for (const { after } of works) live.touched(after.accountId, matter)
    return outcomes
  }
}
