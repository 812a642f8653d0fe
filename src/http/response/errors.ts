import { DomainError, type Reason } from '../../domain/error.ts'

type Row = { readonly status: number; readonly code: string }

const rows = {
  invalid_request: { status: 400, code: 'INVALID_REQUEST' },
  invalid_amount: { status: 400, code: 'INVALID_AMOUNT' },
  budget_exceeded: { status: 402, code: 'BUDGET_EXCEEDED' },
  unauthorized: { status: 401, code: 'UNAUTHORIZED' },
  forbidden: { status: 403, code: 'FORBIDDEN' },
  not_found: { status: 404, code: 'NOT_FOUND' },
  method_not_allowed: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  invalid_state: { status: 409, code: 'INVALID_STATE' },
  agent_mismatch: { status: 403, code: 'AGENT_MISMATCH' },
  mandate_not_active: { status: 409, code: 'MANDATE_NOT_ACTIVE' },
  mandate_currency_mismatch: { status: 409, code: 'MANDATE_CURRENCY_MISMATCH' },
  mandate_limit_exceeded: { status: 403, code: 'MANDATE_LIMIT_EXCEEDED' },
  mandate_not_found: { status: 404, code: 'mandate_not_found' },
  missing_field: { status: 400, code: 'missing_field' },
  invalid_field: { status: 400, code: 'invalid_field' },
  invalid_signer: { status: 400, code: 'invalid_signer' },
  missing_signature: { status: 400, code: 'missing_signature' },
  missing_reason: { status: 400, code: 'missing_reason' },
  invalid_signature: { status: 403, code: 'invalid_signature' },
  invalid_transition: { status: 409, code: 'invalid_transition' },
  limit_reached: { status: 409, code: 'LIMIT_REACHED' },
  already_credited: { status: 409, code: 'ALREADY_CREDITED' },
  credit_exceeded: { status: 409, code: 'CREDIT_EXCEEDED' },
  refund_not_proven: { status: 409, code: 'REFUND_NOT_PROVEN' },
  transfer_mismatch: { status: 409, code: 'TRANSFER_MISMATCH' },
  not_the_sender: { status: 403, code: 'NOT_THE_SENDER' },
  payment_reused: { status: 409, code: 'PAYMENT_REUSED' },
  idempotency_in_progress: { status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' },
  payload_too_large: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  idempotency_key_reused: { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' },
  rate_limited: { status: 429, code: 'RATE_LIMITED' },
  overloaded: { status: 503, code: 'SERVICE_UNAVAILABLE' },
  unavailable: { status: 503, code: 'SERVICE_UNAVAILABLE' },
  upstream_failed: { status: 502, code: 'UPSTREAM_FAILED' },
  upstream_unsupported: { status: 502, code: 'UPSTREAM_UNSUPPORTED' },
  upstream_timeout: { status: 504, code: 'UPSTREAM_TIMEOUT' },
} as const satisfies Record<Reason, Row>

/** How a family writes an error: `/api` bare, `/v1` in its wrapper, the tool server as JSON-RPC. */
export type ErrorShape = 'api' | 'v1' | 'rpc'

export function shapeAt(path: string): ErrorShape {
  if (path === '/agent-tools/mcp') return 'rpc'
  return path.startsWith('/v1/') ? 'v1' : 'api'
}

export function rowOf(reason: Reason): Row {
  return rows[reason]
}

export type ErrorAnswer = {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The answer to an error that is not a `DomainError`. */
export const unexpected = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side; quote the request id when you report it',
}

/** Errors other than `DomainError` get a fixed sentence: their own text is for the log. */
export function answerTo(error: unknown, shape: ErrorShape): ErrorAnswer {
  if (!(error instanceof DomainError)) {
    return {
      status: unexpected.status,
      body: errorText(unexpected, shape),
      headers: {},
    }
  }
  const row = rows[error.reason]
  const { message, details, retryAfterSeconds } = error
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }
  const challenge = row.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return {
    status: row.status,
    body: errorText({ ...row, message, details, retryAfterSeconds }, shape),
    headers: { ...error.headers, ...retryAfter, ...challenge },
  }
}

type ShownError = Row & {
  readonly message: string
  readonly details?: DomainError['details'] | undefined
  readonly retryAfterSeconds?: number | undefined
}

export function errorText(shown: ShownError, shape: ErrorShape): string {
  const { code, message, status, details, retryAfterSeconds } = shown
  const error = { code, message, status, ...(details ? { details } : {}) }
  if (shape === 'rpc') {
    // Models see messages, not headers.
    const withRetry = { ...error, retry_after_seconds: retryAfterSeconds }
    return JSON.stringify({ jsonrpc: '2.0', error: rpcError(withRetry), id: null })
  }
  return JSON.stringify(shape === 'api' ? { error } : { success: false, error })
}

/** Refuses a request whose message was not read. JSON-RPC leaves codes from -32000 to servers. */
function rpcError({ message, ...data }: { readonly message: string; readonly status: number }) {
  return { code: data.status < 500 ? -32_000 : -32_603, message, data }
}
