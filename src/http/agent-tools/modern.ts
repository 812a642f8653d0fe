import {
  ErrorCode,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../../domain/json-text.ts'
import { errorTo, metaOf, versionKey } from './messages.ts'

/**
 * MCP 2026-07-28: no handshake; each request says in `_meta` which revision it means, and repeats
 * what matters in headers. Older revisions have no such `_meta`.
 */
export const modernVersion = '2026-07-28'

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const serverKey = 'io.modelcontextprotocol/serverInfo'
const headerMismatch = -32_020
const unsupportedVersion = -32_022
const methods = ['server/discover', 'tools/list', 'tools/call']
/** Tools change with a release. */
const cacheable = { ttlMs: 300_000, cacheScope: 'public' }

/** Whether a request means the modern revision, or one that is named in the modern way. */
export function isModern({ params }: JSONRPCRequest, headers: Headers): boolean {
  return versionKey in metaOf(params) || headers.get('mcp-protocol-version') === modernVersion
}

/** What a modern request gets instead of an answer, with its HTTP status; null: it is served. */
export function refusalOf(
  { id, method, params }: JSONRPCRequest,
  headers: Headers,
): { readonly status: 400 | 404; readonly message: JSONRPCErrorResponse } | null {
  const refuse = (code: number, problem: string, data?: object) => ({
    status: 400 as const,
    message: errorTo(id, code, problem, data),
  })
  const meta = metaOf(params)
  const version = meta[versionKey]
  const said = headers.get('mcp-protocol-version')
  if (typeof version !== 'string' || !isObject(meta[capabilitiesKey]))
    return refuse(ErrorCode.InvalidParams, `_meta needs ${versionKey} and ${capabilitiesKey}`)
  if (said !== version)
    return refuse(headerMismatch, `MCP-Protocol-Version must be ${version}, as in _meta`)
  if (version !== modernVersion) {
    const data = { supported: [modernVersion], requested: version }
    return refuse(unsupportedVersion, `Unsupported protocol version: ${version}`, data)
  }
  if (headers.get('mcp-method') !== method)
    return refuse(headerMismatch, 'Mcp-Method must be the method of the body')
  if (method === 'tools/call' && decoded(headers.get('mcp-name')) !== params?.name)
    return refuse(headerMismatch, 'Mcp-Name must be the name of the tool')
  if (methods.includes(method)) return null
  return { status: 404, message: errorTo(id, ErrorCode.MethodNotFound, 'Method not found') }
}

/** The answer of the older revisions' server as the modern one writes it. */
export function modernAnswer(answer: JSONRPCMessage, { method }: JSONRPCRequest, info: object) {
  if (!('result' in answer)) return answer
  const { _meta, ...result } = answer.result
  return {
    ...answer,
    result: {
      resultType: 'complete',
      ...result,
      ...(method === 'tools/call' ? {} : cacheable),
      _meta: { ..._meta, [serverKey]: info },
    },
  }
}

export function discovery({ id }: JSONRPCRequest, instructions: string): JSONRPCMessage {
  const capabilities = { tools: {} }
  return {
    jsonrpc: '2.0',
    id,
    result: { supportedVersions: [modernVersion], capabilities, instructions },
  }
}

/** Names that no header may hold come in base64. */
function decoded(name: string | null): string | undefined {
  const [, base64] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(name ?? '') ?? []
  return base64 === undefined ? (name ?? undefined) : Buffer.from(base64, 'base64').toString()
}
