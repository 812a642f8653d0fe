import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import * as current from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Glob } from 'bun'
import { mcpPath } from '../support/mcp.ts'
import { useWorld } from '../support/world.ts'
import { sectionOf } from './report.ts'

/** MCP clients that others wrote list tools, call them, and hear what is wrong with a call. */

const { tries, writes } = sectionOf('Clients of the tool server')
const { app } = useWorld({ env: { ROLE: 'http' } })
const url = () => new URL(mcpPath, app.url.replace('127.0.0.1', 'localhost'))

const free = 'service_get_pricing'
const strict = 'service_query_mandate'
const wrongs = [{ mandate_id: 'no such id' }, { mandate_id: 5 }, {}]
const [wrong = {}] = wrongs
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
  for (const wrong of wrongs)
    expect(await client.callTool({ name: strict, arguments: wrong })).toHaveProperty(
      'isError',
      true,
    )
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

for (const [mode, told] of [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  [{ pin: '2026-07-28' }, '2026-07-28'],
] as const) {
  const chosen = typeof mode === 'string' ? `in its mode \`${mode}\`` : `pinned to ${mode.pin}`
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

type Check = { readonly status: string; readonly errorMessage?: string }

/** Where a scenario checks what the service does not have. */
const aside: Readonly<Record<string, { readonly told: string; readonly error: RegExp }>> = {
  'server-stateless': {
    told: 'but for checks with tools that only test servers have',
    error: /^Not testable: server does not list the diagnostic tool/,
  },
  caching: {
    told: 'but for prompts and resources, of which there are none',
    error: /^(prompts|resources)\/\S+ returned JSON-RPC error -32601: Method not found$/,
  },
}

const runner = Bun.fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
for (const [revision, scenarios] of [
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']],
  [
    '2026-07-28',
    [
      'server-stateless',
      'tools-list',
      'caching',
      'http-header-validation',
      'dns-rebinding-protection',
    ],
  ],
] as const)
  for (const scenario of scenarios) {
    const { told, error } = aside[scenario] ?? {}
    const tried = `${revision}: \`${scenario}\`${told ? `, ${told}` : ''}`
    tries('C10', '@modelcontextprotocol/conformance', tried, async () => {
      const checks = await checksOf(revision, scenario)
      expect(checks.length).toBeGreaterThan(0)
      const failed = checks.filter(({ status }) => status === 'FAILURE')
      expect(failed.filter(({ errorMessage = '' }) => !error?.test(errorMessage))).toEqual([])
    })
  }

writes()

async function checksOf(revision: string, scenario: string): Promise<readonly Check[]> {
  const directory = mkdtempSync(join(tmpdir(), 'quittance-mcp-'))
  try {
    const wanted = ['--url', url().href, '--spec-version', revision, '--scenario', scenario]
    const command = [process.execPath, runner, 'server', ...wanted, '-o', directory]
    await Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' }).exited
    const [file = ''] = new Glob('**/checks.json').scanSync(directory)
    return await Bun.file(join(directory, file)).json()
  } finally {
    rmSync(directory, { recursive: true })
  }
}
