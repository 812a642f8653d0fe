import { hasReason } from '../../domain/error.ts'
import { type Connections, keyless, rateLimited } from './gate.ts'
import type { Limits } from './limits.ts'

/**
 * Limits how many keys an address can guess: after a hundred wrong ones in a minute, keys that this
 * process does not know are not looked up for the rest of it, so a valid one among them is refused
 * too. Wrong keys have a bucket of their own, so keyless requests, such as payers' page views,
 * never prevent a lookup.
 */
export function createGuessLimit(limits: Limits, { addressOf }: Pick<Connections, 'addressOf'>) {
  const bucketOf = (request: Request) => `guess:${addressOf(request)}`

  /** Calls `find`, which calls `beforeLookup` before it asks the database. Sync where `find` is. */
  return <Found>(
    request: Request,
    find: (beforeLookup: () => void) => Found | Promise<Found>,
  ): Found | Promise<Found> => {
    const countWrongKey = async (error: unknown): Promise<never> => {
      if (hasReason(error, 'unauthorized')) await limits.admit(bucketOf(request), keyless)
      throw error
    }
    try {
      const found = find(() => {
        const refused = limits.refusalOf(bucketOf(request))
        if (refused) throw rateLimited(refused)
      })
      return found instanceof Promise ? found.catch(countWrongKey) : found
    } catch (error) {
      return countWrongKey(error)
    }
  }
}
