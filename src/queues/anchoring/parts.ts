import type { AnchorClient } from '../../chain/anchor/anchor.ts'
import type { Confirmations } from '../../domain/registry.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { createThrottle } from '../../telemetry/throttle.ts'

type Log = Record<'info' | 'warn', (line: object, message: string) => void>

/** What one transaction may carry, and how many receipts one batch. */
export type Limits = {
  readonly mostEvents: number
  readonly mostGas: bigint
  readonly mostReceipts: number
}

export type AnchorOptions = {
  readonly client: AnchorClient
  readonly contract: string
  readonly sql: Sql
  readonly confirmations: (chainId: number) => Confirmations
  readonly limits: Limits
  /** Monotonic. */
  readonly steadyMs: () => number
  readonly newId: () => string
  readonly log: Log
}

export type AnchorParts = AnchorOptions & {
  /** Warns once a minute for each name. */
  readonly warnRarely: (name: string, line: object, message: string) => void
}

export function anchorParts(options: AnchorOptions): AnchorParts {
  const throttle = createThrottle(60_000, options.steadyMs)
  return {
    ...options,
    warnRarely(name, line, message) {
      if (throttle(name) !== null) options.log.warn(line, message)
    },
  }
}
