import { describe, expect, test } from 'bun:test'
import {
  askedIn,
  type Credited,
  type Invoiced,
  leftIn,
  leftTo,
} from '../../src/dashboard/credit-form.ts'

const line = { quantity: '1', unit: 'C62', taxCategory: 'standard', taxRate: 19 } as const

/** 2.5 h at 80.00 with 19 %, and a book at 20.00 with 7 %: 259.40 EUR. */
const invoice: Invoiced = {
  kind: 'sale',
  currency: 'EUR',
  subtotal: 22_000,
  taxAmount: 3_940,
  taxRate: null,
  taxCountry: 'DE',
  total: 25_940,
  lines: [
    { ...line, description: 'Work', quantity: '2.5', unitPrice: '8000', net: 20_000 },
    {
      ...line,
      description: 'Book',
      unitPrice: '2000',
      net: 2_000,
      taxCategory: 'reduced',
      taxRate: 7,
    },
  ],
  taxBreakdown: [
    { category: 'standard', rate: 19, base: 20_000, tax: 3_800 },
    { category: 'reduced', rate: 7, base: 2_000, tax: 140 },
  ],
}
const bookCredited: Credited = {
  lines: [{ line: 2, quantity: '1', net: 2_000 }],
  taxBreakdown: [{ category: 'reduced', rate: 7, base: 2_000, tax: 140 }],
}
const flat: Invoiced = {
  kind: 'sale',
  currency: 'EUR',
  subtotal: 1_000,
  taxAmount: 190,
  taxRate: 19,
  taxCountry: 'DE',
  total: 1_190,
}
const purchase: Invoiced = { ...flat, kind: 'purchase' }

function asked(
  typed: Readonly<Record<string, string>>,
  of = invoice,
  notes: readonly Credited[] = [],
) {
  return askedIn(Object.entries(typed), leftTo(of, notes), of)
}

test.each([
  [invoice, [], 25_940n],
  [invoice, [bookCredited], 23_800n],
  [flat, [], 1_190n],
  [purchase, [], 1_000n],
])('what can be credited is what is left', (of, notes, left) => {
  expect(leftIn(leftTo(of, notes), of)).toBe(left)
})

describe('a form that credits', () => {
  test.each([
    ['all', { reason: 'Returned', by: 'all' }, { reason: 'Returned' }, 25_940n],
    ['an amount', { by: 'amount', amount: '100.00' }, { amount: 10_000 }, 10_000n],
    [
      'half a quantity',
      { by: 'lines', 'lines/0/quantity': '1.25', 'lines/1/quantity': ' ' },
      { lines: [{ line: 1, quantity: '1.25' }] },
      11_900n,
    ],
  ])('%s sends that, and says before what it will take back', (_, typed, body, total) => {
    const { figures, problems, ...sent } = asked(typed)
    expect([sent.body, figures?.totalUnits, problems]).toEqual([body, total, []])
  })

  test('of a purchase has the seller’s number, and an amount without tax', () => {
    const { body, figures } = asked({ number: 'G-7', by: 'amount', amount: '5' }, purchase)
    expect([body, figures?.subtotalUnits]).toEqual([{ number: 'G-7', amount: 500 }, 500n])
  })

  test.each([
    ['more than the amount', { by: 'amount', amount: '259.41' }, 'amount', 'This is more than'],
    ['no amount', { by: 'amount', amount: '0' }, 'amount', 'Enter a positive number'],
    [
      'more than the quantity',
      { by: 'lines', 'lines/0/quantity': '3' },
      'lines/0/quantity',
      'This is more than',
    ],
    [
      'no quantity',
      { by: 'lines', 'lines/0/quantity': 'x' },
      'lines/0/quantity',
      'Enter a number above 0',
    ],
    [
      'nothing',
      { by: 'lines', 'lines/0/quantity': '', 'lines/1/quantity': '' },
      'lines/0/quantity',
      'Enter a number above 0',
    ],
    [
      'what is credited already',
      { by: 'lines', 'lines/1/quantity': '1' },
      'lines/1/quantity',
      'This is more than',
    ],
  ])('%s is told at the field', (what, typed, path, message) => {
    const notes = what === 'what is credited already' ? [bookCredited] : []
    const { problems, figures } = asked(typed, invoice, notes)
    expect(figures).toBeNull()
    expect(problems.map((one) => one.path)).toEqual([path])
    expect(problems[0]?.message).toStartWith(message)
  })
})
