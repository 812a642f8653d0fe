import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { nextAddress } from './addresses.ts'
import type { Answer, TestApp } from './app.ts'

export const mcpPath = '/agent-tools/mcp'

/** A POST as curl would send it, a content type and nothing else, from an address of its own (with TRUST_PROXY). */
export function post(
  app: TestApp,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return app.keyless('POST', mcpPath, body, { 'x-forwarded-for': nextAddress(), ...headers })
}

/** One JSON-RPC request. */
export function rpc(
  app: TestApp,
  method: string,
  params?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(app, { jsonrpc: '2.0', id: 1, method, params }, headers)
}

/** The result of a tool call. */
// biome-ignore lint/suspicious/noExplicitAny: results of every shape
export async function callTool(app: TestApp, name: string, args: object = {}): Promise<any> {
  return (await rpc(app, 'tools/call', { name, arguments: args })).json.result
}

/** What the official client checks results with. */
export function validatorOf(schema: Tool['outputSchema']) {
  type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0]
  return new AjvJsonSchemaValidator().getValidator(schema as Schema)
}
