import { hasReason } from '../../domain/error.ts'
import { type Connections, keyless, rateLimited } from './gate.ts'
import type { Limits } from './limits.ts'

/**
 * After a hundred wrong keys from an address, unknown keys are not looked up for the rest of the
 * minute. Keyless requests, such as payers' page views, are counted elsewhere.
 */
export function createGuessLimit(limits: Limits, { addressOf }: Pick<Connections, 'addressOf'>) {
  const bucketOf = (request: Request) => `guess:${addressOf(request)}`

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
