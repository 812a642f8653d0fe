/** An error answer of the service, or of a proxy in front of it. */
export class QuittanceError extends Error {
  /**
   * A stable code to compare with, such as `INVALID_AMOUNT`; `HTTP_502` and the like if the answer
   * is not the service's own.
   */
  readonly code: string
  readonly status: number
  /** Identifies the request in the service's logs. */
  readonly requestId: string | null
  /** The invalid fields, or the numbers behind a refusal. */
  readonly details: unknown
  /** The whole answer: its JSON, or its text if it is not JSON. */
  readonly body: unknown

  constructor(response: Response, text: string) {
    const body = parsed(text)
    const { code, message, details } = errorBodyOf(body)
    super(message ?? `The service answered ${response.status}`)
    this.name = 'QuittanceError'
    this.code = code ?? `HTTP_${response.status}`
    this.status = response.status
    this.requestId = response.headers.get('x-request-id')
    this.details = details
    this.body = body
  }
}

type ErrorBody = { readonly code?: string; readonly message?: string; readonly details?: unknown }

/** The error object in any family's error answer; empty if there is none. */
function errorBodyOf(body: unknown): ErrorBody {
  const { error, x402Version, details } = (body ?? {}) as Answered
  // A demand for payment is as x402 v1 writes it.
  if (typeof error === 'string')
    return { message: error, ...(x402Version && { code: 'PAYMENT_REQUIRED', details }) }
  if (typeof error !== 'object' || error === null) return {}
  const { message, data } = error
  return data ? { ...data, ...(message !== undefined && { message }) } : error
}

type Answered = {
  readonly error?: (ErrorBody & ToolServerError) | string
  readonly x402Version?: number
  readonly details?: unknown
}

/** JSON-RPC codes are numbers, so the tool server puts our code and its details in `data`. */
type ToolServerError = { readonly data?: Omit<ErrorBody, 'message'> }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
