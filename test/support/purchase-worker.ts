import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { type TestApp, testEnv } from './app.ts'
import type { EvmNode } from './evm-node.ts'
import { eventually } from './wait.ts'

/** Mines ten blocks and runs a worker that reads at `rpcUrl` until the purchase is settled. */
export async function settledByWorker(
  app: TestApp,
  node: EvmNode,
  id: string,
  rpcUrl = node.url,
): Promise<void> {
  const env = { ROLE: 'worker', BASE_RPC_URL: rpcUrl, BASE_POLL_MS: '50' }
  const worker = await startApp(readConfig(testEnv(app.database.url, env)), createLog('silent'))
  await node.mine(10)
  const invoice = async () => (await app.send('GET', `/api/invoices/${id}`)).json
  await eventually(async () => (await invoice()).status === 'settled')
  await worker.drain()
}
