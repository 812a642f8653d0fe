/**
 * The servers `bench/mcp.ts` compares with. `bun bench/rivals/mcp.ts plain|per-request|thrifty`
 * prints its port.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { agentTools, type ToolParts } from '../../src/http/agent-tools/tools.ts'
import { toolSchemas } from './mcp-schemas.ts'

// The tool that the benchmark calls uses none of its parts.
const tools = agentTools({} as ToolParts)
const byName = new Map(tools.map((tool) => [tool.shown.name, tool]))
const app = new Elysia({ normalize: false })
const once = toolSchemas()
if (process.argv[2] === 'plain') plain()
else perRequest(process.argv[2] === 'thrifty' ? () => once : toolSchemas)
app.listen({ port: 0, hostname: '127.0.0.1' })
console.log(app.server?.port)

/** The cost without any protocol: Elysia parses, validates, and stringifies the same answer. */
function plain(): void {
  const params = Type.Object({ name: Type.String(), arguments: Type.Object({}) })
  const body = Type.Object({
    jsonrpc: Type.Literal('2.0'),
    id: Type.Number(),
    method: Type.String(),
    params,
  })
  app.post(
    '/agent-tools/mcp',
    async ({ body: { id, params } }) => {
      const result = await call(params)
      return new Response(JSON.stringify({ result, jsonrpc: '2.0', id }), {
        headers: { 'content-type': 'application/json' },
      })
    },
    { body },
  )
}

/**
 * As in the SDK's example: a server with all its tools, and a transport, for every request. The
 * `thrifty` variant makes the schemas once.
 */
function perRequest(schemas: () => ReturnType<typeof toolSchemas>): void {
  app.post(
    '/agent-tools/mcp',
    async ({ request }) => {
      const server = new McpServer({ name: 'rival', version: '1' })
      const shapes = schemas()
      for (const { shown } of tools) {
        const { name, description = '' } = shown
        server.registerTool(name, { description, ...shapes[name] }, () => call({ name }))
      }
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      // The SDK's own types disagree about an optional session id.
      await server.connect(transport as Parameters<typeof server.connect>[0])
      return transport.handleRequest(request)
    },
    { parse: 'none' },
  )
}

const noKey = () => Promise.reject(new Error('the tool that is called takes no key'))

async function call({ name, arguments: args }: { name: string; arguments?: object }) {
  const tool = byName.get(name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool.run(args, { requestId: '', argumentsText: () => '{}', admitKey: noKey })
}
