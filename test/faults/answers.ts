import type { Process } from '../support/topology.ts'
import { propose } from './agreement.ts'
import { createClient } from './client.ts'
import type { Fault } from './fault.ts'
import type { Stage } from './stage.ts'

/** Faults that lose an answer: the process dies before or after its commit, without answering. */
export const answerFaults: readonly Fault[] = [
  {
    id: 'F-02',
    what: 'processes killed within milliseconds of being asked: the same key gets the same answer',
    async inject(stage, random) {
      const problems: string[] = []
      for (let round = 0; round < stage.share(50); round++) {
        const key = `lost ${random.between(1, 1_000_000_000)}`
        const body = { amount: 1, currency: 'USDC', description: key, ...buyer }
        const ask = (at: Process) => post(stage, at, '/v1/invoices', body, key)
        await killedWhileAsked(stage, random.between(0, 25), ask)
        const client = createClient(stage.topology.http, stage.account.v1Key)
        const { data } = await client.call('POST', '/v1/invoices', body, key)
        stage.ledger.invoices.push({ id: data.id, number: data.invoiceNumber })
        const replays = await Promise.all(stage.topology.http.map(ask))
        if (new Set(replays).size !== 1) problems.push(`${key}: ${JSON.stringify(replays)}`)
      }
      return problems
    },
  },
  {
    id: 'F-40',
    what: 'processes killed while they complete a mandate: it is completed once',
    async inject(stage, random) {
      for (let round = 0; round < stage.share(100); round++) {
        const client = createClient(stage.topology.http, stage.account.v1Key)
        const mandate = await propose(stage, client)
        for (const signer of ['proposer', 'counterparty'] as const) await mandate.sign(signer)
        const path = `/v1/mandates/${mandate.id}/complete`
        await killedWhileAsked(stage, random.between(0, 25), (at) => post(stage, at, path, {}))
        await mandate.complete()
        stage.ledger.mandates.push({ id: mandate.id, state: 'completed' })
      }
      return []
    },
  },
  {
    id: 'F-44',
    what: 'processes killed between a reservation and what it was for: it runs out',
    async inject(stage, random) {
      const client = createClient(stage.topology.http, stage.account.v1Key)
      const agentId = `forgotten ${random.between(1, 1_000_000_000)}`
      await client.call('PUT', `/api/budget/${encodeURIComponent(agentId)}`, { limit: 5 })
      const wish = { agentId, amount: 1, reserve: true }
      for (let round = 0; round < 5; round++) {
        const ask = (at: Process) =>
          post(stage, at, '/api/budget/check', wish, `${agentId} ${round}`)
        await killedWhileAsked(stage, random.between(0, 25), ask)
      }
      await Bun.sleep(reservationMs)
      const { status } = await client.call('POST', '/api/budget/check', { agentId, amount: 5 })
      return status === 200 ? [] : ['what was reserved and never spent is still reserved']
    },
  },
]

const buyer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
/** Reservations last 60 s, rounded up to a whole second. */
const reservationMs = 62_000

/**
 * Sends a request to one process, kills the process `delayMs` later, and starts it again. Any
 * answer is ignored.
 */
async function killedWhileAsked(
  { topology }: Stage,
  delayMs: number,
  ask: (at: Process) => Promise<unknown>,
): Promise<void> {
  const [victim] = topology.http as [Process]
  const asked = ask(victim).catch(() => {})
  await Bun.sleep(delayMs)
  await victim.kill()
  await asked
  await victim.start()
}

async function post({ account }: Stage, at: Process, path: string, body: object, key?: string) {
  const response = await fetch(at.url + path, {
    method: 'POST',
    headers: {
      'x-api-key': account.v1Key,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  return response.text()
}
