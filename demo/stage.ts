import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewAccount } from '../src/operator/accounts.ts'
import { quittance as runCommand } from '../test/support/cli.ts'
import { type Receiver, startReceiver, verify } from '../test/support/receiver.ts'
import { type Service, startService } from '../test/support/service.ts'
import type { DemoChain } from './chain.ts'
import type { DemoEvmChain } from './evm.ts'
import { must, type Step, step } from './step.ts'

export type Invoice = {
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

/** A member is set by the step that creates it. */
export type Stage = {
  readonly dataDir: string
  readonly chains: DemoChain[]
  anchorChain: DemoEvmChain
  env: Record<string, string>
  /** Its data must not be removed before it has started, or it would start without. */
  starting: Promise<Service>
  service: Service
  accountId: string
  v1Key: string
  signingSecret: string
  receiver: Receiver
  secret: string
}

const pollMs = 200

export function openStage(): Stage {
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-demo-'))
  return { dataDir, chains: [] as DemoChain[] } as Stage
}

export async function closeStage(stage: Stage): Promise<void> {
  const { starting, receiver, chains, anchorChain, dataDir } = stage
  const started = await starting?.catch(() => null)
  await started?.stop()
  await receiver?.stop()
  await Promise.all([...new Set([...chains, anchorChain])].map((chain) => chain?.stop()))
  removeData(dataDir)
}

/** As root, the database in a private folder is only a link to where its user can reach it. */
function removeData(dataDir: string): void {
  const database = join(dataDir, 'postgres')
  if (existsSync(database)) rmSync(realpathSync(database), { recursive: true })
  rmSync(dataDir, { recursive: true, force: true })
}

export function openingSteps(stage: Stage): readonly Step[] {
  return [
    step('Deploy the anchor contract', async () => {
      const { url, node } = stage.anchorChain
      const watched = stage.chains.flatMap(({ chain, url }) => [
        [`${chain.toUpperCase()}_RPC_URL`, url],
        [`${chain.toUpperCase()}_POLL_MS`, `${pollMs}`],
      ])
      stage.env = {
        ...Object.fromEntries(watched),
        ...Object.assign({}, ...stage.chains.map(({ facilitator }) => facilitator)),
        DATA_DIR: stage.dataDir,
        ANCHOR_RPC_URL: url,
        ANCHOR_PRIVATE_KEY: node.wallet(7).privateKey,
        LOG_LEVEL: 'info',
      }
      const { contract } = await quittance<{ contract: string }>(stage, 'anchor', 'deploy')
      stage.env.ANCHOR_CONTRACT = contract
      return contract
    }),
    step('Start PostgreSQL and the service', async () => {
      stage.starting = startService(stage.env)
      stage.service = await stage.starting
      return 'ready'
    }),
    step('Create an account', async () => {
      const { account, v1Key, signingSecret } = await quittance<NewAccount>(
        stage,
        ...['account', 'create', '--name', 'Demo', '--plan', 'pro'],
      )
      Object.assign(stage, { accountId: account.id, v1Key, signingSecret })
      return account.id
    }),
    step('Subscribe a local receiver to webhooks', async () => {
      stage.receiver = startReceiver()
      const events = ['invoice.created', 'invoice.paid', 'invoice.settled', 'invoice.completed']
      const webhook = await call<{ secret: string }>(stage, 'POST', '/v1/webhooks', {
        url: stage.receiver.url,
        events,
      })
      stage.secret = webhook.secret
      return `${events.length} kinds of events`
    }),
  ]
}

export function createInvoice(stage: Stage, { chain }: DemoChain): Promise<Invoice> {
  return call<Invoice>(stage, 'POST', '/v1/invoices', {
    amount: 12.5,
    currency: 'USDC',
    chain,
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
    serviceDescription: 'Translation of one contract',
  })
}

export function payInvoice({ pay }: DemoChain, { paymentDetails }: Invoice): Promise<string> {
  const { paymentAddress, reference } = paymentDetails
  return pay({ to: paymentAddress, usdcBase: 12_500_000n, reference })
}

/** Waits for a webhook and verifies its signatures. Answers the event's id. */
export async function heard(stage: Stage, type: string, invoice: Invoice): Promise<string> {
  const isIt = (event: { type: string; data: Readonly<Record<string, unknown>> }) =>
    event.type === type && event.data.id === invoice.id
  const delivery = await stage.receiver.next(isIt, 60_000)
  const { plain, standard } = verify(delivery, stage.secret)
  must(plain, 'X-Service-Signature does not verify')
  must(standard, 'the Standard Webhooks signature does not verify')
  return delivery.headers['webhook-id'] ?? ''
}

/** Answers the `data` of the answer. */
export async function call<Data>(
  { service, v1Key }: Stage,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'x-api-key': v1Key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  must(response.ok, `${method} ${path} answered ${response.status}: ${text}`)
  return (JSON.parse(text) as { data: Data }).data
}

/** Answers the command's JSON. */
export async function quittance<Document>({ env }: Stage, ...args: string[]): Promise<Document> {
  const { code, json, stderr } = await runCommand(env, ...args, '--json')
  must(code === 0 || json !== null, `quittance ${args.join(' ')}: ${stderr}`)
  return json as Document
}
