import type { KeyRing } from '../../actors/keys/key-ring.ts'
import type { Principal } from '../../domain/accounts/account.ts'
import type { Scope } from '../../domain/accounts/scopes.ts'
import { DomainError } from '../../domain/error.ts'
import type { Tracing } from '../../telemetry/tracing.ts'
import type { Admission, BucketLimits } from './bucket.ts'
import type { Limits } from './limits.ts'

/** No URL: it may be malformed, in which case no other `Request` could be made from it. */
export type Caller = Pick<Request, 'method' | 'headers'>

export type Gate = {
  /**
   * The principal of a caller; null without credentials. Rejects invalid credentials.
   * `beforeLookup` may throw to prevent that the database is asked.
   */
  identify(caller: Caller, beforeLookup?: () => void): Principal | null | Promise<Principal | null>
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
  /** Absent: requests are not traced. */
  readonly tracing?: Pick<Tracing, 'run' | 'isSampled'> | null | undefined
  /** Absent: requests are not logged. `ms` is until the answer begins. */
  readonly logAccess?: ((line: AccessLine) => void) | undefined
}

/** One request. `route` is the pattern of the path, as paths may hold secrets. */
export type AccessLine = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly account: string | null
  readonly requestId: string | null
  /** Of the answer's body; null for a stream. */
  readonly bytes: number | null
}

/** What the listening server knows about the connection of a request. */
export type Connections = {
  addressOf(request: Request): string
  /** Lets the connection be silent for this long before it is closed. */
  keepOpen(request: Request, seconds: number): void
  /** Whether its answer has been sent, body included, or its caller is gone. */
  isOver(request: Request): boolean
}

/** Limits of an address; `name` is the prefix of its bucket. */
export type Allowance = BucketLimits & { readonly name: string }

/** What a request without a key counts against, unless its operation says otherwise. */
export const keyless: Allowance = { name: 'ip', perMinute: 100, perDay: null }

/** Checks that the caller has a permission. Errors: `unauthorized`, `forbidden`. */
export function authorize(principal: Principal | null, scope: Scope | null, orScope = scope): void {
  if (scope === null || orScope === null) return
  if (!principal) throw new DomainError('unauthorized', 'An API key is required')
  if (!principal.scopes.has(scope) && !principal.scopes.has(orScope)) {
    throw new DomainError('forbidden', `This key lacks the permission ${scope}`)
  }
}

export function rateLimited({ resetAfterSeconds: retryAfterSeconds }: Admission): DomainError {
  return new DomainError('rate_limited', 'Too many requests', { retryAfterSeconds })
}
