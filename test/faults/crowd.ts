import { toHex } from 'viem'
import { transferCall } from '../support/evm-node.ts'
import { createClient } from './client.ts'
import type { Stage } from './stage.ts'

const atOnce = 20
const payer = 8
const dueUsdcBase = 2_000_000n
/** Far below the node's default gas limit, so a block holds about a hundred payments. */
const gas = toHex(100_000)

/**
 * Creates `count` unpaid invoices and answers `pay`, which pays the next of them by their
 * references.
 */
export async function crowd({ topology, account, ledger }: Stage, count: number) {
  const { base, wallets } = topology
  const client = createClient(topology.http, account.v1Key)
  const unpaid: { id: string; reference: string }[] = []

  async function create(): Promise<void> {
    const body = { amount: 2, currency: 'USDC', customerName: 'Ada', customerEmail: 'a@b.test' }
    const { data } = await client.call('POST', '/v1/invoices', body, crypto.randomUUID())
    ledger.invoices.push({ id: data.id, number: data.invoiceNumber })
    unpaid.push({ id: data.id, reference: data.paymentDetails.reference })
  }

  const { address: from } = base.wallet(payer)
  await base.mint(from, BigInt(count) * dueUsdcBase)
  for (let made = 0; made < count; made += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - made) }, create))

  return {
    /** Submits the payments of the next `some` invoices to the node. */
    async pay(some: number): Promise<void> {
      const next = unpaid.splice(0, some)
      const first = Number(await base.rpc('eth_getTransactionCount', [from, 'pending']))
      await base.batch(
        next.map(({ reference }, n) => {
          const nonce = toHex(first + n)
          const call = transferCall({ to: wallets.base, usdcBase: dueUsdcBase })
          const data = `${call}${reference.slice(2)}`
          return {
            method: 'eth_sendTransaction',
            params: [{ from, nonce, to: base.usdc, gas, data }],
          }
        }),
      )
      ledger.paidInvoiceIds.push(...next.map(({ id }) => id))
    },
  }
}
