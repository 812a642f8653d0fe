import { type InvoiceChain, invoiceChains } from '../src/domain/network.ts'
import { registry } from '../src/domain/registry.ts'
import type { Verdict } from '../src/verify/verify-receipt.ts'
import type { DemoChain } from './chain.ts'
import { startEvmChain } from './evm.ts'
import { startSolanaChain } from './load-solana.ts'
import {
  call,
  createInvoice,
  heard,
  type Invoice,
  openingSteps,
  payInvoice,
  quittance,
  type Stage,
} from './stage.ts'
import { must, type Step, step } from './step.ts'

/** Pays an invoice on every chain at once. */
export function allChains(stage: Stage) {
  const verdicts: Verdict[] = []
  const invoices: Invoice[] = []
  const steps: readonly Step[] = [
    step('Start base, polygon, arbitrum, skale (anvil) and solana (LiteSVM)', async () => {
      const [base, ...others] = await Promise.all([
        startEvmChain('base'),
        startEvmChain('polygon'),
        startEvmChain('arbitrum'),
        startEvmChain('skale'),
        startSolanaChain(),
      ])
      stage.anchorChain = base
      stage.chains.push(base, ...others)
      return 'each with USDC at its own address'
    }),
    ...openingSteps(stage),
    {
      title: 'Five invoices over 12.50 USDC, paid side by side',
      task: (_, shown) =>
        shown.newListr(
          invoiceChains.map((name) => step(lineOf(name), (say) => settle(name, say))),
          { concurrent: true },
        ),
    },
  ]

  async function settle(name: InvoiceChain, say: (text: string) => void): Promise<string> {
    const chain = stage.chains.find((one) => one.chain === name) as DemoChain
    const invoice = await createInvoice(stage, chain)
    invoices.push(invoice)
    const passed: string[] = []
    const pass = (what: string) => {
      passed.push(what)
      say(passed.join(' ▸ '))
    }
    pass('invoiced')
    await payInvoice(chain, invoice)
    const paidAt = performance.now()
    const seconds = () => `${((performance.now() - paidAt) / 1_000).toFixed(1)} s`
    pass('sent')
    await heard(stage, 'invoice.paid', invoice)
    pass(`seen ${seconds()}`)
    await heard(stage, 'invoice.settled', invoice)
    pass(`settled ${seconds()}`)
    await heard(stage, 'invoice.completed', invoice)
    pass(`anchored ${seconds()}`)
    const { receiptId } = await call<Invoice>(stage, 'GET', `/v1/invoices/${invoice.id}`)
    const bundle = `${stage.service.url}/v1/public/receipts/${receiptId}/bundle`
    const verdict = await quittance<Verdict>(
      stage,
      ...['verify-receipt', bundle, '--rpc', stage.anchorChain.url],
      ...['--issuer', stage.service.url],
    )
    must(verdict.ok, verdict.message)
    verdicts.push(verdict)
    pass('verified')
    return passed.join(' ▸ ')
  }

  return {
    steps,
    outcome: () => verdicts.map(({ message }) => message).join('\n'),
    hints: () =>
      invoices.map(
        ({ id }) =>
          `invoice   curl -H 'x-api-key: ${stage.v1Key}' ${stage.service.url}/v1/invoices/${id}`,
      ),
  }
}

/** A chain, and the depth at which it counts a payment as settled. */
function lineOf(name: InvoiceChain): string {
  const { blocks, finalized } = registry[name].confirmations
  const depth = finalized ? 'finality' : `${blocks} block${blocks === 1 ? '' : 's'}`
  return `${name.padEnd(8)} ${depth.padEnd(9)}`
}
