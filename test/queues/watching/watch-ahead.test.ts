import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { eventually } from '../../support/wait.ts'
import { due, startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * A chain sixty blocks ahead of the cursor, read eight blocks at a time. The next range is read
 * while the last one is committed.
 */

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
  await stand.watcher().step()
})
afterEach(() => stand.stop())

const inEights = { maxRangeBlocks: 2 }

test('the next blocks are read before the last ones are committed, and each payment settles once', async () => {
  await sixtyBlocks()
  const before = rangesRead() / 4
  let commits = 0
  const watch = stand.watcher({
    ...inEights,
    during: {
      async commit() {
        if (++commits <= 3) await eventually(() => rangesRead() / 4 - before > commits)
      },
    },
  })
  while ((await watch.step()).isAdvancing);
  expect(commits).toBeGreaterThan(6)
  expect(await stand.standing()).toEqual({ settled: 6, receipts: 6, events: 6, transfers: 6 })
})

test('what fails while it is read ahead fails the next step, and the one after that reads it', async () => {
  const watch = stand.watcher(inEights)
  // Its first step also reads earlier blocks again.
  await watch.step()
  await sixtyBlocks()
  let asked = 0
  stand.relay.misbehave(async (request, forward) => {
    const isLogs = request.some(({ method }) => method === 'eth_getLogs')
    if (isLogs && ++asked > 4 && asked <= 8) return new Response('', { status: 503 })
    return Response.json(await forward(request))
  })
  expect(await watch.step()).toMatchObject({ isAdvancing: true })
  await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
  while ((await watch.step()).isAdvancing);
  expect(await stand.standing()).toEqual({ settled: 6, receipts: 6, events: 6, transfers: 6 })
})

test('what a reorganisation takes away after it was read ahead is taken back', async () => {
  const [first, second] = await sixtyBlocks()
  const watch = stand.watcher(inEights)
  const before = rangesRead()
  await watch.step()
  await eventually(() => rangesRead() - before >= 8)
  // All blocks except that of the first payment.
  await stand.node.reorg(58)
  await stand.node.mine(4)
  await throughAll(watch)
  expect(first && (await stand.now(first)).state).toBe('settled')
  expect(second && (await stand.now(second)).state).toBe('draft')
  const [inForce] = await stand.database.sql`
    select count(*)::int as receipts from receipts where revoked_at is null`
  expect(inForce?.receipts).toBe(1)
})

test('what another watcher has committed meanwhile is not committed again', async () => {
  await sixtyBlocks()
  const [one, other] = [stand.watcher(inEights), stand.watcher(inEights)]
  await one.step()
  while ((await other.step()).isAdvancing);
  expect(await one.step()).toMatchObject({ isAdvancing: false })
  while ((await one.step()).isAdvancing);
  expect(await stand.standing()).toEqual({ settled: 6, receipts: 6, events: 6, transfers: 6 })
})

test('an invoice paid in two halves, in steps that follow each other, settles once by both', async () => {
  const invoice = await stand.openInvoice({}, 3_600_000)
  const { reference } = invoice.terms
  for (let half = 0; half < 2; half++) await paid({ usdcBase: due / 2n, reference })
  await throughAll(stand.watcher(inEights))
  expect((await stand.now(invoice)).progress.payments).toHaveLength(2)
  expect(await stand.standing()).toEqual({ settled: 1, receipts: 1, events: 1, transfers: 2 })
})

test('payments of one amount that name nothing, in steps that follow each other, each take an invoice', async () => {
  const invoices = [await stand.openInvoice({}, 3_600_000), await stand.openInvoice({}, 3_600_000)]
  for (const _ of invoices) await paid({ usdcBase: due })
  await throughAll(stand.watcher(inEights))
  for (const invoice of invoices) {
    expect((await stand.now(invoice)).progress.payments).toHaveLength(1)
  }
  expect(await stand.standing()).toEqual({ settled: 2, receipts: 2, events: 2, transfers: 2 })
})

/** Makes a payment and nine blocks: more than one step reads. */
async function paid(payment: { usdcBase: bigint; reference?: string }): Promise<void> {
  await stand.node.transfer({ from: stand.node.wallet(1).address, to: wallet, ...payment })
  await stand.node.mine(9)
}

/** Six invoices, each paid ten blocks after the one before. */
async function sixtyBlocks() {
  const invoices = []
  for (let n = 0; n < 6; n++) {
    const invoice = await stand.openInvoice({}, 3_600_000)
    await paid({ usdcBase: due, reference: invoice.terms.reference })
    invoices.push(invoice)
  }
  return invoices
}

function rangesRead(): number {
  return stand.relay.requests.flat().filter((method) => method === 'eth_getLogs').length
}

async function throughAll(watch: Watcher): Promise<void> {
  for (let isDone = false; !isDone; ) {
    isDone = await watch.step().then(
      ({ isAdvancing }) => !isAdvancing,
      () => false,
    )
  }
}
