import { describe, expect, test } from 'bun:test'
import { decodeFunctionData, erc20Abi, type Hex } from 'viem'
import { serviceAccountId } from '../../src/domain/accounts/account.ts'
import { fromDecimal, usdcScale } from '../../src/domain/money/money.ts'
import { anInvoice } from '../support/app.ts'
import { signedClaim } from '../support/claims.ts'
import {
  type Executor,
  handleOps,
  installExecutor,
  type Named,
  namedCall,
} from '../support/executor.ts'
import { storedInvoice } from '../support/stored-invoice.ts'
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
  return fromDecimal(json.amountAsked, usdcScale)
}

async function statusOf(invoiceId: string) {
  const { json } = await app.keyless('GET', `/pay/${invoiceId}/status`)
  return [json.status, json.amountReceived, json.overpaidAmount]
}

async function details(id: string, headers = {}) {
  return (await app.send('GET', `/v1/invoices/${id}`, undefined, headers)).json.data.paymentDetails
}

function pay(usdcBase: bigint) {
  return node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase })
}

const becomes = (invoiceId: string, status: string) =>
  eventually(async () => (await statusOf(invoiceId))[0] === status)

// Before the reorganisation below, after which the node’s clock lags.
describe('nobody takes a stranger’s money at a shared address', () => {
  const asOther = () => ({ 'x-api-key': app.other.v1Key })
  test('by the page of an older invoice of the same amount: the money is held, shown, and claimed', async () => {
    const amount = `${61 + ++made}.00`
    // The address is shared from the second account on.
    await anInvoice(app, { amount: '1.00' })
    const theirs = await anInvoice(app, { amount }, app.other.v1Key)
    const asked = await askedFor(theirs)
    expect(Number(asked % 10_000n)).toBeGreaterThan(0)
    const victims = await anInvoice(app, { amount })
    const usdcBase = BigInt(Math.round(Number(amount) * 1e6))
    const txHash = await pay(usdcBase)
    await node.mine(3)
    for (const [id, headers] of [[victims, {}] as const, [theirs, asOther()] as const])
      await eventually(async () => (await details(id, headers)).held?.[0]?.why === 'ambiguous')
    expect(await statusOf(theirs)).toEqual(['draft', '0.00', null])
    const { privateKey } = node.wallet(1)
    const proof = await signedClaim({ invoiceId: victims, txHash, privateKey })
    const claimed = await app.keyless('POST', `/v1/public/invoices/${victims}/claim`, proof)
    expect(claimed.status).toBe(200)
    await becomes(victims, 'settled')
    expect((await details(theirs, asOther())).held).toBeUndefined()
  })

  test('nor blocks it by invoices that were created without a key', async () => {
    const amount = 61 + ++made
    const usdcBase = BigInt(amount) * 1_000_000n
    const keyless = await storedInvoice(app.database.sql, serviceAccountId, {
      payTo: wallet,
      dueUsdcBase: usdcBase,
    })
    expect(await askedFor(keyless.id)).toBeGreaterThan(usdcBase)
    const victims = await anInvoice(app, { amount })
    await pay(usdcBase)
    await node.mine(3)
    await becomes(victims, 'settled')
    expect((await statusOf(keyless.id))[0]).toBe('draft')
  })

  test('a wallet that drops the reference of the page’s transaction still pays its invoice, and one that keeps it pays no more', async () => {
    const [older, newer] = await twoInvoices()
    for (const [id, isKept] of [[older, true] as const, [newer, false] as const]) {
      const { json } = await app.keyless('POST', `/pay/${id}/transaction`)
      const { args } = decodeFunctionData({ abi: erc20Abi, data: json.data as Hex })
      expect(args?.[1]).toBe(await askedFor(id))
      const reference = `0x${json.data.slice(-64)}`
      const usdcBase = args?.[1] as bigint
      const sent = { from: node.wallet(1).address, to: wallet, usdcBase }
      await node.transfer(isKept ? { ...sent, reference } : sent)
      await node.mine(3)
      await becomes(id, 'settled')
      expect((await statusOf(id))[2]).toBeNull()
      expect((await details(id)).matchedBy).toBe(isKept ? 'reference' : 'asked')
    }
  })
})

describe('of two invoices of one amount, the one that is named is paid through', () => {
  type Send = { readonly from?: Hex; readonly to: Hex; readonly data: Hex }
  type By = (wallet: Executor, named: Named) => Hex | Promise<Send>

  async function inWallet(data: By, named: Named): Promise<Send> {
    const made = await installExecutor(node)
    await node.mint(made.address, named.usdcBase)
    const called = await data(made, named)
    return typeof called === 'string' ? { to: made.address, data: called } : called
  }

  const forms: readonly (readonly [string, (named: Named) => Promise<Send>])[] = Object.entries({
    'a contract wallet’s call': (named) => inWallet((one) => one.execute(named), named),
    'a batch': (named) => inWallet((one) => one.executeBatch([named]), named),
    'a multisend': (named) => inWallet((one) => one.multiSend([named]), named),
    'a contract that names it apart': (named) => inWallet((one) => one.pay(named), named),
    'a bundle of ERC-4337': (named) =>
      inWallet(async ({ address: sender, execute }) => {
        const { address: to } = await installExecutor(node)
        return { to, data: handleOps([{ sender, callData: execute(named) }]) }
      }, named),
    async 'an EIP-7702 account that calls itself'(named) {
      const from = node.wallet(3).address.toLowerCase() as Hex
      await node.mint(from, named.usdcBase)
      return { from, to: from, data: (await installExecutor(node, from)).execute(named) }
    },
    'a plain wallet that appends a builder’s code': async (named) => ({
      to: node.usdc,
      data: `${namedCall(named)}${'b0'.repeat(27)}`,
    }),
  })

  test.each(forms)('%s', async (_, sent) => {
    const [older, newer] = await twoInvoices()
    const { reference, amountDue } = await details(newer)
    const usdcBase = fromDecimal(amountDue, usdcScale)
    const from = node.wallet(1).address
    await node.send({ from, ...(await sent({ to: wallet, usdcBase, reference })) })
    await node.mine(3)
    await becomes(newer, 'settled')
    expect((await details(newer)).matchedBy).toBe('reference')
    expect((await statusOf(older))[0]).not.toBe('settled')
  })
})

describe('a customer with a plain wallet who pays what the page asks', () => {
  test.each([
    ['the same seller', () => app.account],
    ['another seller', () => app.other],
  ])('pays the invoice of the page, though an older one of %s is due the same', async (_, of) => {
    const [older, newer] = await twoInvoices(of())
    const asked = await askedFor(newer)
    expect(Number(asked % 250_000n)).toBeWithin(1, 1_000)
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
    expect(Number(whole - rest - 10_000_000n)).toBeWithin(-999, 1_000)
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
