/** Every reason for a refusal. `http/response/errors.ts` has a row for each. */
const reasons = [
  'invalid_request',
  'invalid_amount',
  'budget_exceeded',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'invalid_state',
  'agent_mismatch',
  'mandate_not_active',
  'mandate_currency_mismatch',
  'mandate_limit_exceeded',
  'mandate_not_found',
  'missing_field',
  'invalid_field',
  'invalid_signer',
  'missing_signature',
  'missing_reason',
  'invalid_signature',
  'invalid_transition',
  'limit_reached',
  'already_credited',
  'credit_exceeded',
  'refund_not_proven',
  'transfer_mismatch',
  'not_the_sender',
  'payment_reused',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'overloaded',
  'unavailable',
  'upstream_failed',
  'upstream_timeout',
  'upstream_unsupported',
] as const

export type Reason = (typeof reasons)[number]

/** One problem with one field; `path` names the field, parameter or header. */
export type Detail = { readonly path: string; readonly message: string }

/** What is behind a refusal, for programs. */
export type Facts = Readonly<
  Record<string, Fact | readonly Readonly<Record<string, Fact | readonly string[]>>[]>
>

type Fact = string | number | boolean | null

type Extra = {
  readonly details?: readonly Detail[] | Facts | undefined
  /** For operators only: logged, never sent. */
  readonly operatorText?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A refusal with a defined answer: `message` is for the caller, `operatorText` for operators. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly reason: Reason
  readonly details: readonly Detail[] | Facts | undefined
  readonly operatorText: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(reason: Reason, message: string, extra: Extra = {}) {
    super(message)
    this.reason = reason
    this.details = extra.details
    this.operatorText = extra.operatorText
    this.retryAfterSeconds = extra.retryAfterSeconds
    this.headers = extra.headers
  }
}

/** What is wrong with a deployment, and what its operator can do about it. */
export class OperatorError extends Error {
  constructor(
    readonly detail: string,
    readonly remedy: string,
  ) {
    super(`${detail}: ${remedy}`)
  }
}

/** Whether an error is a refusal for one of these reasons. */
export function hasReason(error: unknown, ...reasons: readonly Reason[]): boolean {
  return error instanceof DomainError && reasons.includes(error.reason)
}

/** The `not_found` of a thing that is missing or another account's: `noSuch('invoice')`. */
export function noSuch(thing: string): DomainError {
  return new DomainError('not_found', `No such ${thing}`)
}

/** An `invalid_request` that names the one field that is wrong. */
export function invalidField(path: string, message: string): DomainError {
  return invalidFields([path], message)
}

/** An `invalid_request` that names every field with the same problem, at least one. */
export function invalidFields(paths: readonly string[], message: string): DomainError {
  return invalidDetails(paths.map((path) => ({ path, message })))
}

/** An `invalid_request` that says of every field what is wrong with it, at least one. */
export function invalidDetails(details: readonly Detail[]): DomainError {
  const [first] = details
  return new DomainError('invalid_request', `${first?.path}: ${first?.message}`, { details })
}

/** The same refusal with more facts and headers, which replace a list of wrong fields. */
export function withFacts(
  error: DomainError,
  facts: Facts,
  headers: Extra['headers'] = {},
): DomainError {
  const details = { ...(Array.isArray(error.details) ? {} : error.details), ...facts }
  const { operatorText, retryAfterSeconds } = error
  return new DomainError(error.reason, error.message, {
    details,
    operatorText,
    retryAfterSeconds,
    headers: { ...error.headers, ...headers },
  })
}
