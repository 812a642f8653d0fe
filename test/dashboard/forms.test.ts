import { describe, expect, test } from 'bun:test'
import {
  budgetChangeOf,
  budgetOf,
  budgetProblems,
  constraintText,
  placedAt,
} from '../../src/dashboard/forms.ts'

/** The fields of a form, some filled in. */
const fields = (filled: Readonly<Record<string, string>>) => Object.entries(filled)

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

describe('what is wrong with a form is said at its fields, all at once', () => {
  test.each([
    [{ limit: '0', currency: 'EUR', perTransactionLimit: '' }, []],
    [
      { limit: '-1', currency: 'EUR', perTransactionLimit: '0.505' },
      ['limit', 'perTransactionLimit'],
    ],
  ])('a budget of %p: %p', (typed, paths) => {
    expect(budgetProblems(fields(typed)).map(({ path }) => path)).toEqual(paths)
  })

  const met = { valueMissing: false, rangeUnderflow: false }
  const valueMissing = { ...met, valueMissing: true }
  test.each([
    ['text', valueMissing, 'Fill this in.'],
    ['email', valueMissing, 'Fill this in.'],
    ['email', met, 'Enter an e-mail address, such as ada@example.com.'],
    ['url', met, 'Enter a URL, such as https://example.com.'],
    ['date', { ...met, rangeUnderflow: true }, 'Choose today or a later day.'],
    ['date', met, 'the browser’s'],
  ])('a field of type %s says what it needs', (type, validity, text) => {
    const field = { type, validity, placeholder: 'https://example.com' }
    expect(constraintText({ ...field, validationMessage: 'the browser’s' })).toBe(text)
  })

  const names = ['buyer/email', 'currency', 'events']
  test.each([
    [
      [
        ['buyer/email', 'must be an e-mail address'],
        ['currency', 'is unknown'],
      ],
      [
        ['buyer/email', 'Must be an e-mail address.'],
        ['currency', 'Is unknown.'],
      ],
    ],
    [[['events/0', 'must be an event']], [['events', 'Must be an event.']]],
    [
      [
        ['currency', 'is unknown'],
        ['body', 'is wrong'],
      ],
      [],
    ],
    [[], []],
  ])(
    'what the service says is placed there too, unless it is about no field: %p',
    (details, placed) => {
      const told = details.map(([path = '', message = '']) => ({ path, message }))
      expect<unknown>([...placedAt(names, told)]).toEqual(placed)
    },
  )
})
