import { describe, expect, test } from 'bun:test'
import { paymentRequired } from '../../../src/domain/x402/payment-required.ts'
import { settlementResponse } from '../../../src/domain/x402/settlement.ts'
import type { PaidEndpoints } from '../../../src/http/agent-tools/endpoints.ts'
import { createInvoice, settleInvoice } from '../../../src/http/agent-tools/paid.ts'
import type { Sale } from '../../../src/http/shared/paid-orders.ts'
import { validatorOf } from '../../support/mcp.ts'

/** How the tools present the results of the paid endpoints, which have their own tests. */

const requirement = paymentRequired(
  { url: 'https://pay.test', description: 'One invoice', priceUsdcBase: 10_000n },
  [
    {
      ...{ network: 'base', asset: '0xaa', payTo: '0xbb', extra: {} },
      ...{ takesSigned: true, takesTransfers: true },
    },
  ],
)
const answer = { success: true, capability: 'invoice', result: { id: 'i' } }
const name = { key: 'k', network: 'base', payer: '0xcc', txHash: '0x01', position: 0 } as const
const payment = { ...name, claimedAt: new Date() }
const settlement = settlementResponse(payment)
const calls: [string, string | undefined][] = []
const delivered = (kind: 'delivered' | 'repeat'): Sale => {
  return { kind, answer: { status: 200, body: JSON.stringify(answer) }, payment }
}
const endpoints: PaidEndpoints = {
  async createInvoice(json, proof) {
    calls.push([json, proof])
    return proof === undefined ? { kind: 'unpaid', required: requirement } : delivered('delivered')
  },
  settleInvoice: (json, proof) => endpoints.createInvoice(json, proof),
}
const create = createInvoice(endpoints)
const admitKey = () => Promise.reject(new Error('a paid tool takes no key'))
const caller = { requestId: 'r', argumentsText: () => '{}', admitKey }
const wanted = '{"amount":2.50}'
const buyer = { ...caller, argumentsText: () => wanted }

describe('a paid tool', () => {
  test('without a proof is an error that holds the requirement, as data and as text', async () => {
    const { isError, structuredContent, content, _meta } = await create.run({}, caller)
    expect([isError, structuredContent, _meta]).toEqual([true, requirement, undefined])
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(requirement) }])
  })

  test('takes the proof as x_payment or in the metadata, and tells how it was settled', async () => {
    const payment = { x402Version: 2 }
    const results = [
      await create.run({ amount: 2.5, x_payment: 'cHJvb2Y=' }, buyer),
      await create.run({ amount: 2.5 }, { ...buyer, payment }),
      await settleInvoice(endpoints).run(
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
      [wanted, 'cHJvb2Y='],
      [wanted, JSON.stringify(payment)],
      ['{}', 'cHJvb2Y='],
    ])
  })

  test.each([
    ['repeat', delivered('repeat'), answer],
    ['refused', { kind: 'refused', required: requirement } as const, requirement],
  ])('says of a proof that is %s what the endpoint says', async (kind, sale, said) => {
    const { structuredContent, isError } = await bringing(sale)
    expect([structuredContent, isError]).toEqual([said, kind === 'refused' ? true : undefined])
  })

  test('distinguishes a proof that bought something else from one that may yet be settled', async () => {
    expect(bringing({ kind: 'conflict' })).rejects.toMatchObject({ reason: 'payment_reused' })
    expect(bringing({ kind: 'settling' })).rejects.toMatchObject({
      reason: 'idempotency_in_progress',
      retryAfterSeconds: 1,
    })
    expect(bringing({ kind: 'pending', network: 'base', txHash: null })).rejects.toMatchObject({
      reason: 'unavailable',
      retryAfterSeconds: 5,
    })
  })

  test('answers what its output schema allows, unpaid as well', async () => {
    const fits = validatorOf(create.shown.outputSchema)
    for (const said of [answer, requirement]) expect(fits(said).errorMessage).toBeUndefined()
    expect(fits({ success: true }).valid).toBe(false)
  })
})

/** The tool's result for this sale. */
function bringing(sale: Sale) {
  const one = { createInvoice: async () => sale, settleInvoice: async () => sale }
  return createInvoice(one).run({ x_payment: 'cHJvb2Y=' }, caller)
}
