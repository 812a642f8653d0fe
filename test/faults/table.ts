import { anchorFaults } from './anchors.ts'
import { answerFaults } from './answers.ts'
import { chainFaults } from './chain.ts'
import { contentionFaults } from './contention.ts'
import { failoverFaults } from './failover.ts'
import type { Fault } from './fault.ts'
import { postgresFaults } from './postgres.ts'
import { processFaults } from './processes.ts'
import { redisFaults } from './redis.ts'
import { webhookFaults } from './webhooks.ts'

/** All faults, ordered by id. */
export const faults: readonly Fault[] = [
  ...processFaults,
  ...answerFaults,
  ...redisFaults,
  ...postgresFaults,
  ...chainFaults,
  ...anchorFaults,
  ...contentionFaults,
  ...webhookFaults,
  ...failoverFaults,
].toSorted((a, b) => a.id.localeCompare(b.id))

/**
 * The sets of `--set`. `short` takes half a minute, `ci` three minutes, `all` as long as it needs.
 * `share` is the part of the table's rounds and times that a set runs.
 */
export const sets = {
  short: { share: 0.15, ids: ['F-16', 'F-20', 'F-21', 'F-42', 'F-43'] },
  ci: {
    share: 0.15,
    ids: ['F-01', 'F-05', 'F-09', 'F-13', 'F-33', 'F-36', 'F-50', 'F-56', 'F-57'],
  },
  all: { share: 1, ids: faults.map(({ id }) => id) },
} as const satisfies Record<string, { share: number; ids: readonly string[] }>
