import type { Principal } from '../../domain/accounts/account.ts'
import { DomainError, hasReason } from '../../domain/error.ts'
import type { Admission } from './bucket.ts'
import {
  type Allowance,
  type Caller,
  type Connections,
  type Gate,
  keyless,
  rateLimited,
} from './gate.ts'
import { createGuessLimit } from './guess-limit.ts'

export type Admitted = {
  /** Null without a key. */
  readonly principal: Principal | null
  /**
   * Counts this many more requests, or none if fewer are left; without a key against `apart`, where
   * it is given, and with one not. Errors: `rate_limited`.
   */
  charge(more: number, apart?: Allowance): Promise<void>
}

export type ShowWindow = ReturnType<typeof createAdmission>['showWindow']

export function createAdmission(gate: Gate, connections: Pick<Connections, 'addressOf'>) {
  const guessLimit = createGuessLimit(gate.limits, connections)
  return { admit, admitKey, showWindow }

  /**
   * Identifies the caller, counts the request, and writes the state of the limit into `headers`,
   * also of a refused request. Errors: `rate_limited`, and those of `Gate.identify`.
   */
  async function admit(
    request: Request,
    headers: Record<string, string>,
    allowance: Allowance,
  ): Promise<Admitted> {
    let principal: Principal | null
    let refusal: unknown
    const caller = allowance === keyless ? request : withoutSession(request)
    try {
      const found = guessLimit(request, (beforeLookup) => gate.identify(caller, beforeLookup))
      principal = found instanceof Promise ? await found : found
    } catch (error) {
      // While keys cannot be looked up, no key has been found wrong.
      if (hasReason(error, 'unavailable')) throw error
      // The request of a wrong key counts like a keyless one.
      principal = null
      refusal = error
    }
    const bucket = principal
      ? bucketOf(principal)
      : `${allowance.name}:${connections.addressOf(request)}`
    const limits = principal ?? allowance
    const counted = count(bucket, limits, headers)
    const admission = counted instanceof Promise ? await counted : counted
    if (refusal) throw refusal
    return { principal, charge }

    async function charge(more: number, apart?: Allowance) {
      if (apart) return principal ? undefined : countApart(more, apart)
      if (admission.remaining < more) settle({ ...admission, allowed: false }, limits, headers)
      for (let n = 0; n < more; n++) await count(bucket, limits, headers)
    }

    async function countApart(more: number, apart: Allowance) {
      const other = `${apart.name}:${connections.addressOf(request)}`
      const first = await count(other, apart, headers)
      if (first.remaining < more - 1) settle({ ...first, allowed: false }, apart, headers)
      for (let n = 1; n < more; n++) await count(other, apart, headers)
    }
  }

  /** Unless a request was counted, writes the caller's keyless window into `headers`. */
  function showWindow(request: Request, headers: Record<string, string>): void {
    if ('x-ratelimit-limit' in headers) return
    const bucket = `${keyless.name}:${connections.addressOf(request)}`
    writeWindow(gate.limits.peek(bucket, keyless), headers)
  }

  /** As `Call.admitKey`. */
  async function admitKey(request: Request, key: string): Promise<Principal> {
    const principal = await guessLimit(request, async (beforeLookup) => {
      const found = await gate.findKey(key, beforeLookup)
      if (!found) throw new DomainError('unauthorized', 'api_key is not a valid API key')
      return found
    })
    await count(bucketOf(principal), principal, {})
    return principal
  }

  function count(
    bucket: string,
    caller: Principal | Allowance,
    headers: Record<string, string>,
  ): Admission | Promise<Admission> {
    const admitted = gate.limits.admit(bucket, caller)
    return admitted instanceof Promise
      ? admitted.then((admission) => settle(admission, caller, headers))
      : settle(admitted, caller, headers)
  }

  function settle(
    admission: Admission,
    caller: Principal | Allowance,
    headers: Record<string, string>,
  ): Admission {
    writeWindow(admission, headers)
    if (!admission.allowed) {
      gate.metrics.rateLimited('keyId' in caller ? 'key' : 'address')
      throw rateLimited(admission)
    }
    return admission
  }
}

function writeWindow(admission: Admission, headers: Record<string, string>): void {
  headers['x-ratelimit-limit'] = `${admission.limit}`
  headers['x-ratelimit-remaining'] = `${admission.remaining}`
  headers['x-ratelimit-reset'] = `${admission.resetSeconds}`
}

/** The request without its cookies, which a browser sends along wherever its user goes. */
function withoutSession({ method, headers }: Caller): Caller {
  const others = new Headers(headers)
  others.delete('cookie')
  return { method, headers: others }
}

function bucketOf({ keyId, countedAs = keyId }: Principal): string {
  return countedAs
}
