import { anchorFaults } from './anchors.ts'
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
  ...redisFaults,
  ...postgresFaults,
  ...chainFaults,
  ...anchorFaults,
  ...contentionFaults,
  ...webhookFaults,
  ...deploymentFaults,
].toSorted((a, b) => a.id.localeCompare(b.id))

/** `short` in half a minute, `ci` in three, `all` in as long as it takes. */
export const sets = {
  short: ['F-12'],
  ci: ['F-01', 'F-09', 'F-12', 'F-13', 'F-56'],
  all: faults.map(({ id }) => id),
} as const satisfies Record<string, readonly string[]>
