import { expect } from 'bun:test'
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import * as current from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { mcpPath } from '../support/mcp.ts'
import { useWorld } from '../support/world.ts'
import { sectionOf } from './report.ts'

/** MCP clients that others wrote list tools, call them, and hear what is wrong with a call. */

const { tries, writes } = sectionOf('Clients of the tool server')
const { app } = useWorld({ env: { ROLE: 'http' } })
const url = () => new URL(mcpPath, app.url.replace('127.0.0.1', 'localhost'))

const free = 'service_get_pricing'
const strict = 'service_query_mandate'
const wrong = { mandate_id: 'no such id' }
const info = { name: 'test', version: '1.0.0' }

/** As the official clients of either generation have it. */
type Caller = {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

async function expectServed(client: Caller): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain(free)
  const priced = await client.callTool({ name: free, arguments: {} })
  expect(priced).toMatchObject({ content: [{ type: 'text' }] })
  expect(priced).not.toHaveProperty('isError', true)
  expect(await client.callTool({ name: strict, arguments: wrong })).toHaveProperty('isError', true)
  await client.close()
}

tries(
  'C10',
  '@modelcontextprotocol/sdk',
  'lists tools, calls one, hears of a bad argument',
  async () => {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(url()) as never)
    await expectServed(client as Caller)
  },
)

for (const [mode, told] of [['legacy', '2025-11-25']] as const) {
  const chosen = `in its mode \`${mode}\``
  tries(
    'C10',
    '@modelcontextprotocol/client',
    `${chosen}: speaks ${told}, lists tools, calls one, hears of a bad argument`,
    async () => {
      const client = new current.Client(info, { versionNegotiation: { mode } })
      await client.connect(new current.StreamableHTTPClientTransport(url()))
      expect(client.getNegotiatedProtocolVersion()).toBe(told)
      await expectServed(client as Caller)
    },
  )
}

tries('C10', '@ai-sdk/mcp', 'lists tools, calls one, hears of a bad argument', async () => {
  const client = await createMCPClient({ transport: { type: 'http', url: url().href } })
  const tools = await client.tools()
  const call = (name: string, args: object) =>
    tools[name]?.execute?.(args, { toolCallId: '1', messages: [], context: {} } as never)
  expect(await call(free, {})).toMatchObject({ content: [{ type: 'text' }] })
  expect(await call(strict, wrong)).toHaveProperty('isError', true)
  await client.close()
})

tries(
  'C10',
  '@langchain/mcp-adapters',
  'lists tools, calls one, hears of a bad argument',
  async () => {
    const client = new MultiServerMCPClient({ quittance: { transport: 'http', url: url().href } })
    const tools = await client.getTools()
    const tool = (name: string) => tools.find((found) => found.name === name)
    expect(JSON.stringify(await tool(free)?.invoke({}))).toContain('service_create_invoice')
    // Its way to give a tool's error to the model.
    const refused = await tool(strict)
      ?.invoke(wrong)
      .catch((error) => error)
    expect(refused).toHaveProperty('name', 'ToolException')
    await client.close()
  },
)

const runner = Bun.fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
for (const [revision, scenarios] of [
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']],
] as const)
  for (const scenario of scenarios)
    tries('C10', '@modelcontextprotocol/conformance', `${revision}: \`${scenario}\``, async () => {
      const options = ['--url', url().href, '--spec-version', revision, '--scenario', scenario]
      const run = Bun.spawn([process.execPath, runner, 'server', ...options], {
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [code, said] = await Promise.all([run.exited, run.stdout.text()])
      expect([code, said]).toEqual([0, expect.stringContaining('0 failed')])
    })

writes()
