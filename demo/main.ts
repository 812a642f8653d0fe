/**
 * `npm run demo [-- --keep]`: the main job on real parts. Starts a node, the service and a webhook receiver, lets an invoice be
 * paid, and checks everything that should follow. Exit code 0 only if every step was observed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Listr } from 'listr2'
import { registry } from '../src/chain/registry.ts'
import type { Verdict } from '../src/operator/verify-receipt.ts'
import { type EvmNode, startEvmNode } from '../test/support/evm-node.ts'
import { type Receiver, startReceiver, verify } from '../test/support/receiver.ts'
import { type Service, startService } from '../test/support/service.ts'

const keep = process.argv.includes('--keep')
const root = Bun.fileURLToPath(new URL('../', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'quittance-demo-'))
const stepLimitMs = 30_000

type Invoice = {
  readonly id: string
  readonly status: string
  readonly receiptId: string | null
  readonly paymentDetails: {
    readonly paymentAddress: string
    readonly amountDue: string
    readonly reference: string
    readonly txHash?: string
    readonly matchedBy?: string
  }
}

/** What the steps hand on to each other. */
type Stage = {
  node: EvmNode
  env: Record<string, string>
  service: Service
  v1Key: string
  receiver: Receiver
  secret: string
  invoice: Invoice
  txHash: string
  verdict: Verdict
}
const stage = {} as Stage

const renderer: 'default' | 'silent' = process.stdout.isTTY ? 'default' : 'silent'
const steps = new Listr<unknown, 'default' | 'silent'>(
  [
    step('Start a node as base (chain 8453) with the real USDC contract', async () => {
      stage.node = await startEvmNode({
        chainId: registry.base.chainId ?? 8453,
        blockTimeSeconds: 1,
      })
      return stage.node.url
    }),
    step('Deploy the anchor contract', async () => {
      const { url } = stage.node
      stage.env = {
        DATA_DIR: dataDir,
        BASE_RPC_URL: url,
        BASE_POLL_MS: '200',
        ANCHOR_RPC_URL: url,
        ANCHOR_PRIVATE_KEY: stage.node.wallet(7).privateKey,
        LOG_LEVEL: 'info',
      }
      const { contract } = await quittance<{ contract: string }>('anchor', 'deploy')
      stage.env.ANCHOR_CONTRACT = contract
      return contract
    }),
    step('Start PostgreSQL and the service', async () => {
      stage.service = await startService(stage.env)
      return stage.service.url
    }),
    step('Create an account', async () => {
      const created = await quittance<{ account: { id: string }; v1Key: string }>(
        ...['account', 'create', '--name', 'Demo', '--plan', 'pro'],
      )
      stage.v1Key = created.v1Key
      return created.account.id
    }),
    step('Subscribe a local receiver to webhooks', async () => {
      stage.receiver = startReceiver()
      const events = ['invoice.created', 'invoice.paid', 'invoice.settled', 'invoice.completed']
      const webhook = await call<{ secret: string }>('POST', '/v1/webhooks', {
        url: stage.receiver.url,
        events,
      })
      stage.secret = webhook.secret
      return stage.receiver.url
    }),
    step('Create an invoice over 12.50 USDC', async () => {
      stage.invoice = await call<Invoice>('POST', '/v1/invoices', {
        amount: 12.5,
        currency: 'USDC',
        chain: 'base',
        customerName: 'Ada Example',
        customerEmail: 'ada@example.com',
        serviceDescription: 'Translation of one contract',
      })
      return stage.invoice.id
    }),
    step('Pay it: a wallet sends an ERC-20 transfer', async () => {
      const { node, invoice } = stage
      const payer = node.wallet(1).address
      await node.mint(payer, 100_000_000n)
      const { paymentAddress, reference } = invoice.paymentDetails
      stage.txHash = await node.transfer({
        from: payer,
        to: paymentAddress,
        usdcBase: 12_500_000n,
        reference,
      })
      return stage.txHash
    }),
    step('The watcher settles the invoice by itself', async () => {
      const settled = await eventually(async () => {
        const invoice = await call<Invoice>('GET', `/v1/invoices/${stage.invoice.id}`)
        return invoice.status === 'SETTLED' ? invoice : null
      })
      const { txHash, matchedBy } = settled.paymentDetails
      must(txHash === stage.txHash, 'the invoice names another transaction')
      return `matched by ${matchedBy}`
    }),
    step('The webhook arrives, both signatures verify', async () => {
      const delivery = await stage.receiver.next(({ type }) => type === 'invoice.settled')
      const { plain, standard } = verify(delivery, stage.secret)
      must(plain, 'X-Service-Signature does not verify')
      must(standard, 'the Standard Webhooks signature does not verify')
      return delivery.headers['webhook-id'] ?? ''
    }),
    step('The receipt is anchored, and verified against the node alone', async () => {
      const completed = await stage.receiver.next(({ type }) => type === 'invoice.completed')
      must(verify(completed, stage.secret).plain, 'X-Service-Signature does not verify')
      stage.invoice = await call<Invoice>('GET', `/v1/invoices/${stage.invoice.id}`)
      const bundle = `${stage.service.url}/v1/public/receipts/${stage.invoice.receiptId}/bundle`
      stage.verdict = await quittance<Verdict>('verify-receipt', bundle, '--rpc', stage.node.url)
      must(stage.verdict.ok, stage.verdict.message)
      return stage.invoice.receiptId ?? ''
    }),
  ],
  {
    concurrent: false,
    renderer,
    rendererOptions: { collapseSubtasks: false },
  },
)

