import { expect, test } from 'bun:test'
import { everyDay, shownDays, sumOfDays } from '../../../src/domain/invoices/settled-days.ts'

const now = new Date('2028-03-01T00:00:00.000Z')
const credits = { creditNoteCount: 1, creditedBase: 1_000_000n }
const settled = { day: '2028-02-29', invoiceCount: 2, usdcBase: 5_000_000n, ...credits }
const nothing = { invoiceCount: 0, usdcBase: 0n, creditNoteCount: 0, creditedBase: 0n }

test('without a period the last thirty days are shown, today included', () => {
  const days = shownDays({ from: null, to: null }, now)
  expect([days.length, days[0], days.at(-1)]).toEqual([30, '2028-02-01', '2028-03-01'])
})

test.each([
  ['2028-02-28', '2028-03-02', ['2028-02-28', '2028-02-29', '2028-03-01']],
  ['2028-02-29', null, ['2028-02-29', '2028-03-01']],
  ['2028-03-02', null, []],
])('from %p to %p, these days are shown', (from, to, days) => {
  expect(shownDays({ from, to }, now)).toEqual(days)
})

test('a leap year is shown, and no more than that', () => {
  expect(shownDays({ from: '2028-01-01', to: '2029-01-01' }, now)).toHaveLength(366)
  expect(() => shownDays({ from: '2028-01-01', to: '2029-01-02' }, now)).toThrow(
    expect.objectContaining({ reason: 'invalid_request' }),
  )
})

test('every day that is shown is there once, in order, and those without a settlement with nothing', () => {
  const shown = ['2028-02-28', '2028-02-29', '2028-03-01']
  const others = ['2028-02-27', '2028-03-02'].map((day) => ({ ...settled, day }))
  expect(everyDay(shown, [settled, ...others])).toEqual([
    { day: '2028-02-28', ...nothing },
    settled,
    { day: '2028-03-01', ...nothing },
  ])
})

test('the sum of no days is nothing, and that of several all of them', () => {
  expect(sumOfDays([])).toEqual(nothing)
  expect(sumOfDays([settled, settled])).toEqual({
    invoiceCount: 4,
    usdcBase: 10_000_000n,
    creditNoteCount: 2,
    creditedBase: 2_000_000n,
  })
})
