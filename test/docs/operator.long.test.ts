import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testEnv } from '../support/app.ts'
import { printed, shellOf } from '../support/documentation.ts'
import { type DurablePostgres, startDurablePostgres } from '../support/durable-postgres.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { freePort } from '../support/free-port.ts'

/** The commands of the operators' quickstart, run as written. */

let node: EvmNode
let database: DurablePostgres
/** The folder for the files that the page leaves behind. */
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quittance-operator-'))
  node = await startEvmNode({ chainId: 8453, blockTimeSeconds: 1 })
  // The doctor would complain of a server that is not durable.
  database = await startDurablePostgres()
})
afterAll(async () => {
  await database.stop()
  await node.stop()
  rmSync(folder, { recursive: true })
})

test('operators: from who is paid to a healthy service and its end', async () => {
  const env = testEnv(database.url, {
    PORT: `${freePort()}`,
    TMPDIR: folder,
    BASE_RPC_URL: node.url,
    ANCHOR_RPC_URL: node.url,
    ANCHOR_PRIVATE_KEY: node.wallet(3).privateKey,
  })
  // If a command fails, the service must still be stopped.
  const commands = await shellOf('docs/quickstart-operator.md')
  // Node and npm fetch it where it is missing.
  expect(commands).not.toMatch(/\bbun\b/)
  const page = `trap 'kill $! 2> /dev/null || true' EXIT\n${commands}`
  const output = await printed(['sh', '-eu'], page, env)
  for (const said of [
    /✓ paid to: 0x[0-9a-f]{40} on base$/im,
    /^anchor contract 0x[0-9a-f]{40}$/im,
    /inv_[0-9a-f]{64}/,
    /✓ database: PostgreSQL/,
    /✓ anchor: /,
    /^base {5}0x[0-9a-f]{40} \(the service’s\)$/im,
    /name="operator"/,
    /^quittance_backlog_known 1$/m,
    /^base: read blocks 1 to 3, 0 new transfer\(s\)/m,
  ])
    expect(output).toMatch(said)
  expect(output).not.toContain('✗')
})
