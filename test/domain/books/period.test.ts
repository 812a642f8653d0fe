import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { daysOfPeriod } from '../../../src/domain/books/period.ts'

test.each([
  ['2026', '2026-01-01', '2027-01-01'],
  ['2026-Q1', '2026-01-01', '2026-04-01'],
  ['2026-Q3', '2026-07-01', '2026-10-01'],
  ['2026-Q4', '2026-10-01', '2027-01-01'],
  ['2026-02', '2026-02-01', '2026-03-01'],
  ['2026-12', '2026-12-01', '2027-01-01'],
  ['0001', '0001-01-01', '0002-01-01'],
])('%s begins on %s and ends before %s', (period, from, to) => {
  expect(daysOfPeriod(period)).toEqual({ from, to })
})

test.each(['', '26', '2026-', '2026-Q0', '2026-Q5', '2026-q3', '2026-00', '2026-13', '2026-1'])(
  '%p is no period',
  (period) => {
    expect(daysOfPeriod(period)).toBeNull()
  },
)

test.each(['0000', '9999', '20260', '2026-10-01', ' 2026', '2026-Q3\n', '２０２６'])(
  '%p is no period either',
  (period) => {
    expect(daysOfPeriod(period)).toBeNull()
  },
)

test('the months of a quarter, and the quarters of a year, follow each other without a gap', () => {
  const years = fc.integer({ min: 1, max: 9_998 }).map((year) => `${year}`.padStart(4, '0'))
  fc.assert(
    fc.property(years, (year) => {
      const months = Array.from(
        { length: 12 },
        (_, at) => `${year}-${`${at + 1}`.padStart(2, '0')}`,
      )
      const quarters = [1, 2, 3, 4].map((at) => `${year}-Q${at}`)
      const whole = daysOfPeriod(year)
      for (const parts of [months, quarters].map((names) => names.map(daysOfPeriod))) {
        expect(parts[0]?.from).toBe(whole?.from ?? '')
        expect(parts.at(-1)?.to).toBe(whole?.to ?? '')
        parts.slice(1).forEach((part, at) => {
          expect(part?.from).toBe(parts[at]?.to ?? '')
        })
      }
    }),
  )
})
