import { describe, expect, test } from 'bun:test'
import {
  createInvoice,
  type PaidEndpoints,
  type Proof,
  settleInvoice,
} from '../../../src/http/agent-tools/paid.ts'
import { validatorOf } from '../../support/mcp.ts'

/** What the tools make of what the endpoints say; the endpoints themselves are tested where they are. */

const requirement = { x402Version: 2, error: 'Payment required', accepts: [], price: '0.01' }
const answer = { success: true, capability: 'invoice', result: { id: 'i' } }
const settlement = { success: true, transaction: '0x01', network: 'eip155:8453' }
const calls: [object, Proof][] = []
const endpoints: PaidEndpoints = {
  async createInvoice(wanted, proof) {
    calls.push([wanted, proof])
    if (proof === undefined) return { kind: 'unpaid', requirement }
    return { kind: 'delivered', json: JSON.stringify(answer), settlement }
  },
  settleInvoice: (wanted, proof) => endpoints.createInvoice(wanted, proof),
}
const create = createInvoice(() => endpoints)
const caller = { requestId: 'r' }

describe('a paid tool', () => {
  test('without a proof is an error that holds the requirement, as data and as text', async () => {
    const { isError, structuredContent, content, _meta } = await create.run({}, caller)
    expect([isError, structuredContent, _meta]).toEqual([true, requirement, undefined])
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(requirement) }])
  })

  test('takes the proof as x_payment or in the metadata, and tells how it was settled', async () => {
    const payment = { x402Version: 2 }
    const results = [
      await create.run({ amount: 2, x_payment: 'cHJvb2Y=' }, caller),
      await create.run({ amount: 2 }, { ...caller, payment }),
      await settleInvoice(() => endpoints).run(
        { invoice_id: 'i', x_payment: 'cHJvb2Y=' },
        { ...caller, payment },
      ),
    ]
    for (const result of results) {
      expect(result.isError).toBeUndefined()
      expect(result.structuredContent).toEqual(answer)
      expect(result._meta).toEqual({ 'x402/payment-response': settlement })
    }
    expect(calls.slice(-3)).toEqual([
      [{ amount: 2 }, 'cHJvb2Y='],
      [{ amount: 2 }, payment],
      [{ invoice_id: 'i' }, 'cHJvb2Y='],
    ])
  })

  test('answers what its output schema allows, unpaid as well', async () => {
    const fits = validatorOf(create.shown.outputSchema)
    for (const said of [answer, requirement]) expect(fits(said).errorMessage).toBeUndefined()
    expect(fits({ success: true }).valid).toBe(false)
  })

  test('is unavailable where no payments are taken, and asks for none', async () => {
    const closed = createInvoice(() => null)
    expect(closed.run({ x_payment: 'cHJvb2Y=' }, caller)).rejects.toThrow('No payments are taken')
  })
})
