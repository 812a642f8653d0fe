import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { depositAddresses } from '../../../src/chain/evm/deposits.ts'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { MatchedBy } from '../../../src/domain/invoices/progress.ts'
import type { InvoiceChain } from '../../../src/domain/network.ts'
import { insertAll } from '../../../src/storage/invoices/invoices.ts'
import { takeDepositIndexes } from '../../../src/storage/invoices/payment-addresses.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { depositXpub } from '../../support/deposit-key.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { newInvoice, storedInvoice } from '../../support/stored-invoice.ts'
import { eventually } from '../../support/wait.ts'
import { testWatcher } from '../../support/watcher.ts'
import { due, startWatchStand, type WatchStand } from './stand.ts'

const addressOf = depositAddresses(depositXpub)
const [ours, others] = [
  '0190a000-0000-7000-8000-000000000001',
  '0190a000-0000-7000-8000-000000000002',
]

let stand: WatchStand
let step: () => Promise<unknown>

beforeEach(async () => {
  stand = await startWatchStand()
  step = stand.watcher({ confirmations: 1 }).step
  await step()
})
afterEach(() => stand.stop())

async function openInvoices(count: number, accountId = ours): Promise<readonly Invoice.Invoice[]> {
  const indexes = await takeDepositIndexes(stand.database.sql, count)
  const invoices = indexes.map((depositIndex) =>
    newInvoice(accountId, { payTo: addressOf(depositIndex), depositIndex }),
  )
  await insertAll(
    stand.database.sql,
    invoices.map((invoice) => ({ invoice, idempotency: null })),
  )
  return invoices
}

async function openInvoice(accountId = ours): Promise<Invoice.Invoice> {
  return (await openInvoices(1, accountId))[0] as Invoice.Invoice
}

function pay({ terms }: Invoice.Invoice, usdcBase: bigint, reference?: string) {
  const from = stand.node.wallet(1).address
  return stand.node.transfer({ from, to: terms.payTo, usdcBase, ...(reference && { reference }) })
}

type Standing = {
  readonly state: Invoice.Invoice['state']
  readonly received: readonly bigint[]
  readonly matchedBy: MatchedBy | null
}

async function standing(invoice: Invoice.Invoice): Promise<Standing> {
  const { state, progress } = await stand.now(invoice)
  const received = progress.payments.map(({ usdcBase }) => usdcBase)
  return { state, received, matchedBy: progress.settlement?.matchedBy ?? null }
}

const open: Standing = { state: 'draft', received: [], matchedBy: null }
const settled: Standing = { state: 'settled', received: [due], matchedBy: 'address' }

describe('a payment without any reference to an invoice’s own address', () => {
  test('settles that invoice and no other that is due the same, of whichever account', async () => {
    const older = await openInvoice(others)
    const meant = await openInvoice()
    const newer = await openInvoice()
    await pay(meant, due)
    await step()
    expect(await standing(meant)).toEqual(settled)
    expect([await standing(older), await standing(newer)]).toEqual([open, open])
  })

  test('cannot be drawn to a thief’s invoice by naming it', async () => {
    const [meant, thiefs] = [await openInvoice(), await openInvoice(others)]
    await pay(meant, due, thiefs.terms.reference)
    await step()
    expect(await standing(meant)).toEqual(settled)
    expect(await standing(thiefs)).toEqual(open)
  })

  test('may come in parts of any size, and too much of it is credited too', async () => {
    const invoice = await openInvoice()
    await pay(invoice, 1n)
    await step()
    expect(await standing(invoice)).toEqual({ ...open, received: [1n] })
    await pay(invoice, due)
    await step()
    expect(await standing(invoice)).toEqual({ ...settled, received: [1n, due] })
  })

  test('is held once the invoice is settled, and pays nobody', async () => {
    const invoice = await openInvoice()
    const stranger = await openInvoice(others)
    await pay(invoice, due)
    await step()
    await pay(invoice, due)
    await step()
    expect([await standing(invoice), await standing(stranger)]).toEqual([settled, open])
    const held = await stand.database
      .sql`select usdc_base, held_as from transfers where invoice_id is null`
    expect([...held]).toEqual([{ usdc_base: due, held_as: 'unmatched' }])
  })
})

