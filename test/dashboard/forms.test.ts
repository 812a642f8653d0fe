import { expect, test } from 'bun:test'
import { budgetChangeOf, budgetOf, invoiceOf, withLabels } from '../../src/dashboard/forms.ts'

/** The fields of a form, some filled in. */
const fields = (filled: Readonly<Record<string, string>>) => Object.entries(filled)

const some = { amount: '12.50', currency: ' eur', chain: 'base', 'buyer/companyName': 'Ada' }

test('addresses and VAT ids of both sides are sent as they were filled in, and nothing that was not', () => {
  const sides = {
    'seller/address': 'Am Markt 1\n10115 Berlin',
    'buyer/vat': 'ATU12345675',
    'buyer/address': ' ',
  }
  const wanted: unknown = invoiceOf(fields({ ...some, ...sides, taxCountry: '', dueAt: '' }))
  expect(wanted).toEqual({
    amount: 1_250,
    currency: 'EUR',
    chain: 'base',
    buyer: { companyName: 'Ada', vat: 'ATU12345675' },
    seller: { address: 'Am Markt 1\n10115 Berlin' },
  })
})

test('an amount with more decimals than the currency has is refused in words', () => {
  expect(() => invoiceOf(fields({ ...some, amount: '1.234' }))).toThrow(
    'The amount is a positive number, with at most 2 decimals',
  )
})

const week = { agentId: 'agent-1', limit: '1', currency: 'eur', period: 'week' }

test('a budget’s form says what one payment may take, or that there is no such limit', () => {
  const terms = { limit: 100, currency: 'EUR', period: 'week' }
  const limited = budgetOf(fields({ ...week, perTransactionLimit: '0.50' }))
  expect(limited).toEqual({ ...terms, perTransactionLimit: 50 })
  const unlimited = budgetOf(fields({ ...week, perTransactionLimit: '' }))
  expect(unlimited).toEqual({ ...terms, perTransactionLimit: null })
})

test('a budget of nothing stays one as something else of it is changed', () => {
  const { limit, perTransactionLimit } = budgetOf(
    fields({ ...week, limit: '0.00', perTransactionLimit: '0' }),
  )
  expect([limit, perTransactionLimit]).toEqual([0, 0])
})

test('an amount of a budget that is none is refused in words that say which', () => {
  expect(() => budgetOf(fields({ ...week, limit: 'much' }))).toThrow('The limit is a positive')
  expect(() => budgetOf(fields({ ...week, perTransactionLimit: '0.505' }))).toThrow(
    'The limit per payment is a positive',
  )
})

test('a change of a budget sends what was changed, an amount with its currency, the limit with its period too', () => {
  const before = { limit: 100, currency: 'EUR', period: 'week', perTransactionLimit: 50 }
  const form = { agentId: 'agent-1', limit: '1.00', currency: 'EUR', period: 'week' }
  const changed = (typed: object) =>
    budgetChangeOf(fields({ ...form, perTransactionLimit: '0.50', ...typed }), before)
  expect(changed({})).toEqual({})
  expect(changed({ limit: '2' })).toEqual({ limit: 200, currency: 'EUR', period: 'week' })
  expect(changed({ period: 'day' })).toEqual({ limit: 100, currency: 'EUR', period: 'day' })
  const unlimited = changed({ perTransactionLimit: '' })
  expect(unlimited).toEqual({ perTransactionLimit: null, currency: 'EUR' })
  expect(changed({ currency: 'jpy', limit: '1', perTransactionLimit: '50' })).toEqual({
    limit: 1,
    currency: 'JPY',
    period: 'week',
    perTransactionLimit: 50,
  })
})

const labels: Readonly<Record<string, string>> = {
  'buyer/email': 'Buyer’s e-mail',
  currency: 'Currency',
}
const labelOf = (path: string) => labels[path] ?? null
const email = { path: 'buyer/email', message: 'must be an email address' }

test('a refusal names a form’s fields as the form does', () => {
  const refusal = {
    message: 'buyer/email: must be an email address',
    details: [email, { path: 'currency', message: 'is not known' }],
  }
  expect(withLabels(refusal, labelOf)).toBe(
    'Buyer’s e-mail: must be an email address. Currency: is not known',
  )
})

test('a refusal that concerns no field of the form, or one that it does not have, stays in the service’s words', () => {
  const message = 'payer: must be an address on base'
  const details = [email, { path: 'payer', message: 'must be an address on base' }]
  expect(withLabels({ message, details }, labelOf)).toBe(message)
  expect(withLabels({ message: 'Too many requests' }, labelOf)).toBe('Too many requests')
})
