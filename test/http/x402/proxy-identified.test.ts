import { beforeEach, describe, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { random32, unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, option, requiring, useServer } from '../../support/x402-proxy.ts'

/** An upstream that honours x402's `payment-identifier`, as `@x402/extensions` 2.27.0 has it. */

const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy, allow, budgetOf } = buyerIn(app)
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    required: { type: 'boolean' },
    id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
  },
  required: ['required'],
}
const extensions = { 'payment-identifier': { info: { required: true }, schema } }

type Signed = { payload: { authorization: { nonce: string } }; extensions: typeof identified }
const identified = { 'payment-identifier': { info: { required: true, id: '' }, schema } }

const taken = new Map<string, string>()
let seen: Signed[] = []
let answerPaid: (response: Response) => Response | Promise<Response> = (response) => response
const { url: root } = useServer(({ headers }) => {
  const header = headers.get('payment-signature')
  if (header === null)
    return new Response('{}', {
      status: 402,
      headers: { 'payment-required': requiring([option], { extensions }) },
    })
  const signed: Signed = JSON.parse(atob(header))
  seen.push(signed)
  const { id } = signed.extensions['payment-identifier'].info
  const transaction = taken.get(id) ?? random32()
  taken.set(id, transaction)
  const said = { success: true, transaction, network: option.network, extensions: { id } }
  const answered = { 'payment-response': btoa(JSON.stringify(said)) }
  return answerPaid(new Response(`report ${transaction}`, { headers: answered }))
})
let url: string
let agentId: string

beforeEach(async () => {
  taken.clear()
  seen = []
  answerPaid = (response) => response
  url = `${root}?n=${random32()}`
  agentId = await allow(5)
})

const anId = () => `pay_${crypto.randomUUID().replaceAll('-', '')}`

/** Signed anew each time. */
function payment(id: string, amount = option.amount): string {
  const accepted = { ...option, amount }
  const payload = unsignedPayload(option.payTo, amount)
  const info = { required: true, id }
  const sent = { x402Version: 2, accepted, payload }
  return btoa(JSON.stringify({ ...sent, extensions: { 'payment-identifier': { info, schema } } }))
}

function pay(id: string, more: Record<string, string> = {}) {
  const headers = { 'x-agent-id': agentId, 'payment-signature': payment(id) }
  return buy(url, { ...headers, ...more })
}

const nonces = () => seen.map(({ payload }) => payload.authorization.nonce)
const bought = (headers: Headers) => headers.get('x-invoice-id') ?? ''

test('the upstream’s extension reaches the client, the client’s id the upstream, and its answer the client', async () => {
  const { headers } = await buy(url)
  expect(JSON.parse(atob(headers.get('payment-required') ?? '')).extensions).toEqual(extensions)
  const id = anId()
  const answer = await pay(id)
  expect(seen[0]?.extensions['payment-identifier']).toEqual({
    info: { required: true, id },
    schema,
  })
  expect(JSON.parse(atob(answer.headers.get('payment-response') ?? '')).extensions).toEqual({ id })
})

describe('a payment that is signed anew', () => {
  test('under the same id is a retry: the first is sent again, for the same invoice, and counted once', async () => {
    const id = anId()
    await buy(url)
    const first = await pay(id)
    // Official clients ask for the price again, which makes an invoice that nobody pays.
    await buy(url)
    const again = await pay(id)
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    expect(bought(again.headers)).toBe(bought(first.headers))
    expect(new Set(nonces()).size).toBe(1)
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
  })

  test('under another id is a second purchase, counted like the first', async () => {
    await buy(url)
    const first = await pay(anId())
    const second = await pay(anId())
    expect([first.status, second.status]).toEqual([200, 200])
    expect(bought(second.headers)).not.toBe(bought(first.headers))
    expect(new Set(nonces()).size).toBe(2)
    expect((await budgetOf(agentId)).spent).toBe(2)
  })

  test('under the same id for another resource is another purchase', async () => {
    const id = anId()
    const first = await pay(id)
    url = `${root}?n=${random32()}`
    const second = await pay(id)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(bought(second.headers)).not.toBe(bought(first.headers))
    expect((await budgetOf(agentId)).spent).toBe(2)
  })

  test('at another price than the first is a retry all the same', async () => {
    const id = anId()
    const first = await pay(id)
    const again = await pay(id, { 'payment-signature': payment(id, '20000') })
    expect([again.status, bought(again.headers)]).toEqual([200, bought(first.headers)])
    expect(new Set(nonces()).size).toBe(1)
  })

  test('is 409 while the first is under way, and nothing is forwarded', async () => {
    const id = anId()
    const { promise, resolve } = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    answerPaid = async (response) => {
      arrived.resolve()
      await promise
      return response
    }
    const first = pay(id)
    await arrived.promise
    const again = await pay(id)
    expect([...refused(again), nonces().length]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS', 1])
    resolve()
    expect((await first).status).toBe(200)
  })

  test('many times at once buys once', async () => {
    const id = anId()
    await Promise.all(Array.from({ length: 3 }, () => buy(url)))
    const answers = await Promise.all(Array.from({ length: 8 }, () => pay(id)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect(statuses).toContain(200)
    expect(new Set(nonces()).size).toBe(1)
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
  })

  test('after one whose outcome is unknown: only that one is sent again', async () => {
    const id = anId()
    await buy(url)
    const lost = { success: false, transaction: random32(), network: option.network }
    answerPaid = () =>
      new Response('{}', {
        status: 500,
        headers: { 'payment-response': btoa(JSON.stringify(lost)) },
      })
    const first = await pay(id)
    answerPaid = (response) => response
    const again = await pay(id)
    expect([first.status, again.status]).toEqual([500, 200])
    expect(new Set(nonces()).size).toBe(1)
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
  })

  test('after one that the upstream refused: only that one is sent again, while it is valid', async () => {
    const id = anId()
    answerPaid = () => new Response('{}', { status: 402 })
    const first = await pay(id)
    answerPaid = (response) => response
    const again = await pay(id)
    expect([first.status, again.status]).toEqual([502, 200])
    expect(new Set(nonces()).size).toBe(1)
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
  })

  test('after one that was never sent takes its place', async () => {
    agentId = await allow(1)
    await pay(anId())
    const id = anId()
    const first = await pay(id)
    await allow(5, agentId)
    const header = payment(id)
    const again = await pay(id, { 'payment-signature': header })
    expect([...refused(first), again.status]).toEqual([402, 'BUDGET_EXCEEDED', 200])
    expect(seen[1]).toEqual(JSON.parse(atob(header)))
    expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
  })
})

test.each([['short'], ['x'.repeat(129)], ['sixteen letters and a space']])(
  'an id of another form is 400, and nothing is forwarded: %s',
  async (id) => {
    const refusal = await pay(id)
    expect([...refused(refusal), seen.length]).toEqual([400, 'INVALID_REQUEST', 0])
  },
)
