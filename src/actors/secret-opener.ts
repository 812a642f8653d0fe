import { open, type SealKey } from '../domain/accounts/secret.ts'
import { addNewest } from '../scheduling/bounded.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Opens a sealed secret of the webhook or account `ownerId`; null if it was sealed under another
 * key or is damaged.
 */
export type OpenSecret = (sealed: Uint8Array, ownerId: string) => string | null

const mostTold = 10_000

/** Creates an opener that logs an error once per webhook or account whose secret does not open. */
export function secretOpener(sealKey: SealKey, log: Pick<Log, 'error'>): OpenSecret {
  const told = new Set<string>()
  return (sealed, ownerId) => {
    try {
      return open(sealed, sealKey)
    } catch (err) {
      if (addNewest(told, ownerId, mostTold))
        log.error({ err, ownerId }, 'a secret cannot be opened')
      return null
    }
  }
}
