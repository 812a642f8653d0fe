import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { depositAddresses } from '../../../src/chain/evm/deposits.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { takeDepositIndexes } from '../../../src/storage/invoices/payment-addresses.ts'
import { keepClaim } from '../../../src/storage/settlement/claims.ts'
import { depositXpub } from '../../support/deposit-key.ts'
import type { Fault } from '../../support/rpc-relay.ts'
import { due, type Signed, somebody, startWatchStand, type WatchStand } from './stand.ts'

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

const held = { invoice_id: null, held_as: 'unmatched' }
const credited = ({ id }: Invoice.Invoice) => ({ invoice_id: id, held_as: null })

/** Who has the transfers that are in the chain, in the order of their blocks. */
async function transfers(): Promise<readonly object[]> {
  const rows = await stand.database.sql`
    select invoice_id, held_as from transfers where state <> 'reverted' order by block_number`
  return rows.map((row) => ({ ...row }))
}

/** The invoice's state and the payments that count. */
async function standing(invoice: Invoice.Invoice) {
  const { state, progress } = await stand.now(invoice)
  return [state, ...progress.payments.map(({ usdcBase }) => usdcBase)]
}

/** Puts each payment into a block of its own, in order, and lets the watcher see it. */
async function pay(watch: Watcher, payments: readonly Signed[]): Promise<readonly Hex[]> {
  const signed: Hex[] = []
  for (const payment of payments) {
    const raw = await stand.sign(payment)
    await stand.mined(raw)
    await watch.step()
    signed.push(raw)
  }
  return signed
}

/** Takes the first of the newest blocks away, and the payments after it stay where they are. */
async function lose(stay: readonly Hex[]): Promise<void> {
  await stand.node.reorg(
    stay.length + 1,
    stay.map((raw, at) => [raw, at + 1]),
  )
}

/** An invoice that two payments name, of which the first pays it. */
async function paidTwice(confirmations: number) {
  const watch = stand.watcher({ confirmations })
  const invoice = await stand.openInvoice()
  const { reference } = invoice.terms
  await watch.step()
  const payments = [1, 2].map((from) => ({ from, reference }))
  const [lost = '0x', ...stay] = await pay(watch, payments)
  return { watch, invoice, lost, stay }
}

describe('what was held while its invoice was covered pays it once a reorganisation uncovers it', () => {
  test('by its reference; the lost payment is held where it is mined again', async () => {
    const { watch, invoice, lost, stay } = await paidTwice(3)
    expect(await transfers()).toEqual([credited(invoice), held])
    await lose(stay)
    await watch.step()
    expect(await standing(invoice)).toEqual(['paid', due])
    await stand.mined(lost)
    await stand.node.mine(5)
    await watch.step()
    await watch.step()
    expect(await standing(invoice)).toEqual(['settled', due])
    expect(await transfers()).toEqual([credited(invoice), held])
    const once = { receipts: 1, revoked: 0, settled: 1, confirmed: 1 }
    expect(await stand.counts(invoice)).toEqual(once)
  })

  test('by its reference, after it was settled', async () => {
    const { watch, invoice, stay } = await paidTwice(2)
    expect(await standing(invoice)).toEqual(['settled', due])
    await lose(stay)
    await watch.step()
    expect(await standing(invoice)).toEqual(['paid', due])
    await stand.node.mine(2)
    await watch.step()
    expect(await standing(invoice)).toEqual(['settled', due])
    const anew = { receipts: 1, revoked: 1, settled: 2, confirmed: 1 }
    expect(await stand.counts(invoice)).toEqual(anew)
  })

  test('part by part, as far as something is due', async () => {
    const watch = stand.watcher({ confirmations: 5 })
    const invoice = await stand.openInvoice()
    const { reference } = invoice.terms
    await watch.step()
    const [, , ...stay] = await pay(watch, [
      { from: 1, reference, usdcBase: due - 60n },
      { from: 1, reference, usdcBase: 60n },
      { from: 2, reference, usdcBase: 40n },
      { from: 2, reference, usdcBase: 40n },
      { from: 2, reference, usdcBase: 40n },
    ])
    expect(await standing(invoice)).toEqual(['paid', due - 60n, 60n])
    await lose(stay)
    await watch.step()
    expect(await standing(invoice)).toEqual(['paid', due - 60n, 40n, 40n])
    expect(await transfers()).toEqual([...Array(3).fill(credited(invoice)), held])
  })

  test('by the address that is the invoice’s own', async () => {
    const [depositIndex = 0] = await takeDepositIndexes(stand.database.sql, 1)
    const to = depositAddresses(depositXpub)(depositIndex)
    const invoice = await stand.openInvoice({ payTo: to, depositIndex })
    const watch = stand.watcher()
    await watch.step()
    const [, ...stay] = await pay(watch, [
      { from: 1, to },
      { from: 2, to },
    ])
    expect(await transfers()).toEqual([credited(invoice), held])
    await lose(stay)
    await watch.step()
    expect(await standing(invoice)).toEqual(['paid', due])
  })

  test('by its sender’s claim', async () => {
    const watch = stand.watcher()
    const invoice = await stand.openInvoice()
    const { reference } = invoice.terms
    await watch.step()
    const [, ...stay] = await pay(watch, [{ from: 1, reference }, { from: 2 }])
    expect(await transfers()).toEqual([credited(invoice), held])
    await claim(invoice)
    await lose(stay)
    await watch.step()
    expect(await standing(invoice)).toEqual(['paid', due])
  })

  test('though the loss is read in a step before it', async () => {
    const { invoice, stay } = await paidTwice(2)
    expect(await transfers()).toEqual([credited(invoice), held])
    const heldIn = Number(await stand.node.rpc('eth_blockNumber'))
    await lose(stay)
    await stand.node.mine(5)
    stand.relay.misbehave(failingAt(heldIn))
    const slow = stand.watcher({ confirmations: 2, maxRangeBlocks: 1 })
    await stepUntil(slow, invoice, 'draft')
    stand.relay.behave()
    await stepUntil(slow, invoice, 'settled')
    expect(await standing(invoice)).toEqual(['settled', due])
  })
})

