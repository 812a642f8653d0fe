import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { serviceAccountId } from '../../src/domain/accounts/account.ts'
import { payerStatement } from '../../src/domain/settlement/payer-statement.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import type { Process, Topology } from '../support/topology.ts'
import { eventually } from '../support/wait.ts'
import { propose } from './agreement.ts'
import { type Client, createClient } from './client.ts'
import type { Fault } from './fault.ts'
import type { Stage } from './stage.ts'

/** Many callers that want the same thing at the same time, at different processes. */
export const contentionFaults: readonly Fault[] = [
  {
    id: 'F-16',
    what: 'fifty callers of whom half complete and half dispute one mandate',
    async inject(stage) {
      const problems: string[] = []
      for (let round = 0; round < stage.share(30); round++) {
        const mandate = await propose(stage, clientOf(stage))
        for (const signer of ['proposer', 'counterparty'] as const) await mandate.sign(signer)
        const statuses = await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            n % 2 === 0 ? mandate.complete() : mandate.dispute(),
          ),
        )
        problems.push(...unlike(statuses, { 200: 1, 409: 49 }))
      }
      return problems
    },
  },
  {
    id: 'F-41',
    what: 'mandates that expire while two hundred callers sign, or complete, them',
    async inject(stage) {
      const client = clientOf(stage)
      for (let round = 0; round < stage.share(50); round++) {
        const expiresMs = Date.now() + 2_500
        const mandate = await propose(stage, client, new Date(expiresMs).toISOString())
        const sign = (n: number) => mandate.sign(n % 2 === 0 ? 'proposer' : 'counterparty')
        const isToComplete = round % 2 === 0
        if (isToComplete) for (const n of [0, 1]) await sign(n)
        await Bun.sleep(expiresMs - 100 - Date.now())
        await Promise.all(
          Array.from({ length: 200 }, (_, n) => (isToComplete ? mandate.complete() : sign(n))),
        )
      }
      const late = await stage.topology
        .sql`select mandate_id from mandate_transitions join mandates on mandates.id = mandate_id
        where to_state <> 'expired' and mandate_transitions.created_at >= expires_at`
      return late.map(({ mandate_id }) => `${mandate_id} was moved after it had expired`)
    },
  },
  {
    id: 'F-42',
    what: 'a hundred callers sign, then complete, one mandate at once',
    async inject(stage) {
      const client = clientOf(stage)
      const mandate = await propose(stage, client)
      const each = Array.from({ length: 100 })
      // The same signature may be sent again; a completion may not.
      const signed = await Promise.all(each.map(() => mandate.sign('proposer')))
      await mandate.sign('counterparty')
      const completed = await Promise.all(each.map(() => mandate.complete()))
      return [...unlike(signed, { 200: 100 }), ...unlike(completed, { 200: 1, 409: 99 })]
    },
  },
  {
    id: 'F-43',
    what: 'two hundred reservations of one at once, of a budget of a hundred',
    async inject(stage, random) {
      const client = clientOf(stage)
      const agentId = `crowd ${random.between(1, 1_000_000)}`
      await client.call('PUT', `/api/budget/${encodeURIComponent(agentId)}`, { limit: 100 })
      const wish = { agentId, amount: 1, reserve: true }
      const statuses = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const { status } = await client.call('POST', '/api/budget/check', wish)
          return status
        }),
      )
      return unlike(statuses, { 200: 100, 402: 100 })
    },
  },
  {
    id: 'F-45',
    what: 'fifty copies of one x402 payment at once',
    async inject({ topology }) {
      const proof = await transferProof(topology)
      const before = await soldInvoices(topology)
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const { url } = topology.http[n % topology.http.length] as Process
          const response = await fetch(url + paidPath, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'payment-signature': JSON.stringify(proof),
            },
            body: JSON.stringify({ recipient: 'Ada', email: 'ada@example.com', amount: 2.5 }),
          })
          return { status: response.status, text: await response.text() }
        }),
      )
      const { sql } = topology
      const isOnRecord = async () =>
        (await sql`select from transfers where tx_hash = ${toBytes(proof.txHash)}`).length === 1
      // The answers do not wait for the watcher, but the oracles need the transfer on record.
      await eventually(isOnRecord, 60_000)
      const given = answers.filter(({ status }) => status === 200)
      const others = answers.filter(({ status }) => status !== 200 && status !== 409)
      const made = (await soldInvoices(topology)) - before
      return [
        ...(made === 1 ? [] : [`${made} invoices were made of one payment`]),
        ...(new Set(given.map(({ text }) => text)).size === 1 ? [] : ['not one answer to all']),
        ...others.slice(0, 3).map(({ status, text }) => `answered ${status}: ${text}`),
      ]
    },
  },
  {
    id: 'F-53',
    what: 'requests around the edge of a minute, of an account that has sixty in each',
    async inject({ topology }) {
      const { v1Key } = await topology.newAccount('Few', { perMinute: 60, perDay: 10_000 })
      const untilEdgeMs = () => 60_000 - (Date.now() % 60_000)
      await Bun.sleep(untilEdgeMs() > 2_000 ? untilEdgeMs() - 1_000 : untilEdgeMs() + 59_000)
      const before = await manyAsk(topology, v1Key)
      await Bun.sleep(Math.min(untilEdgeMs(), 2_000))
      const after = await manyAsk(topology, v1Key)
      const windows = Map.groupBy([...before, ...after], ({ window }) => window)
      return [...windows.values()].flatMap((asked) => {
        const admitted = asked.filter(({ status }) => status === 200).length
        const refused = asked.filter(({ status }) => status === 429).length
        return admitted === Math.min(60, asked.length) && admitted + refused === asked.length
          ? []
          : [`${admitted} of ${asked.length} were admitted in a minute, ${refused} refused`]
      })
    },
  },
]

/**
 * Sends two hundred requests at once. Answers each one's status and the end of the minute it counts
 * in.
 */
function manyAsk({ http }: Topology, apiKey: string) {
  return Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const { url } = http[n % http.length] as Process
      const response = await fetch(`${url}/v1/invoices`, { headers: { 'x-api-key': apiKey } })
      await response.arrayBuffer()
      return { status: response.status, window: response.headers.get('x-ratelimit-reset') }
    }),
  )
}

const paidPath = '/api/x402/invoice'
const priceUsdcBase = 10_000n

async function transferProof({ base, wallets, env }: Topology) {
  const { address: payer, privateKey } = base.wallet(5)
  const txHash = await base.transfer({ from: payer, to: wallets.base, usdcBase: priceUsdcBase })
  const subject = { resource: `${env.PUBLIC_URL}${paidPath}` }
  const message = payerStatement({ subject, chain: 'base', txHash })
  const signature: Hex = await privateKeyToAccount(privateKey).signMessage({ message })
  return { txHash, signature, payer }
}

async function soldInvoices({ sql }: Topology): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from invoices where account_id = ${serviceAccountId}`
  return row?.count ?? 0
}

function clientOf({ topology, account }: Stage): Client {
  return createClient(topology.http, account.v1Key)
}

function unlike(statuses: readonly number[], wanted: Readonly<Record<number, number>>) {
  const counts = Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, of]) => [status, of.length]),
  )
  return Bun.deepEquals(counts, wanted)
    ? []
    : [`answered ${JSON.stringify(counts)} instead of ${JSON.stringify(wanted)}`]
}
