import type { Hex } from 'viem'
import type { TestApp } from './app.ts'
import { eventually } from './wait.ts'
import { useWorld, type Wants, type World } from './world.ts'
import { signedPayment } from './x402-buyer.ts'
import type { Behaviour } from './x402-upstream.ts'

const waitMs = 30_000

/**
 * A world with an upstream on Base that sells for 0.01 USDC, new for each test; wallet 1 buys. The
 * service polls the chain every 50 ms and takes two confirmations.
 */
export function useUpstream(wants: Wants = {}) {
  const world = useWorld({
    chains: ['base'],
    funded: [1],
    upstream: true,
    anew: true,
    ...wants,
    async env(surroundings) {
      const over = typeof wants.env === 'function' ? await wants.env(surroundings) : wants.env
      return { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2', ...over }
    },
  })
  return {
    ...world,
    ...purchasesIn(world.app),
    buy: (behaviour?: Behaviour, headers?: Record<string, string>) =>
      buy(world, behaviour, headers),
  }
}

/**
 * Buys the upstream's resource, with the official client. Answers the invoice's id, the payment's
 * nonce, the answer, the transaction that it names, and how to pay again.
 */
export async function buy(
  { app, node, upstream }: Pick<World, 'app' | 'node' | 'upstream'>,
  behaviour: Behaviour = 'settle',
  over: Record<string, string> = {},
) {
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  const unpaid = await app.send('GET', path, undefined, over)
  const { headers, nonce } = await signedPayment(node.wallet(1), unpaid)
  const payAgain = () => app.send('GET', path, undefined, { ...over, ...headers })
  upstream.behaviour = behaviour
  const paid = await payAgain()
  const said = paid.headers.get('payment-response')
  const txHash: Hex = said === null ? '0x' : JSON.parse(atob(said)).transaction
  return { id: unpaid.headers.get('x-invoice-id') ?? '', nonce, paid, txHash, payAgain }
}

/** What has become of the purchases of this service, by the ids of their invoices. */
export function purchasesIn(app: Pick<TestApp, 'send' | 'database'>) {
  async function invoice(id: string | null) {
    return (await app.send('GET', `/api/invoices/${id}`)).json
  }

  async function statusOf(id: string | null): Promise<string> {
    return (await invoice(id)).status
  }

  function becomes(id: string | null, status: string): Promise<void> {
    return eventually(async () => (await statusOf(id)) === status, waitMs)
  }

  async function purchase(id: string) {
    const [row] = await app.database.sql<{ state: string; txHash: string | null }[]>`
      select state, '0x' || encode(tx_hash, 'hex') as "txHash" from purchases where invoice_id = ${id}`
    if (!row) throw new Error('no such purchase')
    return row
  }

  /** The states of the purchase and of its invoice. */
  async function statesOf(id: string): Promise<readonly [string, string]> {
    return [(await purchase(id)).state, await statusOf(id)]
  }

  function reaches(id: string, ...states: string[]): Promise<void> {
    return eventually(async () => states.includes((await purchase(id)).state), waitMs)
  }

  /** Has the chain asked `times` more about the purchase, to the end, while its payment is open. */
  async function looked(id: string, times: number): Promise<void> {
    const { sql } = app.database
    for (let look = 0; look <= times; look++) {
      await dueNow(id)
      await eventually(async () => {
        const [row] = await sql`
          select due_at > now() or state not in ('held', 'paid') as is_asked from purchases where invoice_id = ${id}`
        return row?.is_asked
      }, waitMs)
    }
  }

  /** Makes the purchase's last attempt older by this interval, and the next look at it due. */
  async function age(id: string, interval: string): Promise<void> {
    await app.database.sql`
      update purchases set forwarded_at = forwarded_at - ${interval}::interval, due_at = now() where invoice_id = ${id}`
  }

  /** Makes the next look at an open payment due. */
  async function dueNow(id: string): Promise<void> {
    await app.database.sql`
      update purchases set due_at = now() where invoice_id = ${id} and state in ('held', 'paid')`
  }

  return { dueNow, invoice, statusOf, becomes, purchase, statesOf, reaches, looked, age }
}
