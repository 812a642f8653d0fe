import { describe, expect, test } from 'bun:test'
import { anInvoice } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env: { BASE_WALLET: wallet, BASE_CONFIRMATIONS: '3', TRUST_PROXY: 'true' },
})

let made = 0

/** Two invoices over the same amount, which no other test uses; the second may be a stranger's. */
async function twoInvoices(of = app.account) {
  made += 1
  const amount = `${61 + made}.25`
  return [await anInvoice(app, { amount }), await anInvoice(app, { amount }, of.v1Key)] as const
}

/** What somebody who opens the payment page is asked for, in base units of USDC. */
async function askedFor(invoiceId: string): Promise<bigint> {
  const { json } = await app.keyless('GET', `/pay/${invoiceId}/status`)
  return BigInt(Math.round(Number(json.amountAsked) * 1e6))
}

async function statusOf(invoiceId: string) {
  const { json } = await app.keyless('GET', `/pay/${invoiceId}/status`)
  return [json.status, json.amountReceived, json.overpaidAmount]
}

function pay(usdcBase: bigint) {
  return node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase })
}

const becomes = (invoiceId: string, status: string) =>
  eventually(async () => (await statusOf(invoiceId))[0] === status)

describe('P1 a customer with a plain wallet who pays what the page asks', () => {
  test.each([
    ['the same seller', () => app.account],
    ['another seller', () => app.other],
  ])('pays the invoice of the page, though an older one of %s is due the same', async (_, of) => {
    const [older, newer] = await twoInvoices(of())
    const asked = await askedFor(newer)
    expect(asked % 250_000n).toBe(1n)
    await pay(asked)
    await node.mine(3)
    await becomes(newer, 'settled')
    expect((await statusOf(newer))[2]).toBeNull()
    expect(await statusOf(older)).toEqual(['draft', '0.00', null])
    const key = of().v1Key
    const { json } = await app.send('GET', `/v1/invoices/${newer}`, undefined, { 'x-api-key': key })
    expect(json.data.paymentDetails.matchedBy).toBe('asked')
  })

  test('pays the rest the same way after a part payment', async () => {
    const [, invoice] = await twoInvoices()
    const whole = await askedFor(invoice)
    const { json } = await app.send('GET', `/v1/invoices/${invoice}`)
    await node.transfer({
      from: node.wallet(1).address,
      to: wallet,
      usdcBase: 10_000_000n,
      reference: json.data.paymentDetails.reference,
    })
    await eventually(async () => (await statusOf(invoice))[1] === '10.00')
    const rest = await askedFor(invoice)
    expect([whole - rest - 10_000_000n >= 0n, rest > 0n]).toEqual([true, true])
    await pay(rest)
    await node.mine(3)
    await becomes(invoice, 'settled')
  })

  test('has paid it still when the transfer is in another block after a reorganisation', async () => {
    const [older, newer] = await twoInvoices()
    const hash = await pay(await askedFor(newer))
    await becomes(newer, 'paid')
    const raw = await node.rpc<string>('eth_getRawTransactionByHash', [hash])
    await node.reorg(1)
    await node.mine(1)
    await node.rpc('eth_sendRawTransaction', [raw]).catch(() => null)
    await node.mine(4)
    await becomes(newer, 'settled')
    expect((await statusOf(older))[0]).toBe('draft')
  })
})
