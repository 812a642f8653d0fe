/** What the service refused, or could not do. */
export class QuittanceError extends Error {
  /** Stable, to be compared: `INVALID_AMOUNT`. `HTTP_502` and the like where somebody else answered. */
  readonly code: string
  readonly status: number
  /** Names the request in the logs of the service. */
  readonly requestId: string | null
  /** The fields at fault, or the numbers behind a refusal. */
  readonly details: unknown
  /** The whole answer: its JSON, or its text where it is none. */
  readonly body: unknown

  constructor(response: Response, text: string) {
    const body = parsed(text)
    const { code, message, details } = complaintOf(body)
    super(message ?? `The service answered ${response.status}`)
    this.name = 'QuittanceError'
    this.code = code ?? `HTTP_${response.status}`
    this.status = response.status
    this.requestId = response.headers.get('x-request-id')
    this.details = details
    this.body = body
  }
}

type Complaint = { readonly code?: string; readonly message?: string; readonly details?: unknown }

/** The error object of any of our families, or nothing. */
function complaintOf(body: unknown): Complaint {
  const { error } = (body ?? {}) as { readonly error?: (Complaint & ToolServers) | string }
  if (typeof error === 'string') return { message: error }
  if (typeof error !== 'object' || error === null) return {}
  const { message, data } = error
  return data ? { ...data, ...(message !== undefined && { message }) } : error
}

/** JSON-RPC has numbers for codes: ours, and what goes with it, the tool server tells beside. */
type ToolServers = { readonly data?: Omit<Complaint, 'message'> }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
