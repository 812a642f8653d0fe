import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
  ListToolsRequestSchema,
  type RequestId,
  RequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { DomainError } from '../../domain/error.ts'
import { isObject, type JsonObject } from '../../domain/json-text.ts'
import { readJson } from '../request/json.ts'
import { itemSources, memberSource } from '../request/json-source.ts'

/** The requests in a body, in their order. Notifications are left out: they ask for nothing. */
export type Asked = {
  readonly isBatch: boolean
  /** The number of messages, notifications included. */
  readonly count: number
  readonly requests: readonly Received[]
}

/** A request, or the refusal that is its only possible answer. */
export type Received = {
  readonly request: JSONRPCRequest | JSONRPCErrorResponse
  /** The exact text of a call's arguments: parsed numbers do not keep every digit. */
  argumentsText(): string
}

export type Unreadable = { readonly refusal: JSONRPCErrorResponse }

const mostMessages = 20
/** Requests of MCP 2026-07-28, which has no handshake, have this in `_meta`. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** Reads one JSON-RPC message or a batch of at most 20. */
export function readMessages(bytes: Uint8Array): Asked | Unreadable {
  let read: ReturnType<typeof readJson>
  try {
    read = readJson(bytes)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { refusal: errorTo(null, ErrorCode.ParseError, `Parse error: ${error.message}`) }
  }
  const { text, value } = read
  if (!Array.isArray(value))
    return { isBatch: false, count: 1, requests: received(value, () => text) }
  if (value.length === 0 || value.length > mostMessages)
    return { refusal: invalid(null, `a batch must have 1 to ${mostMessages} messages`) }
  const sources = itemSources(text)
  const requests = value.flatMap((message, n) => received(message, () => sources[n] ?? ''))
  return { isBatch: true, count: value.length, requests }
}

function received(message: unknown, text: () => string): readonly Received[] {
  return requestOf(message).map((request) => ({
    request,
    argumentsText: () => memberSource(memberSource(text(), 'params') ?? '{}', 'arguments') ?? '{}',
  }))
}

export function isRefusal(
  request: JSONRPCRequest | JSONRPCErrorResponse,
): request is JSONRPCErrorResponse {
  return 'error' in request
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string }
type Schema = {
  safeParse(
    value: unknown,
  ): { success: true } | { success: false; error: { readonly issues: readonly Issue[] } }
}

/** Checked here, because the SDK would report a misfit as an internal error. */
const schemas = new Map<string, Schema>([
  ['initialize', InitializeRequestSchema],
  ['tools/list', ListToolsRequestSchema],
  ['tools/call', CallToolRequestSchema],
])

function requestOf(message: unknown): readonly (JSONRPCRequest | JSONRPCErrorResponse)[] {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return [invalid(null, 'a message must be an object')]
  const { jsonrpc, id, method, params } = message as Record<string, unknown>
  const knownId = isId(id) ? id : null
  if (jsonrpc !== '2.0') return [invalid(knownId, 'jsonrpc must be "2.0"')]
  if (method === undefined && ('result' in message || 'error' in message)) return []
  if (typeof method !== 'string') return [invalid(knownId, 'method must be a text')]
  if (id === undefined) return []
  if (knownId === null) return [invalid(null, 'id must be a text or an integer')]
  const request = { jsonrpc, id: knownId, method, ...(params !== undefined && { params }) }
  const isModernInitialize = method === 'initialize' && versionKey in metaOf(params)
  const schema: Schema = (!isModernInitialize && schemas.get(method)) || RequestSchema
  const parsed = schema.safeParse(request)
  const [issue] = parsed.success ? [] : parsed.error.issues.filter(isOfRequest)
  if (!issue) return [request as JSONRPCRequest]
  const problem = `${issue.path.join('.')}: ${issue.message}`
  return [errorTo(knownId, ErrorCode.InvalidParams, `Invalid params: ${problem}`)]
}

/** Arguments of the wrong kind are the tool's to refuse, in words that a model can act upon. */
function isOfRequest({ path }: Issue): boolean {
  return path.join('.') !== 'params.arguments'
}

export function metaOf(params: unknown): JsonObject {
  return isObject(params) && isObject(params._meta) ? params._meta : {}
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function invalid(id: RequestId | null, problem: string): JSONRPCErrorResponse {
  return errorTo(id, ErrorCode.InvalidRequest, `Invalid request: ${problem}`)
}

// JSON-RPC wants null for an unknown id; the SDK's type allows only leaving it out.
export function errorTo(
  id: RequestId | null,
  code: number,
  message: string,
  data?: object,
): JSONRPCErrorResponse {
  const error = { code, message, ...(data && { data }) }
  return { jsonrpc: '2.0', error, id: id as RequestId }
}
