import { describe, expect, test } from 'bun:test'
import { delayMs } from '../../client/src/retry.ts'

describe('a retry waits', () => {
  test('longer each time, up to 8 seconds, and not as long as others do', () => {
    expect([0, 1, 2, 9].map((retry) => delayMs(retry, null, 0))).toEqual([250, 500, 1_000, 4_000])
    expect([0, 1, 2, 9].map((retry) => delayMs(retry, null, 1))).toEqual([500, 1_000, 2_000, 8_000])
  })

  test('never less than Retry-After says', () => {
    for (const random of [0, 0.5, 1]) expect(delayMs(0, '7', random)).toBeGreaterThan(7_000)
  })

  test('as if nothing were said where Retry-After is no number of seconds', () => {
    expect(delayMs(0, 'Wed, 21 Oct 2026 07:28:00 GMT', 1)).toBe(500)
  })
})
