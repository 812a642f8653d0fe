import { afterEach, beforeEach, expect, test } from 'bun:test'
import { changeOf } from '../../../src/actors/invoices.ts'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { match } from '../../../src/domain/settlement/matching.ts'
import { updateAll } from '../../../src/storage/invoices/invoices.ts'
import { due, startWatchStand, type WatchStand } from './stand.ts'

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

/** Rules by which invoices are given whatever names them, though they are covered. */
const generous: typeof match = (chain, transfers, candidates) =>
  match(chain, transfers, candidates).map((outcome) => {
    const named = transfers.find(({ key }) => key === outcome.key)?.namedInvoiceIds[0]
    return named ? { key: outcome.key, invoiceId: named, matchedBy: 'reference' } : outcome
  })

const pay = async ({ terms }: Invoice.Invoice, from = 1) =>
  stand.mined(await stand.sign({ from, reference: terms.reference }))

/** What each invoice has, and how many transfers are held. */
async function standing(...invoices: readonly Invoice.Invoice[]) {
  const [row] = await stand.database.sql`
    select count(*)::int as held from transfers where held_as = 'unmatched'`
  const now = await Promise.all(invoices.map(stand.now))
  return [...now.map(({ state, progress }) => [state, progress.payments.length]), row?.held]
}

test('a payment that its invoice refuses against the rules is held and logged; its chain goes on', async () => {
  const refused: object[] = []
  const onError = (line: object) => refused.push(line)
  const watch = stand.watcher({ rules: generous, onError, confirmations: 1 })
  const [covered, other] = [await stand.openInvoice(), await stand.openInvoice()]
  await watch.step()
  await pay(covered)
  await watch.step()
  const txHash = await pay(covered)
  await pay(other)
  await watch.step()
  expect(await standing(covered, other)).toEqual([['settled', 1], ['settled', 1], 1])
  expect(refused).toMatchObject([{ network: 'base', txHash, invoiceId: covered.id }])
  const third = await stand.openInvoice()
  await pay(third)
  await watch.step()
  expect(await standing(third)).toEqual([['settled', 1], 1])
})

test('what an invoice loses with a block it loses, though it refuses a payment in the same step', async () => {
  const watch = stand.watcher({ rules: generous, confirmations: 3 })
  const [invoice, other] = [await stand.openInvoice(), await stand.openInvoice()]
  await watch.step()
  await pay(invoice)
  await watch.step()
  const again = await Promise.all(
    [0, 1].map((nonce) =>
      stand.sign({ from: 2, nonce, reference: invoice.terms.reference, usdcBase: due + 1n }),
    ),
  )
  await stand.node.reorg(
    1,
    again.map((raw) => [raw, 0]),
  )
  await pay(other)
  await watch.step()
  expect(await standing(invoice, other)).toEqual([['draft', 0], ['paid', 1], 2])
  const lost = await stand.database.sql`select usdc_base from transfers where state = 'reverted'`
  expect([...lost]).toMatchObject([{ usdc_base: due }])
})

test.each([
  ['void', ['failed', 0], 1],
  ['send', ['settled', 1], 0],
] as const)(
  'an invoice that a %s changes between a step’s look and its commit is looked at again: nothing of the step is stored',
  async (kind, then, held) => {
    const [invoice, other] = [await stand.openInvoice(), await stand.openInvoice()]
    let isFirst = true
    const watch = stand.watcher({
      confirmations: 1,
      during: {
        async commit(writes) {
          const isNow = isFirst && writes
          if (isNow) await change(invoice, kind)
          isFirst &&= !isNow
        },
      },
    })
    await watch.step()
    await pay(invoice)
    await pay(other)
    await watch.step()
    const state = kind === 'void' ? 'failed' : 'sent'
    expect(await standing(invoice, other)).toEqual([[state, 0], ['draft', 0], 0])
    const [row] = await stand.database.sql`select count(*)::int as transfers from transfers`
    expect(row?.transfers).toBe(0)
    await watch.step()
    expect(await standing(invoice, other)).toEqual([then, ['settled', 1], held])
  },
)

async function change(before: Invoice.Invoice, kind: 'void' | 'send'): Promise<void> {
  const now = new Date()
  const events = decide(before, { kind }, now)
  const after = evolve(before, events, now) as Invoice.Invoice
  await updateAll(stand.database.sql, [changeOf(before, after, events)])
}
