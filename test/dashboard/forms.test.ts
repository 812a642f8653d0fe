import { expect, test } from 'bun:test'
import { budgetChangeOf, budgetOf, invoiceOf, withLabels } from '../../src/dashboard/forms.ts'

/** The fields of a form, some filled in. */
const fields = (filled: Readonly<Record<string, string>>) => Object.entries(filled)

const some = { amount: '12.50', currency: ' eur', chain: 'base', 'buyer/companyName': 'Ada' }

test('only filled-in fields are sent', () => {
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

test('an amount with too many decimals is refused with the rule', () => {
  expect(() => invoiceOf(fields({ ...some, amount: '1.234' }))).toThrow(
    'The amount is a positive number, with at most 2 decimals',
  )
})

const week = { agentId: 'agent-1', limit: '1', currency: 'eur', period: 'week' }

test('the limit per payment is optional', () => {
  const terms = { limit: 100, currency: 'EUR', period: 'week' }
  const limited = budgetOf(fields({ ...week, perTransactionLimit: '0.50' }))
  expect(limited).toEqual({ ...terms, perTransactionLimit: 50 })
  const unlimited = budgetOf(fields({ ...week, perTransactionLimit: '' }))
  expect(unlimited).toEqual({ ...terms, perTransactionLimit: null })
})

test('the limits of a budget may be 0', () => {
  const { limit, perTransactionLimit } = budgetOf(
    fields({ ...week, limit: '0.00', perTransactionLimit: '0' }),
  )
  expect([limit, perTransactionLimit]).toEqual([0, 0])
})

test('an invalid amount of a budget is refused by its label', () => {
  expect(() => budgetOf(fields({ ...week, limit: 'much' }))).toThrow('The limit is a positive')
  expect(() => budgetOf(fields({ ...week, perTransactionLimit: '0.505' }))).toThrow(
    'The limit per payment is a positive',
  )
})

test('a change of a budget sends only changes: amounts with their currency, the limit with its period', () => {
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

test('a refusal uses the labels of the form', () => {
  const refusal = {
    message: 'buyer/email: must be an email address',
    details: [email, { path: 'currency', message: 'is not known' }],
  }
  expect(withLabels(refusal, labelOf)).toBe(
    'Buyer’s e-mail: must be an email address. Currency: is not known',
  )
})

test('a refusal about no field, or an unknown one, keeps the service’s message', () => {
  const message = 'payer: must be an address on base'
  const details = [email, { path: 'payer', message: 'must be an address on base' }]
  expect(withLabels({ message, details }, labelOf)).toBe(message)
  expect(withLabels({ message: 'Too many requests' }, labelOf)).toBe('Too many requests')
})