describe('what the operator moves on to a wallet', () => {
  const treasury = '0x00000000000000000000000000000000000000cc'
  const aMinuteAgo = new Date(Date.now() - 60_000)

  async function olderAtTreasury(chain: InvoiceChain): Promise<Invoice.Invoice> {
    const agreed = { chain, payTo: treasury, dueUsdcBase: due }
    const invoice = await storedInvoice(stand.database.sql, ours, agreed, aMinuteAgo)
    await rememberPaymentAddress(stand.database.sql, chain, treasury)
    return invoice
  }

  async function moveOn(at: EvmNode, { terms: { payTo } }: Invoice.Invoice): Promise<void> {
    await at.rpc('anvil_impersonateAccount', [payTo])
    await at.rpc('anvil_setBalance', [payTo, '0xde0b6b3a7640000'])
    await at.transfer({ from: payTo, to: treasury, usdcBase: due })
  }

  async function heldAtTreasury(): Promise<readonly unknown[]> {
    return [
      ...(await stand.database
        .sql`select held_as from transfers where to_address = ${toBytes(treasury)}`),
    ]
  }

  test('pays no invoice that is due as much there', async () => {
    const other = await olderAtTreasury('base')
    const paid = await openInvoice()
    await pay(paid, due)
    await step()
    await moveOn(stand.node, paid)
    await step()
    expect([await standing(paid), await standing(other)]).toEqual([settled, open])
    expect(await heldAtTreasury()).toEqual([{ held_as: 'unmatched' }])
  })

  test('pays none either where it had been sent to the address on another chain', async () => {
    const polygon = await startEvmNode({ chainId: 137 })
    try {
      const { url, usdc } = polygon
      const chain = evmChain({ network: 'polygon', chainId: 137, rpcUrls: [url], usdc })
      const watch = testWatcher(stand.database.sql, { chain })
      const other = await olderAtTreasury('polygon')
      await watch.step()
      const paid = await openInvoice()
      await polygon.mint(paid.terms.payTo, due)
      await moveOn(polygon, paid)
      await watch.step()
      expect(await standing(other)).toEqual(open)
      expect(await heldAtTreasury()).toEqual([{ held_as: 'unmatched' }])
    } finally {
      await polygon.stop()
    }
  })
})

describe('with more addresses than a question can name', () => {
  test('a step is still one question, and finds the payments of old invoices and new ones', async () => {
    const oldest = await openInvoice()
    await openInvoices(1_200)
    const newest = await openInvoice(others)
    await pay(oldest, due)
    await stand.mined(await stand.sign({ from: 1, to: stand.node.wallet(2).address }))
    await pay(newest, due)
    const before = stand.relay.requests.length
    await step()
    expect(await standing(oldest)).toEqual(settled)
    expect(await standing(newest)).toEqual(settled)
    const asked = stand.relay.requests.slice(before).flat()
    expect(asked.filter((method) => method === 'eth_getLogs')).toHaveLength(1)
    expect(await stand.database.sql`select from transfers`).toHaveLength(2)
  })
})

describe('a node that has more to read than it can in time', () => {
  test('is asked for fewer blocks until it answers', async () => {
    const invoice = await openInvoice()
    await stand.node.mine(20)
    await pay(invoice, due)
    await stand.node.mine(20)
    stand.relay.misbehave(async (request, forward) =>
      request.some(isLong)
        ? new Response('', { status: 504 })
        : Response.json(await forward(request)),
    )
    await eventually(async () => {
      await step().catch(() => {})
      return (await standing(invoice)).state === 'settled'
    })
  })

  function isLong({ method, params }: { method: string; params: readonly unknown[] }): boolean {
    if (method !== 'eth_getLogs') return false
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
    return Number(toBlock) - Number(fromBlock) >= 10
  }
})

describe('an index', () => {
  test('is given to one invoice only, by however many processes at once, and none is skipped', async () => {
    const taken = await Promise.all(
      [3, 1, 7, 2].map((count) => takeDepositIndexes(stand.database.sql, count)),
    )
    expect(taken.flat().toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 13 }, (_, at) => at),
    )
  })

  test('cannot be stored twice', async () => {
    await openInvoice()
    await stand.database.sql`select setval('deposit_indexes', 0, false)`
    expect(openInvoice()).rejects.toThrow('payment_addresses')
  })
})
