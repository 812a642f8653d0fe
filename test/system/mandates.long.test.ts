import { beforeAll, describe, expect, test } from 'bun:test'
import { aMandate, type Made } from '../support/mandates.ts'
import type { Service } from '../support/service.ts'
import { madeInTime } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** Two processes of the service on one database. */

const { app, start } = useWorld({ env: { ROLE: 'http' } })
let services: Service[]

beforeAll(async () => {
  services = await Promise.all([start({ LOG_LEVEL: 'info' }), start({ LOG_LEVEL: 'info' })])
})

/** Sends a command to a mandate through the nth process. Answers the HTTP status. */
async function tell(n: number, { id }: Made, command: string, body: object): Promise<number> {
  const url = services[n % services.length]!.url
  const response = await fetch(`${url}/v1/mandates/${id}/${command}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': app.account.v1Key },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response.status
}

function tellMany(count: number, made: Made, command: string, body: object) {
  return Promise.all(Array.from({ length: count }, (_, n) => tell(n, made, command, body)))
}

async function transitionsOf({ id }: Made) {
  return app.database.sql<{ from_state: string | null; to_state: string; created_at: Date }[]>`
    select from_state, to_state, created_at from mandate_transitions where mandate_id = ${id} order by sequence`
}

async function anchorsOf({ id }: Made) {
  const rows = await app.database.sql<{ label: string }[]>`
    select label from anchors where subject_id = ${id} order by sequence`
  return rows.map(({ label }) => label)
}

describe('over two processes', () => {
  test('a hundred equal signatures at once are one transition, and each is answered alike', async () => {
    const made = await aMandate(app, [])
    for (const signer of ['proposer', 'counterparty']) {
      const answers = await tellMany(100, made, 'sign', { signer, signature: made.signature })
      expect(new Set(answers)).toEqual(new Set([200]))
    }
    expect((await transitionsOf(made)).map(({ to_state }) => to_state)).toEqual([
      'proposed',
      'signed_by_proposer',
      'signed_by_both',
    ])
    expect(await anchorsOf(made)).toEqual(['signed_by_proposer', 'signed_by_both'])
  })

  test('a mandate that many complete at once is completed once, in two anchored transitions in order', async () => {
    const made = await aMandate(app)
    const answers = await tellMany(20, made, 'complete', { triggered_by: 'agent_beta' })
    expect(answers.toSorted()).toEqual([200, ...Array(19).fill(409)])
    expect(await anchorsOf(made)).toEqual([
      'signed_by_proposer',
      'signed_by_both',
      'in_progress',
      'completed',
    ])
  })

  test('no transition is ever stamped after the mandate has run out', async () => {
    for (let round = 0; round < 5; round++) {
      const { made, endsAt } = await madeInTime(
        (at) => aMandate(app, ['proposer'], at.toISOString()).catch(() => null),
        600,
      )
      const expiresAt = endsAt.getTime()
      await Bun.sleep(expiresAt - Date.now() - 40)
      const endAt = Date.now() + 100
      const calls: Promise<number>[] = []
      for (let n = 0; Date.now() < endAt && n < 200; n++) {
        const body = { signer: 'counterparty', signature: made.signature }
        calls.push(
          n % 2 === 0
            ? tell(n >> 1, made, 'sign', body)
            : tell(n >> 1, made, 'complete', { triggered_by: 'agent_beta' }),
        )
        await Bun.sleep(0)
      }
      const answers = await Promise.all(calls)
      expect(answers.filter((status) => ![200, 409].includes(status))).toEqual([])
      const late = (await transitionsOf(made)).filter(
        ({ to_state, created_at }) => to_state !== 'expired' && created_at.getTime() >= expiresAt,
      )
      expect(late).toEqual([])
    }
  })
})
