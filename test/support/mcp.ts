import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { nextAddress } from './addresses.ts'
import type { Answer, TestApp } from './app.ts'

export const mcpPath = '/agent-tools/mcp'

/**
 * Posts as plain curl would, with only a content type, from a client address of its own (trusted
 * with TRUST_PROXY).
 */
export function post(
  app: TestApp,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return app.keyless('POST', mcpPath, body, { 'x-forwarded-for': nextAddress(), ...headers })
}

/** Sends one JSON-RPC request. */
export function rpc(
  app: TestApp,
  method: string,
  params?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(app, { jsonrpc: '2.0', id: 1, method, params }, headers)
}

/** Calls a tool and answers its result. */
// biome-ignore lint/suspicious/noExplicitAny: results of every shape
export async function callTool(app: TestApp, name: string, args: object = {}): Promise<any> {
  return (await rpc(app, 'tools/call', { name, arguments: args })).json.result
}

/**
 * The validator with which the official client checks a tool's results against its output schema.
 */
export function validatorOf(schema: Tool['outputSchema']) {
  type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0]
  return new AjvJsonSchemaValidator().getValidator(schema as Schema)
}
