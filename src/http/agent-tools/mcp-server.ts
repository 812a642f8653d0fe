import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  type ErrorCode,
  type Implementation,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ListToolsRequestSchema,
  type RequestId,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'

/** A refusal with a JSON-RPC code. The SDK's class for this repeats the code in the message. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: ErrorCode
  readonly data: unknown

  constructor(code: ErrorCode, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Answers one request by the SDK's own protocol. Never rejects. */
export type McpServer<Caller> = (request: JSONRPCRequest, caller: Caller) => Promise<JSONRPCMessage>

type Waiting<Caller> = {
  readonly id: RequestId
  readonly caller: Caller
  answer(message: JSONRPCMessage): void
}

/**
 * One SDK server for all requests. Clients may use the same ids, so each request gets an id of its
 * own and its client's id back. Notifications never get here: no client can cancel another's call.
 */
export function createMcpServer<Caller>(options: {
  readonly info: Implementation
  readonly instructions: string
  readonly tools: readonly Tool[]
  /** Runs a tool. Errors: `RpcError` only; the client would see the message of any other. */
  readonly call: (params: CallToolRequest['params'], caller: Caller) => Promise<CallToolResult>
}): McpServer<Caller> {
  const { info, instructions, tools, call } = options
  const waiting = new Map<RequestId, Waiting<Caller>>()
  let lastId = 0
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestId }) => {
    const { caller } = waiting.get(requestId) as Waiting<Caller>
    return call(params, caller)
  })
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      if (!('id' in message) || message.id === undefined) return
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      asked?.answer({ ...message, id: asked.id })
    },
  }
  void server.connect(transport)
  return (request, caller) =>
    new Promise((answer) => {
      const id = ++lastId
      waiting.set(id, { id: request.id, caller, answer })
      transport.onmessage?.({ ...request, ...plain(request), id })
    })
}

// A server without tasks runs such a call like any other; the SDK would call it an internal error.
function plain({ params }: JSONRPCRequest): Pick<JSONRPCRequest, 'params'> | undefined {
  if (params === undefined || !('task' in params)) return undefined
  const { task: _, ...rest } = params
  return { params: rest }
}
