import { canonicalText } from '../../src/domain/mandate-canonical.ts'
import { signatureOf } from '../support/mandate.ts'
import { type Client, createClient } from './client.ts'
import type { Fault } from './fault.ts'
import type { Stage } from './stage.ts'

/** Many who want the same at the same time, at different processes. */
export const contentionFaults: readonly Fault[] = [
  {
    id: 'F-41',
    what: 'mandates that expire while both parties sign',
    async inject(stage) {
      const client = clientOf(stage)
      for (let round = 0; round < 5; round++) {
        const mandate = await propose(stage, client, new Date(Date.now() + 1_200).toISOString())
        await Bun.sleep(1_100)
        await Promise.all(
          Array.from({ length: 100 }, (_, n) =>
            mandate.sign(n % 2 === 0 ? 'proposer' : 'counterparty'),
          ),
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
      const mandate = await propose(stage, client, '2099-12-31T00:00:00.000Z')
      const each = Array.from({ length: 100 })
      // An accepted signature may be sent again; a completion may not.
      const signed = await Promise.all(each.map(() => mandate.sign('proposer')))
      await mandate.sign('counterparty')
      const path = `/v1/mandates/${mandate.id}/complete`
      const completed = await Promise.all(each.map(() => client.call('POST', path, {})))
      return [
        ...unlike(signed, { 200: 100 }),
        ...unlike(
          completed.map(({ status }) => status),
          { 200: 1, 409: 99 },
        ),
      ]
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
    id: 'F-53',
    what: 'two hundred requests at once of an account that has sixty a minute',
    async inject({ topology }) {
      const { v1Key } = await topology.newAccount('Few', { perMinute: 60, perDay: 10_000 })
      const client = createClient(topology.http, v1Key)
      // Not across the edge of a minute, where two windows would admit theirs.
      while (new Date().getSeconds() > 40) await Bun.sleep(500)
      const statuses = await Promise.all(
        Array.from({ length: 200 }, async () => (await client.call('GET', '/v1/invoices')).status),
      )
      return unlike(statuses, { 200: 60, 429: 140 })
    },
  },
]

function clientOf({ topology, account }: Stage): Client {
  return createClient(topology.http, account.v1Key)
}

async function propose({ account }: Stage, client: Client, expiresAt: string) {
  const parties = { proposer: 'agent_alpha', counterparty: 'agent_beta', scope: 'work' }
  const proposal = { ...parties, terms: { a: 1 }, expiry: expiresAt }
  const id: string = (await client.call('POST', '/v1/mandates', proposal)).data.mandate_id
  const canonical = canonicalText({ id, ...parties, terms: '{"a":1}', expiresAt })
  const signature = signatureOf(canonical, account.signingSecret)
  return {
    id,
    async sign(signer: 'proposer' | 'counterparty') {
      return (await client.call('POST', `/v1/mandates/${id}/sign`, { signer, signature })).status
    },
  }
}

function unlike(statuses: readonly number[], wanted: Readonly<Record<number, number>>) {
  const counts = Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, of]) => [status, of.length]),
  )
  return Bun.deepEquals(counts, wanted)
    ? []
    : [`answered ${JSON.stringify(counts)} instead of ${JSON.stringify(wanted)}`]
}