try {
  const started = performance.now()
  await steps.run()
  finish(performance.now() - started)
  if (keep) await interrupted()
} catch (error) {
  console.error(`\nThe demo failed: ${(error as Error).message}`)
  const lines = stage.service?.lines.filter(({ level }) => level !== 'info') ?? []
  for (const line of lines.slice(-10)) console.error(JSON.stringify(line))
  process.exitCode = 1
} finally {
  await stage.service?.stop()
  await stage.receiver?.stop()
  await stage.node?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** A step that shows what it came to and how long it took: a list in a terminal, a plain line anywhere else. */
function step(title: string, run: () => Promise<string>) {
  return {
    title,
    async task(_: unknown, task: { title: string }) {
      const started = performance.now()
      const outcome = await inTime(run(), title)
      const duration = `${((performance.now() - started) / 1_000).toFixed(2)} s`
      task.title = `${title}  ${dim(`${duration}  ${outcome}`)}`
      if (!process.stdout.isTTY) console.log(`ok  ${duration.padStart(7)}  ${title}: ${outcome}`)
    },
  }
}

function inTime<T>(work: Promise<T>, title: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`“${title}” took more than ${stepLimitMs / 1_000} s`)),
      stepLimitMs,
    )
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function dim(text: string): string {
  return process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text
}

function finish(durationMs: number): void {
  const { service, invoice, v1Key, node, verdict } = stage
  console.log(`\n${JSON.stringify(invoice, null, 2)}\n`)
  console.log(verdict.message)
  console.log(`\nDone in ${(durationMs / 1_000).toFixed(1)} s.`)
  if (!keep) return
  console.log(`\nStill running; Ctrl-C ends it.
  invoice   curl -H 'x-api-key: ${v1Key}' ${service.url}/v1/invoices/${invoice.id}
  receipt   ${service.url}/v1/public/receipts/${invoice.receiptId}/bundle
  ready     ${service.url}/readyz
  node      ${node.url} (chain 8453)
  data      ${dataDir}`)
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

/** A request as an integrator makes it; the `data` of the answer. */
async function call<Data>(method: string, path: string, body?: object): Promise<Data> {
  const response = await fetch(stage.service.url + path, {
    method,
    headers: { 'x-api-key': stage.v1Key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  must(response.ok, `${method} ${path} answered ${response.status}: ${text}`)
  return (JSON.parse(text) as { data: Data }).data
}

/** An operator command, as an operator runs it. */
async function quittance<Document>(...args: string[]): Promise<Document> {
  const command = Bun.spawn([process.execPath, 'src/cli.ts', ...args, '--json'], {
    cwd: root,
    env: { ...process.env, ...stage.env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, complaint] = await Promise.all([
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  must((await command.exited) === 0 || text !== '', `quittance ${args.join(' ')}: ${complaint}`)
  return JSON.parse(text) as Document
}

async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== null) return found
    await Bun.sleep(100)
  }
}

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
