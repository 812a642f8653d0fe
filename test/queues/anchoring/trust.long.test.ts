import { afterEach, beforeEach, expect, test } from 'bun:test'
import { tallyOnChain } from '../../../src/chain/anchor/tally.ts'
import type { Tally } from '../../../src/domain/receipts/trust.ts'
import { rebuildTrustSignals } from '../../../src/storage/receipts/trust.ts'
import { refusingRanges } from '../../support/rpc-faults.ts'
import { runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

/** The served figures, which are expected to be those of the chain. */
async function served(): Promise<readonly Tally[]> {
  const { anchors } = await rebuildTrustSignals(stand.database.sql)
  for (const tally of anchors) {
    const { receipts, mandates } = await onChain(tally)
    expect({ receipts, mandates }).toEqual({ receipts: tally.receipts, mandates: tally.mandates })
  }
  return anchors
}

function onChain(tally: Tally, from: number | null = null) {
  return tallyOnChain([stand.provider.url], tally, { from, to: tally.blockNumber })
}

test('at any time, receipts and mandates counted in the record are those counted on the chain', async () => {
  const worker = stand.worker({ mostReceipts: 3, mostEvents: 2 })
  for (let round = 0; round < 12; round++) {
    await stand.oweReceipts(...[0, 1, 2, 3].map((n) => `drs_${round}_${n}`))
    await stand.oweState(`mandate_${round % 3}`, round)
    if (round % 2 === 1) await stand.revoke(`drs_${round - 1}_${round % 4}`)
    await worker.run()
    await served()
    if (round % 4 === 3) await stand.node.reorg(2)
    if (round % 3 === 2) await stand.node.mine(2)
  }
  await runUntilDeep(stand, worker)
  const [tally] = await served()
  expect(tally).toMatchObject({ receipts: 48 - 6, mandates: 3 })
  await stand.expectAllOnChain()
})

test('the count is the same where a node answers for few blocks at once, and from a block on', async () => {
  await stand.oweReceipts('drs_a', 'drs_b')
  await runUntilDeep(stand)
  const first = Number(await stand.node.rpc('eth_blockNumber', []))
  await stand.node.mine(40)
  await stand.oweReceipts('drs_c')
  await runUntilDeep(stand)
  const [tally] = await served()
  expect(tally).toMatchObject({ receipts: 3, contract: stand.contract.toLowerCase() })
  stand.provider.misbehave(refusingRanges(4, -32600, 'block range is too large'))
  await served()
  expect((await onChain(tally as Tally, first + 1)).receipts).toBe(1)
})

test('what others have the contract emit is not counted', async () => {
  await stand.oweReceipts('drs_a')
  const other = stand.client({ privateKey: stand.node.wallet(6).privateKey })
  const entries = [{ kind: 'batch', hash: `0x${'11'.repeat(32)}`, label: '1000000' }] as const
  const terms = { nonce: 0, gas: await other.gasFor(entries), ...(await other.fees()) }
  await other.broadcast((await other.signEntries(entries, terms)).signedBytes)
  await runUntilDeep(stand)
  expect(await served()).toMatchObject([{ receipts: 1, sender: stand.sender.toLowerCase() }])
})

test('after another key has taken over, each is counted by itself', async () => {
  await stand.oweReceipts('drs_a', 'drs_b')
  await stand.oweState('mandate_a', 1)
  await runUntilDeep(stand)
  await stand.oweReceipts('drs_c')
  await stand.oweState('mandate_a', 2)
  const { address, privateKey } = stand.node.wallet(6)
  await runUntilDeep(stand, stand.worker({ client: stand.client({ privateKey }) }))
  expect(await served()).toMatchObject([
    { sender: stand.sender.toLowerCase(), receipts: 2, mandates: 1 },
    { sender: address.toLowerCase(), receipts: 1, mandates: 1 },
  ])
  const { metrics } = await rebuildTrustSignals(stand.database.sql)
  expect(metrics).toMatchObject({ receiptsIssued: 3, mandatesAnchored: 1 })
})
