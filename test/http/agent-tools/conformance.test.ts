import { expect, test } from 'bun:test'
import { mcpPath } from '../../support/mcp.ts'
import { useWorld } from '../../support/world.ts'

/** The official MCP conformance scenarios, run by their own runner. */

const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
const runner = Bun.fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'),
)

const { app } = useWorld({ env: { ROLE: 'http' } })

test.each(scenarios)('the official conformance suite passes %s', async (scenario) => {
  const url = app.url.replace('127.0.0.1', 'localhost') + mcpPath
  const command = [process.execPath, runner, 'server', '--url', url, '--scenario', scenario]
  const run = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [code, said] = await Promise.all([run.exited, new Response(run.stdout).text()])
  expect([code, said]).toEqual([0, expect.stringContaining('0 failed')])
})
