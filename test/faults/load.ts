import { Connection } from '@solana/web3.js'
import { canonicalText } from '../../src/domain/mandates/canonical.ts'
import type { NewAccount } from '../../src/operator/accounts.ts'
import { transferCall } from '../support/evm-node.ts'
import { signatureOf } from '../support/mandate.ts'
import { transferUsdc } from '../support/solana-transfer.ts'
import type { Topology } from '../support/topology.ts'
import { type Client, createClient, type Try } from './client.ts'
import type { Random } from './random.ts'

/** What the service acknowledged to callers, and must therefore still hold in the end. */
export type Ledger = {
  readonly invoices: { readonly id: string; readonly number: number }[]
  readonly paidInvoiceIds: string[]
  readonly mandates: { readonly id: string; readonly state: string }[]
}

export type Load = {
  readonly tries: readonly Try[]
  /**
   * Starts no further work. Resolves once everything started is answered, with the callers'
   * complaints.
   */
  stop(): Promise<readonly string[]>
}

type Caller = {
  readonly client: Client
  readonly topology: Topology
  readonly account: NewAccount
  readonly ledger: Ledger
  readonly random: Random
  /**
   * Each caller has its own wallet: a node that gets two payments of one wallet at once may give
   * both the same nonce.
   */
  readonly wallet: number
  /** A name that no other call of the run uses. It is the same in every run with the same seed. */
  newName(): string
}

const callers = 6
const agents = 4

/** Starts callers that do random business, each one action at a time. */
export function startLoad(options: {
  topology: Topology
  account: NewAccount
  ledger: Ledger
  random: Random
  name: string
}): Load {
  const { topology, account, ledger, name } = options
  const client = createClient(topology.http, account.v1Key)
  const complaints: string[] = []
  let isStopping = false
  const running = Array.from({ length: callers }, async (_, index) => {
    const random = options.random.fork(`caller ${index}`)
    let count = 0
    const newName = () => `${name} ${index} ${count++}`
    const caller = { client, topology, account, ledger, random, wallet: index + 1, newName }
    while (!isStopping) {
      await random
        .pick(business)(caller)
        .catch((error) => void complaints.push(String(error)))
      await Bun.sleep(random.between(10, 120))
    }
  })
  return {
    tries: client.tries,
    async stop() {
      isStopping = true
      await Promise.all(running)
      return complaints
    },
  }
}

/** The actions of a caller; a repeated entry makes its action more frequent. */
const business = [
  payByReference,
  payByReference,
  payByAmount,
  payOnSolana,
  agree,
  agree,
  spend,
  spend,
  leaveOpen,
]

async function payByReference(caller: Caller): Promise<void> {
  const usdcBase = BigInt(caller.random.between(1_000_000, 9_000_000))
  const invoice = await createInvoice(caller, usdcBase)
  await pay(caller, usdcBase, invoice.paymentDetails.reference)
  caller.ledger.paidInvoiceIds.push(invoice.id)
}

/** Pays without a reference, by an amount that no other invoice has. */
async function payByAmount(caller: Caller): Promise<void> {
  const unique = Bun.hash.crc32(`${caller.account.account.id} ${caller.newName()}`)
  const usdcBase = 10_000_000n + BigInt(unique)
  const invoice = await createInvoice(caller, usdcBase)
  await pay(caller, usdcBase)
  caller.ledger.paidInvoiceIds.push(invoice.id)
}

async function payOnSolana(caller: Caller): Promise<void> {
  const { topology, ledger, random, wallet } = caller
  const { solana, wallets } = topology
  const usdcBase = BigInt(random.between(1_000_000, 9_000_000))
  const { id, paymentDetails } = await createInvoice(caller, usdcBase, 'solana')
  const { reference } = paymentDetails
  const payer = solana.wallet(wallet)
  const connection = new Connection(solana.url, 'confirmed')
  const { mint } = solana
  await transferUsdc(connection, payer, { mint, to: wallets.solana, usdcBase, memo: reference })
  ledger.paidInvoiceIds.push(id)
}

