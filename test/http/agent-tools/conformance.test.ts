import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { mcpPath } from '../../support/mcp.ts'

/** The official MCP conformance scenarios, run by their own runner. */

const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
const runner = Bun.fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'),
)

let app: TestApp

beforeAll(async () => {
  app = await testApp({ ROLE: 'http' })
})
afterAll(() => app.stop())

describe('the official conformance suite', () => {
  test.each(scenarios)('passes %s', async (scenario) => {
    const url = app.url.replace('127.0.0.1', 'localhost') + mcpPath
    const run = Bun.spawn(
      [process.execPath, runner, 'server', '--url', url, '--scenario', scenario],
      { stdout: 'pipe', stderr: 'pipe' },
    )
    const [code, said] = await Promise.all([run.exited, new Response(run.stdout).text()])
    expect([code, said]).toEqual([0, expect.stringContaining('0 failed')])
  })
})
