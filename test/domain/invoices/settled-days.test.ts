import { expect, test } from 'bun:test'
import { lastDays } from '../../../src/domain/invoices/settled-days.ts'

const now = new Date('2028-03-01T00:00:00.000Z')
const settled = { day: '2028-02-29', invoiceCount: 2, usdcBase: 5_000_000n }

test('every day up to today is there once, oldest first, and those without a settlement with nothing', () => {
  expect(lastDays([settled], 3, now)).toEqual([
    { day: '2028-02-28', invoiceCount: 0, usdcBase: 0n },
    settled,
    { day: '2028-03-01', invoiceCount: 0, usdcBase: 0n },
  ])
})

test('what is older than the first day, or of tomorrow, is left out', () => {
  const others = ['2028-02-27', '2028-03-02'].map((day) => ({ ...settled, day }))
  expect(lastDays(others, 3, now).every(({ invoiceCount }) => invoiceCount === 0)).toBe(true)
})
