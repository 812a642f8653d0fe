import type { KeyRing } from '../../actors/key-ring.ts'
import type { Principal } from '../../domain/accounts/account.ts'
import type { Scope } from '../../domain/accounts/scopes.ts'
import { DomainError, hasReason } from '../../domain/error.ts'
import type { Admission, BucketLimits } from './bucket.ts'
import type { Limits } from './limits.ts'

/**
 * The part of a request that identifies the caller. The URL is left out: it identifies nobody, and
 * it may be malformed, in which case no other `Request` could be made from it.
 */
export type Caller = Pick<Request, 'method' | 'headers'>

/** What every request passes before its handler; created once by `server.ts`. */
export type Gate = {
  /**
   * The principal of a caller, or null where it sends no credentials. Rejects credentials that are
   * not valid. `beforeAsking` is called before a key that this process does not know is looked up,
   * and may throw to prevent that.
   */
  identify(caller: Caller, beforeAsking?: () => void): Principal | null | Promise<Principal | null>
  /** Finds the principal of a key that came elsewhere than in a header. */
  readonly findKey: KeyRing['find']
  readonly limits: Limits
  readonly metrics: {
    request(answered: { method: string; route: string; status: number; durationMs: number }): void
    rateLimited(caller: 'key' | 'address'): void
  }
  readonly log: {
    error(line: object, message: string): void
    warn(line: object, message: string): void
  }
}

/** What only the listening server knows about the connection of a request. */
export type Connections = {
  addressOf(request: Request): string
  /** Lets the connection be silent for this long before it is closed. */
  keepOpen(request: Request, seconds: number): void
  /** Whether its answer has been sent, body included, or its caller is gone. */
  isOver(request: Request): boolean
}

/** The limits of an address for some requests; `name` begins the name of its bucket. */
export type Allowance = BucketLimits & { readonly name: string }

/** What a request without a key counts against, unless its operation says otherwise. */
export const keyless: Allowance = { name: 'ip', perMinute: 100, perDay: null }

/** A request that was admitted. */
export type Admitted = {
  /** Its caller; null without a key. */
  readonly principal: Principal | null
  /** Counts this many requests more, or none where so many are not left. */
  charge(more: number): Promise<void>
}

/** How callers are identified and their requests counted. Errors: `rate_limited`, and as told. */
export function createAdmission(gate: Gate, connections: Pick<Connections, 'addressOf'>) {
  return { admit, admitKey }

  /**
   * Identifies the caller and counts the request against its bucket. The state of the limit is
   * written into `headers`, of a refused request, too. Errors: those of `Gate.identify`.
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
      const found = identified(request, (beforeAsking) => gate.identify(caller, beforeAsking))
      principal = found instanceof Promise ? await found : found
    } catch (error) {
      // Where keys cannot be looked up, no key has been found wrong.
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

    async function charge(more: number) {
      if (admission.remaining < more) heed({ ...admission, allowed: false }, limits, headers)
      for (let n = 0; n < more; n++) await count(bucket, limits, headers)
    }
  }

  /**
   * The principal of a key that `request` names in its body; one request of the key is counted.
   * Errors: `unauthorized`.
   */
  async function admitKey(request: Request, key: string): Promise<Principal> {
    const principal = await identified(request, async (beforeAsking) => {
      const found = await gate.findKey(key, beforeAsking)
      if (!found) throw new DomainError('unauthorized', 'api_key is no valid API key')
      return found
    })
    await count(bucketOf(principal), principal, {})
    return principal
  }

  /**
   * What `find` finds, at once where it does. A wrong key counts against the address it came from.
   * Once an address has sent a hundred of them in a minute, keys from it that this process does not
   * know are no longer looked up: until the minute is over, a valid one among the guesses is
   * refused too.
   */
  function identified<Found>(
    request: Request,
    find: (beforeAsking: () => void) => Found | Promise<Found>,
  ): Found | Promise<Found> {
    const refuse = async (error: unknown): Promise<never> => {
      if (hasReason(error, 'unauthorized')) await gate.limits.admit(guessesOf(request), keyless)
      throw error
    }
    try {
      const found = find(() => {
        const refused = gate.limits.refusalOf(guessesOf(request))
        if (refused) insist(refused)
      })
      return found instanceof Promise ? found.catch(refuse) : found
    } catch (error) {
      return refuse(error)
    }
  }

  /**
   * The bucket of an address's wrong keys. It is separate from its other keyless requests, such as
   * payers' page views, so these never prevent a key from being looked up.
   */
  function guessesOf(request: Request): string {
    return `guess:${connections.addressOf(request)}`
  }

  function count(
    bucket: string,
    caller: Principal | Allowance,
    headers: Record<string, string>,
  ): Admission | Promise<Admission> {
    const admitted = gate.limits.admit(bucket, caller)
    return admitted instanceof Promise
      ? admitted.then((admission) => heed(admission, caller, headers))
      : heed(admitted, caller, headers)
  }

  function heed(
    admission: Admission,
    caller: Principal | Allowance,
    headers: Record<string, string>,
  ): Admission {
    describe(admission, headers)
    if (!admission.allowed) gate.metrics.rateLimited('keyId' in caller ? 'key' : 'address')
    insist(admission)
    return admission
  }
}

/** The request without its cookies, which a browser sends along wherever its user goes. */
function withoutSession({ method, headers }: Caller): Caller {
  const others = new Headers(headers)
  others.delete('cookie')
  return { method, headers: others }
}

/** The bucket in which a caller's requests are counted. */
function bucketOf({ keyId, countedAs = keyId }: Principal): string {
  return countedAs
}

/** Throws where a request was not admitted. Errors: `rate_limited`. */
function insist({ allowed, resetAfterSeconds: retryAfterSeconds }: Admission): void {
  if (!allowed) throw new DomainError('rate_limited', 'Too many requests', { retryAfterSeconds })
}

function describe(admission: Admission, headers: Record<string, string>): void {
  headers['x-ratelimit-limit'] = `${admission.limit}`
  headers['x-ratelimit-remaining'] = `${admission.remaining}`
  headers['x-ratelimit-reset'] = `${admission.resetSeconds}`
}

/** Checks that the caller has the permission. Errors: `unauthorized`, `forbidden`. */
export function authorize(principal: Principal | null, scope: Scope | null): void {
  if (scope === null) return
  if (!principal) throw new DomainError('unauthorized', 'An API key is required')
  if (!principal.scopes.has(scope)) {
    throw new DomainError('forbidden', `This key lacks the permission ${scope}`)
  }
}