async function leaveOpen(caller: Caller): Promise<void> {
  await createInvoice(caller, BigInt(caller.random.between(1_000_000, 9_000_000)))
}

async function createInvoice(
  { client, ledger, newName }: Caller,
  usdcBase: bigint,
  chain: 'base' | 'solana' = 'base',
) {
  const key = newName()
  const body = {
    amount: Number(usdcBase) / 1_000_000,
    currency: 'USDC',
    chain,
    customerName: 'Ada',
    customerEmail: 'ada@example.com',
    description: key,
  }
  const { status, data } = await client.call('POST', '/v1/invoices', body, key)
  if (status !== 201) throw new Error(`an invoice was answered ${status}`)
  ledger.invoices.push({ id: data.id, number: data.invoiceNumber })
  return data
}

async function pay({ topology, wallet }: Caller, usdcBase: bigint, reference = '0x') {
  const { base, wallets } = topology
  await base.submit({
    from: base.wallet(wallet).address,
    to: base.usdc,
    data: `${transferCall({ to: wallets.base, usdcBase })}${reference.slice(2)}`,
  })
}

/** Proposes a mandate and takes a random number of its steps. */
async function agree({ client, account, ledger, random, newName }: Caller): Promise<void> {
  const parties = { proposer: 'agent_alpha', counterparty: 'agent_beta', scope: 'work' }
  const [terms, expiresAt] = [{ b: 2, a: 1 }, '2099-12-31T00:00:00.000Z']
  const proposal = { ...parties, terms, expiry: expiresAt }
  const proposed = await client.call('POST', '/v1/mandates', proposal, newName())
  const id: string = proposed.data.mandate_id
  const canonical = canonicalText({ id, ...parties, terms: JSON.stringify(terms), expiresAt })
  const signature = signatureOf(canonical, account.signingSecret)
  const moves: readonly (readonly [path: string, body: object, next: string])[] = [
    ['sign', { signer: 'proposer', signature }, 'signed_by_proposer'],
    ['sign', { signer: 'counterparty', signature }, 'signed_by_both'],
    random.next() < 0.8
      ? ['complete', {}, 'completed']
      : ['dispute', { reason: 'Half is missing' }, 'disputed'],
  ]
  let state = 'proposed'
  for (const [path, body, next] of moves.slice(0, random.between(1, 3))) {
    const { status, isRetried } = await client.call('POST', `/v1/mandates/${id}/${path}`, body)
    // An earlier attempt whose answer was lost may have made this move already.
    if (status !== 200 && !(status === 409 && isRetried))
      throw new Error(`${path} of a mandate was answered ${status}`)
    state = next
  }
  ledger.mandates.push({ id, state })
}

/**
 * Reserves part of a budget that soon runs out, and then commits it, releases it or leaves it open.
 */
async function spend({ client, random, newName }: Caller): Promise<void> {
  const agentId = `agent ${random.between(1, agents)}`
  const wish = { agentId, amount: random.between(1, 50), reserve: true }
  const { status, data } = await client.call('POST', '/api/budget/check', wish, newName())
  if (status === 404 || data === undefined || data === null) return
  const end = random.pick(['commit', 'commit', 'release', null])
  if (end) await client.call('POST', `/api/budget/reservations/${data.reservationId}/${end}`)
}

/** Creates what the load needs: budgets, and USDC in the payers' wallets. */
export async function prepareLoad(topology: Topology, account: NewAccount): Promise<void> {
  const client = createClient(topology.http, account.v1Key)
  for (let agent = 1; agent <= agents; agent++)
    await client.call('PUT', `/api/budget/agent%20${agent}`, { limit: 5_000, period: 'total' })
  const { base, solana } = topology
  for (let payer = 1; payer <= callers; payer++) {
    await base.mint(base.wallet(payer).address, 10n ** 15n)
    solana.mintTo(solana.wallet(payer).publicKey, 10n ** 15n)
  }
}
