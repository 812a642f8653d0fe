import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type TrustSignals, trustJson } from '../../src/domain/receipts/trust.ts'
import { rebuildTrustSignals } from '../../src/storage/receipts/trust.ts'
import { runUntilDeep, type Stand, startStand } from '../queues/anchoring/stand.ts'
import { quittance } from '../support/cli.ts'

const section = '/agent-tools/sections/trust_signals.json'

let stand: Stand
let signals: TrustSignals
let served: string
const service = Bun.serve({
  port: 0,
  fetch: ({ url }) => new Response(served, { status: url.endsWith(section) ? 200 : 404 }),
})

beforeAll(async () => {
  stand = await startStand()
  await stand.oweReceipts('drs_a', 'drs_b', 'drs_c')
  for (const sequence of [1, 2]) await stand.oweState('mandate_a', sequence)
  await runUntilDeep(stand)
  await stand.revoke('drs_b')
  await runUntilDeep(stand)
  signals = await rebuildTrustSignals(stand.database.sql)
})
beforeEach(() => serveText(trustJson(signals)))
afterAll(async () => {
  await service.stop()
  await stand.stop()
})

function verify(...more: readonly string[]) {
  const words = ['trust', 'verify', '--rpc', stand.node.url, '--contract', stand.contract]
  return quittance({}, ...words, '--sender', stand.sender, '--url', service.url.href, ...more)
}

/** What is served of the one contract and sender, changed. */
function serve(over: Partial<TrustSignals['anchors'][number]>, metrics = signals.metrics): void {
  const anchors = signals.anchors.map((tally) => ({ ...tally, ...over }))
  serveText(trustJson({ ...signals, metrics, anchors }))
}

function serveText(text: string): void {
  served = text
}

test('trust verify ends with 0 where the chain has as many receipts and mandates as the service says', async () => {
  expect(await verify()).toMatchObject({
    code: 0,
    text: expect.stringMatching(
      /^up to block \d+\nreceipts: 2 served, 2 on chain\nmandates: 1 served, 1 on chain\nthe same\n$/,
    ),
  })
  const { code, json } = await verify('--json')
  const counts = { receipts: 2, mandates: 1 }
  expect([code, json]).toMatchObject([0, { ok: true, served: counts, onChain: counts }])
})

test('trust verify ends with 0 as of the block that the service names, whatever came later', async () => {
  await stand.oweReceipts('drs_d')
  await runUntilDeep(stand)
  expect((await verify()).code).toBe(0)
})

test.each([
  ['receipts: 3 served, 2 on chain', { receipts: 3 }, { receiptsIssued: 3 }],
  ['mandates: 2 served, 1 on chain', { mandates: 2 }, { mandatesAnchored: 2 }],
  ['the signals do not add up to their totals', {}, { receiptsIssued: 3 }],
  ['the signals do not add up to their totals', {}, { mandatesAnchored: 2 }],
  ['the signals name no such contract and sender', { sender: `0x${'11'.repeat(20)}` }, {}],
])('trust verify ends with 1 and what differs: %s', async (words, over, metrics) => {
  serve(over, { ...signals.metrics, ...metrics })
  const { code, text } = await verify()
  expect(code).toBe(1)
  expect(text).toContain(words)
  expect(text).toContain('NOT THE SAME')
})

test('trust verify ends with 1 where the blocks counted begin after the first receipts', async () => {
  const [tally] = signals.anchors
  const { code, text } = await verify('--from', `${tally?.blockNumber}`)
  expect(code).toBe(1)
  expect(text).toContain('receipts: 2 served, -1 on chain')
})

test.each([
  ['unreadable', 'no JSON', () => serveText('<html>')],
  ['unreadable', 'something else', () => serveText('{"anchors":[]}')],
  ['chain_unreadable', 'another chain', () => serve({ chainId: 1 })],
  ['chain_unreadable', 'blocks that the node does not have', () => serve({ blockNumber: 10_000 })],
])('trust verify ends with 3 and no verdict, %s: %s', async (error, _, change) => {
  change()
  const { code, json, stderr } = await verify('--json')
  expect([code, json.error.code]).toEqual([3, error])
  expect(stderr).toContain(json.error.message)
})
