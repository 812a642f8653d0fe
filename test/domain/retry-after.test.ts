import { expect, test } from 'bun:test'
import { retryAfterSeconds } from '../../src/domain/retry-after.ts'

test.each([
  ['0', 0],
  ['120', 120],
  ['33.5', 34],
  ['33.0', 33],
  ['Sat, 28 Nov 2026 12:02:00 GMT', 120],
  ['Sat, 28 Nov 2026 11:00:00 GMT', 0],
  [null, null],
  ['', null],
  ['-5', null],
  ['+5', null],
  ['1e3', null],
  ['0x10', null],
  ['33.', null],
  ['5, 10', null],
  ['9999999999', null],
  ['2026-11-28T12:02:00Z', null],
  ['2027', 2_027],
  ['Sat, 99 Nov 2026 12:02:00 GMT', null],
  ['tomorrow', null],
])('a Retry-After of %p asks for %p seconds', (value, seconds) => {
  expect(retryAfterSeconds(value, new Date('2026-11-28T12:00:00Z'))).toBe(seconds)
})
