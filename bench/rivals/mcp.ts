/** The servers `bench/mcp.ts` compares with: `bun bench/rivals/mcp.ts plain|per-request` prints its port. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { z } from 'zod'
import { agentTools, type ToolParts } from '../../src/http/agent-tools/tools.ts'

// The tool that is called needs none of its parts.
const tools = agentTools(() => ({}) as ToolParts)
const byName = new Map(tools.map((tool) => [tool.shown.name, tool]))
const app = new Elysia({ normalize: false })
if (process.argv[2] === 'plain') plain()
else perRequest()
app.listen({ port: 0, hostname: '127.0.0.1' })
console.log(app.server?.port)

/** What no protocol at all would cost: Elysia parses, validates, and stringifies the same answer. */
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

/** Schemas as the SDK wants them, roughly what the tools have. */
const schemas = new Map(
  tools.map(({ shown }) => {
    const properties = Object.keys(shown.inputSchema.properties ?? {})
    return [shown.name, Object.fromEntries(properties.map((name) => [name, z.string().optional()]))]
  }),
)
const output = {
  section_id: z.literal('pricing'),
  version: z.string(),
  model: z.string(),
  tiers: z.array(z.looseObject({ name: z.string(), requests_per_minute: z.number() })),
  tools: z.array(z.looseObject({ name: z.string(), price: z.string() })),
}

/** The SDK's pattern for servers without sessions: a server and a transport for every request. */
function perRequest(): void {
  app.post(
    '/agent-tools/mcp',
    async ({ request }) => {
      const server = new McpServer({ name: 'rival', version: '1' })
      for (const { shown } of tools)
        server.registerTool(
          shown.name,
          {
            description: shown.description ?? '',
            inputSchema: schemas.get(shown.name) ?? {},
            outputSchema: output,
          },
          () => call({ name: shown.name }),
        )
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      // The SDK's own types disagree about an optional session id.
      await server.connect(transport as Parameters<typeof server.connect>[0])
      return transport.handleRequest(request)
    },
    { parse: 'none' },
  )
}

async function call({ name, arguments: args }: { name: string; arguments?: object }) {
  const tool = byName.get(name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool.run(args, { requestId: '' })
}
