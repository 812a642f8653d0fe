import { describe, expect, test } from 'bun:test'
import type { Signer } from '../../../src/domain/mandates/mandate.ts'
import { refused } from '../../support/app.ts'
import { aMandate } from '../../support/mandates.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld()

async function agreedFor(amount: string, signers?: readonly Signer[]): Promise<string> {
  const terms = { amount, currency: 'USDC' }
  return (await aMandate(app, signers, undefined, terms)).id
}

function invoice(mandateId: string, amount: number, over: object = {}, headers = {}) {
  const customer = { customerName: 'Ada Example', customerEmail: 'ada@example.com' }
  const body = { amount, currency: 'USDC', ...customer, mandateId, ...over }
  return app.send('POST', '/v1/invoices', body, headers)
}

describe('an invoice under a mandate', () => {
  test('is made while both have signed, and names it', async () => {
    const id = await agreedFor('50')
    const { status, json } = await invoice(id, 1)
    expect([status, json.data.mandateId]).toEqual([201, id])
  })

  test('is made under one for more than any invoice can be, and counted', async () => {
    const id = await agreedFor('100000000000000000000')
    expect((await invoice(id, 9_000_000_000)).status).toBe(201)
    expect((await invoice(id, 9_000_000_000)).status).toBe(201)
  })

  test('409 MANDATE_NOT_ACTIVE before both have signed, after it is over, and of another account', async () => {
    const id = await agreedFor('50', ['proposer'])
    expect(refused(await invoice(id, 1))).toEqual([409, 'MANDATE_NOT_ACTIVE'])
    const over = await agreedFor('50')
    await app.send('POST', `/v1/mandates/${over}/complete`)
    const late = await invoice(over, 1)
    expect(refused(late)).toEqual([409, 'MANDATE_NOT_ACTIVE'])
    expect(late.json.error.message).toBe('The mandate is completed: nothing is paid under it')
    const foreign = await invoice(await agreedFor('50'), 1, {}, { 'x-api-key': app.other.v1Key })
    expect(refused(foreign)).toEqual([409, 'MANDATE_NOT_ACTIVE'])
  })

  test('409 MANDATE_CURRENCY_MISMATCH in another currency; USD and USDC are one', async () => {
    const id = await agreedFor('50')
    const euros = await invoice(id, 1, { currency: 'EUR' })
    expect(refused(euros)).toEqual([409, 'MANDATE_CURRENCY_MISMATCH'])
    expect((await invoice(id, 1, { currency: 'USD' })).status).toBe(201)
  })

  test('409 MANDATE_CURRENCY_MISMATCH where the terms name what is no currency', async () => {
    const terms = { amount: 1, currency: { toString: 0 } }
    const { id } = await aMandate(app, undefined, undefined, terms)
    const answer = await invoice(id, 1)
    expect(refused(answer)).toEqual([409, 'MANDATE_CURRENCY_MISMATCH'])
    expect(answer.json.error.message).toBe('The mandate is about {"toString":0}')
  })
})

describe('403 MANDATE_LIMIT_EXCEEDED', () => {
  test('counts the tax, tells the numbers, and leaves what was refused without a number', async () => {
    const id = await agreedFor('50')
    const first = await invoice(id, 40, { taxCountry: 'DE' })
    expect(first.status).toBe(201)
    const over = await invoice(id, 2.1, { taxCountry: 'DE' })
    expect(refused(over)).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
    expect(over.json.error.details).toEqual({
      term: 'amount',
      limit: '50.00',
      used: '47.60',
      requested: '2.499',
      remaining: '2.40',
      currency: 'USDC',
    })
    const last = await invoice(id, 2.4)
    expect(last.json.data.invoiceNumber).toBe(first.json.data.invoiceNumber + 1)
  })

  test('of 120 invoices at once exactly as many are made as the mandate allows, and no other one suffers', async () => {
    const id = await agreedFor('50')
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        n % 2 === 0 ? invoice(id, 1) : invoice(id, 1, { mandateId: undefined }),
      ),
    )
    const under = answers.filter((_, n) => n % 2 === 0).map(({ status }) => status)
    expect(under.filter((status) => status === 201)).toHaveLength(50)
    expect(under.filter((status) => status === 403)).toHaveLength(10)
    expect(answers.filter(({ status }, n) => n % 2 === 1 && status !== 201)).toEqual([])
  })

  test('no longer once an invoice is void', async () => {
    const id = await agreedFor('50')
    const { json } = await invoice(id, 50)
    expect(refused(await invoice(id, 1))).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
    for (const _ of [1, 2]) await app.send('POST', `/api/invoices/${json.data.id}/void`)
    expect((await invoice(id, 50)).status).toBe(201)
    expect(refused(await invoice(id, 1))).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
  })
})
