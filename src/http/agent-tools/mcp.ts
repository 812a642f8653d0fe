import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { Elysia } from 'elysia'
import manifest from '../../../package.json' with { type: 'json' }
import { DomainError, invalidField } from '../../domain/error.ts'
import { isObject, type JsonObject } from '../../domain/json-text.ts'
import { type Allowance, type Gate, keyless } from '../admission/gate.ts'
import { type Answer, type Call, type Operations, unparsed } from '../operation.ts'
import { readBytes } from '../request/body.ts'
import { withoutNulls } from '../request/null-members.ts'
import { check } from '../request/validation.ts'
import * as Docs from './docs.ts'
import type { HostCheck } from './hosts.ts'
import { createMcpServer, type McpServer, RpcError } from './mcp-server.ts'
import { errorTo, isRefusal, type Received, readMessages } from './messages.ts'
import { discovery, isModern, modernAnswer, modernVersion, refusalOf } from './modern.ts'
import { type AgentTool, failure } from './tool.ts'

export type McpParts = {
  readonly log: Gate['log']
  readonly checkHost: HostCheck
  readonly tools: readonly AgentTool[]
}

const info = { name: manifest.name, title: 'Quittance', version: manifest.version }
const instructions =
  'Invoices and agreements between agents, settled in USDC. Start with service_get_pricing. Paid tools answer a first call with a payment ' +
  'requirement (x402): pay it, and call again with x_payment.'

/** The route of the tool server (contract §12). */
export function mcpRoute(operation: Operations, { log, checkHost, tools }: McpParts) {
  const byName = new Map(tools.map((tool) => [tool.shown.name, tool]))
  const shown = tools.map((tool) => tool.shown)
  const server = createMcpServer({ info, instructions, tools: shown, call })
  return new Elysia().post(
    '/agent-tools/mcp',
    operation({ scope: null, keylessAllowance, docs: Docs.callTool }, async (call) => {
      checkHost(call.request)
      return serve(call, server)
    }),
    unparsed,
  )

  async function call(
    { name, arguments: sent, _meta }: CallToolRequest['params'],
    { keepOpen, ...visit }: Visit,
  ): Promise<CallToolResult> {
    const found = byName.get(name)
    if (!found) throw new RpcError(ErrorCode.InvalidParams, `There is no tool ${name.slice(0, 64)}`)
    try {
      if (sent === undefined && !/^\s*\{/.test(visit.argumentsText()))
        throw invalidField('arguments', 'must be an object')
      const args = withoutNulls(found.input, (sent ?? {}) as JsonObject)
      check(found.input, args)
      if (found.maxSeconds) keepOpen(found.maxSeconds)
      const payment = _meta?.['x402/payment']
      return await found.run(args, { ...visit, payment })
    } catch (error) {
      if (error instanceof RpcError) throw error
      return refuse(error, name, visit.requestId)
    }
  }

  /** The result of a failed call. An unexpected error is internal, and its text is not shown. */
  function refuse(error: unknown, tool: string, requestId: string): CallToolResult {
    if (error instanceof DomainError) {
      const { reason, operatorText: detail } = error
      if (detail) log.warn({ requestId, tool, reason, detail }, 'tool call refused')
      return failure(error)
    }
    log.error({ requestId, tool, err: error }, 'tool call failed')
    throw new RpcError(ErrorCode.InternalError, `Something went wrong on our side: ${requestId}`)
  }
}

type Visit = Pick<Call, 'requestId' | 'keepOpen' | 'admitKey'> & Pick<Received, 'argumentsText'>

async function serve(call: Call, server: McpServer<Visit>): Promise<Answer> {
  const { headers } = call.request
  const asked = readMessages(await readBytes(call.request))
  if ('refusal' in asked) return answer(400, asked.refusal)
  const { requests, isBatch, count } = asked
  if (count > 1) await call.charge(count - 1)
  const calls = requests.filter(({ request }) => !('method' in request && isFree(request)))
  if (calls.length > 0) await call.charge(calls.length, keyless)
  const [first] = requests
  if (!first) return { status: 202, body: null }
  const { requestId, keepOpen, admitKey } = call
  const serveOne = async ({ request, argumentsText }: Received) =>
    isRefusal(request)
      ? request
      : server(plain(request), { requestId, keepOpen, admitKey, argumentsText })
  if (isBatch) {
    if (requests.some(({ request }) => !isRefusal(request) && isModern(request, headers)))
      return answer(400, errorTo(null, ErrorCode.InvalidRequest, 'A batch must be older'))
    checkVersion(headers)
    return answer(200, await Promise.all(requests.map(serveOne)))
  }
  if (!isRefusal(first.request) && isModern(first.request, headers))
    return serveModern(first.request, headers, () => serveOne(first))
  checkVersion(headers)
  const one = await serveOne(first)
  const isInvalid = 'error' in one && one.error.code === ErrorCode.InvalidRequest
  return answer(isInvalid ? 400 : 200, one)
}

async function serveModern(
  request: JSONRPCRequest,
  headers: Headers,
  serveOne: () => Promise<JSONRPCMessage>,
): Promise<Answer> {
  const refused = refusalOf(request, headers)
  if (refused) return answer(refused.status, refused.message)
  const isDiscovery = request.method === 'server/discover'
  const said = isDiscovery ? discovery(request, instructions) : await serveOne()
  return answer(200, modernAnswer(said, request, info))
}

/** Reading what there is has a window of its own, apart from calls. */
const keylessAllowance: Allowance = { name: 'tools', perMinute: 600, perDay: null }
const freeMethods = ['initialize', 'ping', 'server/discover', 'tools/list']

function isFree({ method }: JSONRPCRequest): boolean {
  return freeMethods.includes(method)
}

/** Without arguments that are no object: the SDK would take them for a fault of the protocol. */
function plain(request: JSONRPCRequest): JSONRPCRequest {
  const { arguments: sent, ...params } = request.params ?? {}
  return sent === undefined || isObject(sent) ? request : { ...request, params }
}

function answer(status: number, message: object): Answer {
  return { status, body: JSON.stringify(message) }
}

function checkVersion(headers: Headers): void {
  const version = headers.get('mcp-protocol-version')
  const known = [modernVersion, ...SUPPORTED_PROTOCOL_VERSIONS]
  if (version !== null && !known.includes(version)) {
    const problem = `MCP-Protocol-Version must be one of ${known.join(', ')}`
    throw new DomainError('invalid_request', problem)
  }
}
