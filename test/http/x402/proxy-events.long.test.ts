import { describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { type Answer, refused } from '../../support/app.ts'
import { credited } from '../../support/credit-notes.ts'
import { eventually } from '../../support/wait.ts'
import { signedPayment } from '../../support/x402-buyer.ts'
import { idIn, useShop } from '../../support/x402-proxy.ts'
import type { Behaviour } from '../../support/x402-upstream.ts'

/**
 * What budget and mandate count, in every order of what an agent, an upstream and the chain may do:
 * exactly the payments that may still come, or have come.
 */

const {
  app,
  node,
  upstream,
  startHere,
  aResource,
  buy,
  invoice,
  allow,
  budgetOf,
  agreedFor,
  boundTo,
} = useShop({ funded: [1, 5], env: { BASE_CONFIRMATIONS: '2', BASE_POLL_MS: '50' } })
const waitMs = 30_000
const usdcBase = 10_000n

type Payment = { readonly headers: Record<string, string>; readonly nonce: Hex }

/** An agent with a budget and a mandate of three payments, and what has become of them. */
async function anAgent() {
  const [agentId, mandateId, url] = [await allow(3), await agreedFor('0.03'), aResource()]
  const who = { 'x-agent-id': agentId, 'x-mandate-id': mandateId }
  const payments: Payment[] = []
  const answers: Answer[] = []
  const sign = async (unpaid: Pick<Answer, 'headers'>) => {
    const payment = await signedPayment(node.wallet(1), unpaid)
    payments.push(payment)
    return payment
  }
  async function send(headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await buy(url, { ...who, ...headers })
    answers.push(answer)
    return answer
  }
  /** Signs what the upstream itself demands, whatever we say, and sends it through us. */
  async function pay(behaviour: Behaviour): Promise<Answer> {
    const { headers } = await sign(await fetch(url))
    upstream.behaviour = behaviour
    return send(headers)
  }
  async function counted() {
    const { spent, reserved } = await budgetOf(agentId)
    return { spent, reserved, bound: (await boundTo(mandateId)) / 10_000 }
  }
  const bought = () => answers.map(idIn).find((id) => id !== '') ?? ''
  return { agentId, mandateId, url, who, payments, answers, send, pay, counted, bought }
}

type Agent = Awaited<ReturnType<typeof anAgent>>

/** The agent's payment is on chain, whoever has sent it there. */
function settleOnChain({ nonce: reference }: Payment): Promise<Hex> {
  return node.transferWithAuthorization({
    ...{ from: node.wallet(1), to: upstream.payTo, usdcBase, reference },
  })
}

async function statusOf(agent: Agent): Promise<string> {
  return (await invoice(agent.bought())).status
}

const becomes = (agent: Agent, status: string) =>
  eventually(async () => (await statusOf(agent)) === status, waitMs)

async function txHashOf(agent: Agent): Promise<Hex> {
  return (await invoice(agent.bought())).paymentDetails.txHash
}

/** Takes the newest payment's block, and all that follow, off the chain. */
async function reorganise(txHash: Hex): Promise<void> {
  const { blockNumber } = await node.rpc<{ blockNumber: Hex }>('eth_getTransactionReceipt', [
    txHash,
  ])
  const head = await node.rpc<Hex>('eth_blockNumber')
  await node.reorg(Number(head) - Number(blockNumber) + 1)
  await node.mine(1)
}

const raw = new Map<Agent, Hex>()
const refunds = new Map<Agent, Hex>()

const steps = {
  ask: (agent: Agent) => agent.send(),
  'pay, and it is settled': (agent: Agent) => agent.pay('settle'),
  'pay, and it is refused': (agent: Agent) => agent.pay('refuse'),
  'pay, and the upstream fails': (agent: Agent) => agent.pay('fail'),
  'pay, and the upstream hangs up': (agent: Agent) => agent.pay('hang up'),
  'pay, and it is settled before the upstream hangs up': (agent: Agent) =>
    agent.pay('settle then hang up'),
  'pay, and it is settled before it is refused': (agent: Agent) => agent.pay('settle and refuse'),
  'pay, and it is accepted unsettled': (agent: Agent) => agent.pay('deliver and say nothing'),
  'send it again, and it is settled': (agent: Agent) => again(agent, 'settle'),
  'send it again, and it is refused': (agent: Agent) => again(agent, 'refuse'),
  'send it again, and the upstream fails': (agent: Agent) => again(agent, 'fail'),
  'it comes late': ({ payments }: Agent) => settleOnChain(payments.at(-1) as Payment),
  async 'it is final'(agent: Agent) {
    await node.mine(3)
    await becomes(agent, 'settled')
  },
  /** Every payment that is out. */
  async 'it can never come'({ mandateId }: Agent) {
    await app.database.sql`
      update purchases set valid_before = now() - interval '1 day' where mandate_id = ${mandateId}`
    await node.mine(3)
  },
  async 'its payer cancels it'({ payments }: Agent) {
    await node.cancelAuthorization(node.wallet(1), (payments.at(-1) as Payment).nonce)
    await node.mine(3)
  },
  async 'it is refunded'(agent: Agent) {
    const { json } = await credited(app, agent.bought(), { number: crypto.randomUUID() })
    const to = node.wallet(1).address
    refunds.set(agent, await node.transfer({ from: upstream.payTo, to, usdcBase }))
    await node.mine(3)
    await eventually(async () => {
      const note = await app.send('GET', `/api/credit-notes/${json.id}`)
      return note.json.status === 'refunded'
    }, waitMs)
  },
  'the refund leaves the chain': (agent: Agent) => reorganise(refunds.get(agent) as Hex),
  async 'it leaves the chain'(agent: Agent) {
    const txHash = await txHashOf(agent)
    raw.set(agent, await node.rpc<Hex>('eth_getRawTransactionByHash', [txHash]))
    await reorganise(txHash)
    await eventually(async () => (await statusOf(agent)) !== 'settled', waitMs)
  },
  async 'it comes back'(agent: Agent) {
    await node.rpc('eth_sendRawTransaction', [raw.get(agent) as Hex])
  },
} as const

function again({ send, payments }: Agent, behaviour: Behaviour): Promise<Answer> {
  upstream.behaviour = behaviour
  return send(payments.at(-1)?.headers)
}

type Step = keyof typeof steps
/** A step, and what is spent and held afterwards. */
type Counted = readonly [step: Step, spent: number, reserved: number]

const asked: Counted = ['ask', 0, 0]
const settled: readonly Counted[] = [asked, ['pay, and it is settled', 1, 0], ['it is final', 1, 0]]
const stories: readonly (readonly [steps: readonly Counted[], status: string])[] = [
  [[...settled, ['send it again, and it is refused', 1, 0]], 'settled'],
  [[asked, ['pay, and it is refused', 0, 1], ['it can never come', 0, 0]], 'sent'],
  [[asked, ['pay, and it is refused', 0, 1], ['its payer cancels it', 0, 0]], 'sent'],
  [
    [asked, ['pay, and it is refused', 0, 1], ['it comes late', 1, 0], ['it is final', 1, 0]],
    'settled',
  ],
  [
    [
      asked,
      ['pay, and it is refused', 0, 1],
      ['send it again, and it is refused', 0, 1],
      ['send it again, and it is settled', 1, 0],
      ['it is final', 1, 0],
    ],
    'settled',
  ],
  [
    [
      asked,
      ['pay, and the upstream fails', 0, 1],
      ['send it again, and the upstream fails', 0, 1],
      ['it can never come', 0, 0],
      ['pay, and it is settled', 1, 0],
      ['it is final', 1, 0],
    ],
    'settled',
  ],
  [
    [
      asked,
      ['pay, and the upstream fails', 0, 1],
      ['pay, and it is settled', 1, 1],
      ['it can never come', 1, 0],
    ],
    'sent',
  ],
  [[asked, ['pay, and the upstream hangs up', 0, 1], ['it can never come', 0, 0]], 'sent'],
  [
    [asked, ['pay, and it is settled before the upstream hangs up', 1, 0], ['it is final', 1, 0]],
    'settled',
  ],
  [
    [asked, ['pay, and it is settled before it is refused', 1, 0], ['it is final', 1, 0]],
    'settled',
  ],
  [[asked, ['pay, and it is accepted unsettled', 1, 0], ['it can never come', 0, 0]], 'sent'],
  [
    [
      asked,
      ['pay, and it is accepted unsettled', 1, 0],
      ['it comes late', 1, 0],
      ['it is final', 1, 0],
    ],
    'settled',
  ],
  [
    [...settled, ['it leaves the chain', 1, 0], ['it comes back', 1, 0], ['it is final', 1, 0]],
    'settled',
  ],
  [[...settled, ['it leaves the chain', 1, 0], ['it can never come', 0, 0]], 'sent'],
  [[...settled, ['it is refunded', 0, 0]], 'settled'],
  [[...settled, ['it is refunded', 0, 0], ['the refund leaves the chain', 1, 0]], 'settled'],
]

describe('budget and mandate count what may still come or has come, and nothing else', () => {
  const named = stories.map(([story, status]) => {
    return [story.map(([step]) => step).join('; '), story, status] as const
  })
  test.each(named)('%s', async (_, story, status) => {
    const agent = await anAgent()
    for (const [step, spent, reserved] of story) {
      await steps[step](agent)
      const counts = { spent, reserved, bound: spent + reserved }
      // The worker sees by and by what the chain shows.
      const isSo = async () => Bun.deepEquals(await agent.counted(), counts)
      await eventually(isSo, waitMs).catch(async () => {
        expect({ step, ...(await agent.counted()) }).toEqual({ step, ...counts })
      })
    }
    await becomes(agent, status)
  })
})

describe('an upstream that says one thing and does another', () => {
  test.each(['refuse', 'fail', 'hang up'] as const)(
    'gets no more than three signed payments of a budget and mandate of three, whatever it says (%s), and all that it settles later counts',
    async (behaviour) => {
      const agent = await anAgent()
      const before = paymentsSeen()
      for (let n = 0; n < 8; n++) await agent.pay(behaviour)
      expect(paymentsSeen() - before).toBe(3)
      expect(await agent.counted()).toEqual({ spent: 0, reserved: 3, bound: 3 })
      const last = agent.answers.at(-1) as Answer
      expect([402, 403]).toContain(last.status)
      expect(['BUDGET_EXCEEDED', 'MANDATE_LIMIT_EXCEEDED']).toContain(last.json.error.code)
      expect(last.headers.get('payment-required')).toBeNull()
      for (const payment of agent.payments) await settleOnChain(payment)
      await node.mine(3)
      await eventually(async () => (await agent.counted()).spent === 3, waitMs)
      expect(await agent.counted()).toEqual({ spent: 3, reserved: 0, bound: 3 })
      const over = await agent.pay('settle')
      expect([402, 403]).toContain(over.status)
      expect(paymentsSeen() - before).toBe(3)
    },
  )

  test('is not sent more at once either', async () => {
    const agent = await anAgent()
    const signed = await Promise.all(
      Array.from({ length: 12 }, async () => signedPayment(node.wallet(1), await fetch(agent.url))),
    )
    upstream.behaviour = 'fail'
    const before = paymentsSeen()
    const other = await startHere({ ROLE: 'http' })
    await Promise.all(
      signed.map(({ headers }, n) => {
        const all = { 'x-api-key': app.account.v1Key, ...agent.who, ...headers }
        const path = `/api/x402/proxy?url=${encodeURIComponent(agent.url)}`
        return fetch((n % 2 ? other.url : app.url) + path, { headers: all })
      }),
    )
    await other.drain()
    expect(paymentsSeen() - before).toBeLessThanOrEqual(3)
    const { reserved, bound } = await agent.counted()
    expect([reserved, bound]).toEqual([paymentsSeen() - before, paymentsSeen() - before])
  })

  test('is counted above the limit where the chain shows that it was paid', async () => {
    const agent = await anAgent()
    await agent.pay('fail')
    await app.send('PUT', `/api/budget/${encodeURIComponent(agent.agentId)}`, { limit: 0 })
    await settleOnChain(agent.payments[0] as Payment)
    await node.mine(3)
    await becomes(agent, 'settled')
    const { json } = await app.send('GET', `/api/budget/${encodeURIComponent(agent.agentId)}`)
    expect(json.data).toMatchObject({ limit: 0, spent: 1, reserved: 0, remaining: 0 })
    expect(refused(await agent.pay('settle'))).toEqual([402, 'BUDGET_EXCEEDED'])
  })
})

test('one authorization that two accounts send settles for the first of them, and counts for the agents of both', async () => {
  const url = aResource()
  const other = { 'x-api-key': app.other.v1Key }
  const [agentId, theirs] = [await allow(3), crypto.randomUUID()]
  await app.send('PUT', `/api/budget/${theirs}`, { limit: 3 }, other)
  const ours = { 'x-agent-id': agentId }
  const unpaid = await buy(url, ours)
  await buy(url, { ...other, 'x-agent-id': theirs })
  const { headers, nonce } = await signedPayment(node.wallet(1), unpaid)
  upstream.behaviour = 'fail'
  const ids = [
    idIn(await buy(url, { ...headers, ...ours })),
    idIn(await buy(url, { ...headers, ...other, 'x-agent-id': theirs })),
  ]
  await settleOnChain({ headers, nonce })
  await node.mine(3)
  await eventually(async () => (await invoice(ids[0] ?? '')).status === 'settled', waitMs)
  const { status } = (await app.send('GET', `/api/invoices/${ids[1]}`, undefined, other)).json
  expect(status).not.toBe('settled')
  expect(await budgetOf(agentId)).toMatchObject({ spent: 1, reserved: 0 })
  const { data } = (await app.send('GET', `/api/budget/${theirs}`, undefined, other)).json
  expect(data.spent + data.reserved).toBe(1)
  expect(await usesOf(nonce)).toBe(1)
})

/** How many purchases the transfer of an authorization has paid. */
async function usesOf(nonce: Hex): Promise<number> {
  const [row] = await app.database.sql<{ count: number }[]>`
    select count(*)::integer as count from transfer_uses join purchases on subject_id = invoice_id
    where nonce = decode(${nonce.slice(2)}, 'hex')`
  return row?.count ?? 0
}

/** How many requests with a payment the upstream has seen. */
function paymentsSeen(): number {
  return upstream.requests.filter(({ headers }) => 'payment-signature' in headers).length
}
