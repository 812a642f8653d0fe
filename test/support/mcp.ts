import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { nextAddress } from './addresses.ts'
import type { Answer, TestApp } from './app.ts'

export const mcpPath = '/agent-tools/mcp'

/** As plain curl would, from a client address of its own. */
export function post(
  app: TestApp,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return app.keyless('POST', mcpPath, body, { 'x-forwarded-for': nextAddress(), ...headers })
}

export function rpc(
  app: TestApp,
  method: string,
  params?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(app, { jsonrpc: '2.0', id: 1, method, params }, headers)
}

// biome-ignore lint/suspicious/noExplicitAny: results of every shape
export async function callTool(app: TestApp, name: string, args: object = {}): Promise<any> {
  return (await rpc(app, 'tools/call', { name, arguments: args })).json.result
}

/** As the official client checks a tool's results. */
export function validatorOf(schema: Tool['outputSchema']) {
  type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0]
  return new AjvJsonSchemaValidator().getValidator(schema as Schema)
}
