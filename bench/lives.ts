import { type Hex, parseUnits, toHex } from 'viem'
import { type EvmNode, transferCall } from '../test/support/evm-node.ts'
import { newInvoice } from './load.ts'

export type Target = { readonly url: string; readonly key: string; readonly node: EvmNode }

type Invoice = {
  readonly paymentDetails: {
    readonly paymentAddress: string
    readonly amountDue: string
    readonly reference: string
  }
}

const connections = 64
const paymentsAtOnce = 200
const confirmations = 3

/** Creates invoices in the `/v1` form, each with an idempotency key. */
export async function create({ url, key }: Target, count: number): Promise<readonly Invoice[]> {
  const invoices: Invoice[] = []
  let asked = 0
  async function connection(): Promise<void> {
    while (asked++ < count) invoices.push(await createOne(url, key))
  }
  await Promise.all(Array.from({ length: connections }, connection))
  return invoices
}

async function createOne(url: string, key: string): Promise<Invoice> {
  const created = await fetch(`${url}/v1/invoices`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      'idempotency-key': crypto.randomUUID(),
    },
    body: newInvoice,
  })
  if (created.status !== 201) throw new Error(await created.text())
  return ((await created.json()) as { data: Invoice }).data
}

/** Pays invoices by transfers with their references, some hundred in each block. */
export async function payAll({ node }: Target, invoices: readonly Invoice[]): Promise<void> {
  const from = node.wallet(1).address
  await node.mint(from, 10n ** 12n)
  await node.rpc('evm_setAutomine', [false])
  // The node takes the calls of a batch in any order.
  let nonce = Number(await node.rpc('eth_getTransactionCount', [from, 'latest']))
  for (let at = 0; at < invoices.length; at += paymentsAtOnce) {
    const some = invoices.slice(at, at + paymentsAtOnce)
    await node.batch(some.map(({ paymentDetails }) => payment(paymentDetails)))
    await node.mine(1)
  }
  await node.rpc('evm_setAutomine', [true])
  await node.mine(confirmations)

  function payment({ paymentAddress, amountDue, reference }: Invoice['paymentDetails']) {
    const usdcBase = parseUnits(amountDue, 6)
    const data: Hex = `${transferCall({ to: paymentAddress, usdcBase })}${reference.slice(2)}`
    const transaction = { from, to: node.usdc, data, gas: '0x186a0', nonce: toHex(nonce++) }
    return { method: 'eth_sendTransaction', params: [transaction] }
  }
}