test('what is held and names nothing falls to no amount that a reorganisation makes due', async () => {
  const watch = stand.watcher()
  const invoice = await stand.openInvoice()
  await watch.step()
  const [, ...stay] = await pay(watch, [{ from: 1 }, { from: 2 }])
  expect(await transfers()).toEqual([credited(invoice), held])
  await stand.openInvoice()
  await lose(stay)
  await watch.step()
  expect(await standing(invoice)).toEqual(['draft'])
  expect(await transfers()).toEqual([held])
})

describe('nor does it to one that was made for it meanwhile', () => {
  /** A held payment, and an invoice over its amount that is only made then. */
  async function heldPayment(confirmations: number) {
    const watch = stand.watcher({ confirmations })
    await watch.step()
    const signed = await stand.sign({ from: 1 })
    await stand.mined(signed)
    await watch.step()
    expect(await transfers()).toEqual([held])
    // Its date leaves nothing to how long the steps take: any block to come is after it.
    const invoice = await stand.openInvoice({}, 60_000)
    return { watch, signed, invoice }
  }

  /** Mines the payment again behind another one, so that its log has another index. */
  async function mineAgain(signed: Hex): Promise<void> {
    const other = await stand.sign({ from: 2, to: somebody })
    await stand.node.reorg(1, [
      [other, 0],
      [signed, 0],
    ])
  }

  test.each([
    ['seen', 3],
    ['confirmed', 1],
  ])('where it was %s and is mined again at another place', async (_, confirmations) => {
    const { watch, signed } = await heldPayment(confirmations)
    await mineAgain(signed)
    await watch.step()
    expect(await transfers()).toEqual([held])
  })

  test('where it was gone for a while', async () => {
    const { watch, signed } = await heldPayment(3)
    await stand.node.reorg(1)
    await watch.step()
    expect(await transfers()).toEqual([])
    await mineAgain(signed)
    await watch.step()
    expect(await transfers()).toEqual([held])
  })

  test('unless its sender claims it for that one', async () => {
    const { watch, signed, invoice } = await heldPayment(3)
    await claim(invoice)
    await mineAgain(signed)
    await watch.step()
    expect(await transfers()).toEqual([credited(invoice)])
  })
})

/** Keeps a claim by the sender of what is held. */
async function claim({ id: invoiceId }: Invoice.Invoice): Promise<void> {
  const { sql } = stand.database
  const [row] = await sql`
    select '0x' || encode(tx_hash, 'hex') as "txHash", '0x' || encode(from_address, 'hex') as payer from transfers where invoice_id is null`
  const said = { chain: 'base', invoiceId, madeBy: 'claim', signature: '0x' } as const
  await keepClaim(sql, { ...said, txHash: row?.txHash, payer: row?.payer }, { waiting: 1, all: 1 })
}

async function stepUntil(watch: Watcher, invoice: Invoice.Invoice, state: string): Promise<void> {
  for (let steps = 0; (await stand.now(invoice)).state !== state; steps++) {
    if (steps === 10) throw new Error(`never ${state}`)
    await watch.step().catch(() => {})
  }
}

/** A node that has no answer about this block and those after it. */
function failingAt(block: number): Fault {
  return async (request, forward) => {
    const asked = request.filter(({ method }) => method === 'eth_getLogs')
    const fails = asked.some(({ params }) => Number((params[0] as Filter).toBlock) >= block)
    return fails ? new Response('', { status: 503 }) : Response.json(await forward(request))
  }
}

type Filter = { readonly toBlock: Hex }
