import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { Elysia } from 'elysia'
import { DomainError } from '../../domain/error.ts'
import type { JsonObject } from '../../domain/json-text.ts'
import type { Gate } from '../admission/gate.ts'
import { type Answer, type Call, type Operations, unparsed } from '../operation.ts'
import { readBytes } from '../request/body.ts'
import { withoutNulls } from '../request/null-members.ts'
import { check } from '../request/validation.ts'
import * as Docs from './docs.ts'
import type { HostCheck } from './hosts.ts'
import { createMcpServer, type McpServer, RpcError } from './mcp-server.ts'
import { isRefusal, type Received, readMessages } from './messages.ts'
import { type AgentTool, failure } from './tool.ts'

export type McpParts = {
  readonly log: Gate['log']
  readonly checkHost: HostCheck
  readonly tools: readonly AgentTool[]
}

const instructions =
  'Invoices and agreements between agents, settled in USDC. Start with service_get_pricing. Paid tools answer a first call with a payment ' +
  'requirement (x402): pay it, and call again with x_payment.'

/** The route of the tool server (contract §12). */
export function mcpRoute(operation: Operations, { log, checkHost, tools }: McpParts) {
  const byName = new Map(tools.map((tool) => [tool.shown.name, tool]))
  const shown = tools.map((tool) => tool.shown)
  const server = createMcpServer({ instructions, tools: shown, call })
  return new Elysia().post(
    '/agent-tools/mcp',
    operation({ scope: null, docs: Docs.callTool }, async (call) => {
      checkHost(call.request)
      checkVersion(call.request)
      return serve(call, server)
    }),
    unparsed,
  )

  async function call(
    { name, arguments: sent = {}, _meta }: CallToolRequest['params'],
    { keepOpen, ...visit }: Visit,
  ): Promise<CallToolResult> {
    const found = byName.get(name)
    if (!found) throw new RpcError(ErrorCode.InvalidParams, `There is no tool ${name.slice(0, 64)}`)
    try {
      const args = withoutNulls(found.input, sent as JsonObject)
      checkArguments(found, args)
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
  const asked = readMessages(await readBytes(call.request))
  if ('refusal' in asked) return answer(400, asked.refusal)
  if (asked.count > 1) await call.charge(asked.count - 1)
  const { requests, isBatch } = asked
  const [first] = requests
  if (!first) return { status: 202, body: null }
  const { requestId, keepOpen, admitKey } = call
  const serveOne = ({ request, argumentsText }: Received) =>
    isRefusal(request) ? request : server(request, { requestId, keepOpen, admitKey, argumentsText })
  if (isBatch) return answer(200, await Promise.all(requests.map(serveOne)))
  const one = await serveOne(first)
  const isInvalid = 'error' in one && one.error.code === ErrorCode.InvalidRequest
  return answer(isInvalid ? 400 : 200, one)
}

function answer(status: number, message: JSONRPCMessage | readonly JSONRPCMessage[]): Answer {
  return { status, body: JSON.stringify(message) }
}

function checkVersion({ headers }: Request): void {
  const version = headers.get('mcp-protocol-version')
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
    throw new DomainError('invalid_request', `MCP-Protocol-Version must be one of ${known}`)
  }
}

function checkArguments({ input, shown }: AgentTool, args: unknown): void {
  try {
    check(input, args)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const problem = `Invalid arguments for ${shown.name}: ${error.message}`
    throw new RpcError(ErrorCode.InvalidParams, problem, { details: error.details })
  }
}
