import { join } from 'node:path'
import type { InvoiceChain } from '../src/domain/network.ts'
import { registry } from '../src/domain/registry.ts'
import type { Verified } from '../src/operator/books/verify.ts'
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
import { eventually, must, type Step, step } from './step.ts'

type Result = {
  payer: DemoChain
  invoice: Invoice
  txHash: string
  verdict: Verdict
  open: number
}

export function oneChain(stage: Stage, chain: InvoiceChain) {
  const result = {} as Result
  const steps: readonly Step[] = [
    ...startingSteps(stage, chain),
    ...openingSteps(stage),
    step('Create an invoice over 12.50 USDC', async () => {
      result.payer = stage.chains.find((one) => one.chain === chain) as DemoChain
      result.invoice = await createInvoice(stage, result.payer)
      return result.invoice.id
    }),
    step(payment(chain), async () => {
      result.txHash = await payInvoice(result.payer, result.invoice)
      return result.txHash
    }),
    step('The watcher settles the invoice by itself', async () => {
      const settled = await eventually(async () => {
        const invoice = await read()
        return invoice.status === 'SETTLED' ? invoice : null
      })
      const { txHash, matchedBy } = settled.paymentDetails
      must(txHash === result.txHash, 'the invoice names another transaction')
      return `matched by ${matchedBy}`
    }),
    step('The webhook arrives, both signatures verify', () =>
      heard(stage, 'invoice.settled', result.invoice),
    ),
    step('The receipt is anchored, and verified against the node alone', async () => {
      await heard(stage, 'invoice.completed', result.invoice)
      result.invoice = await read()
      result.verdict = await quittance<Verdict>(
        stage,
        ...['verify-receipt', bundleOf(result.invoice), '--rpc', stage.anchorChain.url],
        ...['--issuer', stage.service.url],
      )
      must(result.verdict.ok, result.verdict.message)
      return result.invoice.receiptId ?? ''
    }),
    step('An auditor verifies the books of the year against the same node', async () => {
      const file = join(stage.dataDir, 'books.jsonl')
      const period = `${new Date().getUTCFullYear()}`
      const of = ['--account', stage.accountId, '--period', period, '--out', file]
      await quittance(stage, 'books', 'export', ...of)
      const { url, node } = stage.anchorChain
      const verified = await quittance<Verified>(
        stage,
        ...['books', 'verify', file, '--rpc', url, '--sender', node.wallet(7).address],
        ...['--contract', stage.env.ANCHOR_CONTRACT ?? ''],
      )
      must(verified.ok, verified.faults.map(({ message }) => message).join())
      result.open = verified.open
      return `${verified.entries} entries, ${verified.open} open`
    }),
  ]

  function read(): Promise<Invoice> {
    return call<Invoice>(stage, 'GET', `/v1/invoices/${result.invoice.id}`)
  }

  function bundleOf({ receiptId }: Invoice): string {
    return `${stage.service.url}/v1/public/receipts/${receiptId}/bundle`
  }

  return {
    steps,
    outcome: () => summary(result),
    hints: () => [
      `invoice   curl -H 'x-api-key: ${stage.v1Key}' ${stage.service.url}/v1/invoices/${result.invoice.id}`,
      `payment   ${stage.service.url}/pay/${result.invoice.id}`,
      `receipt   ${bundleOf(result.invoice)}`,
    ],
  }
}

function summary({ invoice, txHash, verdict, open }: Result): string {
  const { amountDue, paymentAddress, matchedBy } = invoice.paymentDetails
  return [
    `invoice   ${invoice.id} is ${invoice.status}`,
    `payment   ${amountDue} USDC to ${paymentAddress}, matched by ${matchedBy}`,
    `          in ${txHash}`,
    `receipt   ${verdict.message}`,
    `books     verified; ${open} document, which the receipt of the month proves once the month is over`,
  ].join('\n')
}

function startingSteps(stage: Stage, chain: InvoiceChain): readonly Step[] {
  if (chain !== 'solana') {
    const { chainId } = registry[chain]
    return [
      step(`Start a node as ${chain} (chain ${chainId}) with the real USDC contract`, async () => {
        stage.anchorChain = await startEvmChain(chain)
        stage.chains.push(stage.anchorChain)
        return 'ready'
      }),
    ]
  }
  return [
    step('Start LiteSVM as solana with the real Token, ATA and Memo programs', async () => {
      const solana = await startSolanaChain()
      stage.chains.push(solana)
      return 'ready'
    }),
    step('Start a node as base (chain 8453), where receipts are anchored', async () => {
      stage.anchorChain = await startEvmChain('base')
      return 'ready'
    }),
  ]
}

function payment(chain: InvoiceChain): string {
  const how =
    chain === 'solana' ? 'an SPL transfer with the reference as its memo' : 'an ERC-20 transfer'
  return `Pay it: a wallet sends ${how}`
}
