import { anchorFaults } from './anchors.ts'
import { answerFaults } from './answers.ts'
import { chainFaults } from './chain.ts'
import { contentionFaults } from './contention.ts'
import { deploymentFaults } from './deployment.ts'
import type { Fault } from './fault.ts'
import { postgresFaults } from './postgres.ts'
import { processFaults } from './processes.ts'
import { redisFaults } from './redis.ts'
import { webhookFaults } from './webhooks.ts'

/** Every fault there is, in the order of their names. */
export const faults: readonly Fault[] = [
  ...processFaults,
  ...answerFaults,
  ...redisFaults,
  ...postgresFaults,
  ...chainFaults,
  ...anchorFaults,
  ...contentionFaults,
  ...webhookFaults,
  ...deploymentFaults,
].toSorted((a, b) => a.id.localeCompare(b.id))

/** `short` in half a minute, `ci` in three, `all` in as long as it takes; `share`: of the rounds and times of the whole table. */
export const sets = {
  short: { share: 0.15, ids: ['F-16', 'F-20', 'F-21', 'F-42', 'F-43'] },
  ci: {
    share: 0.15,
    ids: ['F-01', 'F-05', 'F-09', 'F-13', 'F-33', 'F-36', 'F-50', 'F-56', 'F-57'],
  },
  all: { share: 1, ids: faults.map(({ id }) => id) },
} as const satisfies Record<string, { share: number; ids: readonly string[] }>
