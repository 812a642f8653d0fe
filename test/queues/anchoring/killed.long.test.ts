import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildTask, KillPoint } from './child.ts'
import { depth, runUntilDeep, type Stand, startStand } from './stand.ts'

/** The points from signing to recording, in their order. */
const points: readonly KillPoint[] = [
  { call: 'storeBatch', afterMs: 1 },
  { call: 'storeBatch', afterMs: null },
  { call: 'signEntries', afterMs: null },
  { call: 'storeSigned', afterMs: 1 },
  { call: 'storeSigned', afterMs: null },
  { call: 'broadcast', afterMs: 1 },
  { call: 'broadcast', afterMs: null },
  { call: 'markBroadcast', afterMs: null },
  { call: 'receipts', afterMs: null },
  { call: 'markMined', afterMs: 1 },
  { call: 'markMined', afterMs: null },
  { call: 'announce', afterMs: null },
  { call: 'markAnnounced', afterMs: null },
]
const rounds = 100

let stand: Stand
// A hundred processes are started; a single bundled file loads in a quarter of the time.
const folder = mkdtempSync(join(tmpdir(), 'quittance-anchor-'))
const program = join(folder, 'child.js')

beforeAll(async () => {
  const source = Bun.fileURLToPath(import.meta.resolve('./child.ts'))
  await Bun.build({ entrypoints: [source], target: 'bun', outdir: folder })
  stand = await startStand()
})
afterAll(async () => {
  await stand?.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a worker that dies at this point while it works on owed events. */
async function runUntilKilled(point: KillPoint): Promise<void> {
  const { database, node, privateKey, contract } = stand
  const task: ChildTask = {
    databaseUrl: database.url,
    rpcUrl: node.url,
    privateKey,
    contract,
    blocks: depth,
    point,
  }
  const child = Bun.spawn([process.execPath, program, JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const late = setTimeout(() => child.kill('SIGTERM'), 60_000)
  await child.exited
  clearTimeout(late)
  expect({ ...point, endedBy: child.signalCode }).toEqual({ ...point, endedBy: 'SIGKILL' })
}

test(`a worker killed ${rounds} times, at each step between signing and recording, leaves exactly one event for each that was owed`, async () => {
  for (let round = 0; round < rounds; round++) {
    await stand.oweState(`mandate_${round % 7}`, round)
    await stand.oweReceipts(`drs_${round}`)
    await runUntilKilled(points[round % points.length] as KillPoint)
  }
  await runUntilDeep(stand)
  await stand.expectAllOnChain()
}, 600_000)
