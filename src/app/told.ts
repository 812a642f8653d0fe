import type { GroupCommit } from '../actors/group-commit.ts'
import type { Live, Matter } from '../http/pages/live.ts'

/** The same commits, sharded by account, of which whoever looks at the account's `matter` here is told. */
export function told<Work, Outcome>(
  live: Pick<Live, 'touched'>,
  matter: Matter,
  commits: GroupCommit<Work, Outcome>,
): GroupCommit<Work, Outcome> {
  return {
    ...commits,
    async submit(accountId, work) {
      const outcome = await commits.submit(accountId, work)
      live.touched(accountId, matter)
      return outcome
    },
  }
}
