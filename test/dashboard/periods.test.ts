import { expect, test } from 'bun:test'
import { periodIn, periodsAt } from '../../src/dashboard/periods.ts'
import { daysOfPeriod } from '../../src/domain/books/period.ts'

test.each([
  ['2026-11-24', ['2026-Q4', '2026-Q3', '2026-11', '2026-10', '2026', '2025']],
  ['2027-01-01', ['2027-Q1', '2026-Q4', '2027-01', '2026-12', '2027', '2026']],
])('on %s the periods offered are ones that the service takes', (day, periods) => {
  const offered = periodsAt(day).map(([period]) => period)
  expect(offered).toEqual(periods)
  expect(offered.filter((period) => daysOfPeriod(period) === null)).toEqual([])
})

test('the period of the address is asked for, and none without', () => {
  expect(periodIn('period=2026-Q4&x=1')).toEqual({ period: '2026-Q4', asked: '?period=2026-Q4' })
  expect(periodIn('')).toEqual({ period: null, asked: '' })
})
