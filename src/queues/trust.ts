import { areTrustSignalsDue, rebuildTrustSignals } from '../storage/receipts/trust.ts'
import type { Work, WorkParts } from './work.ts'

export function trustWork({ sql, unhurriedSql, queues }: WorkParts): Work<'trust'> {
  return {
    async process() {
      // Another worker's sweep may have asked for it just before it was done.
      if (await areTrustSignalsDue(sql)) await rebuildTrustSignals(unhurriedSql)
    },
    recoverDue: {
      async trust() {
        if (!(await areTrustSignalsDue(sql))) return 0
        // Once for as long as a count may take, and not longer: a wrong clock may have put it off.
        const jobId = `night-${Math.floor(Date.now() / 3_600_000)}`
        await queues.add('trust', {}, { jobId })
        return 1
      },
    },
  }
}
