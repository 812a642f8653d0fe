import { describe, expect, test } from 'bun:test'
import { delayMs } from '../../client/src/retry.ts'

describe('a retry waits', () => {
  test('longer each time, up to 8 seconds, with jitter', () => {
    expect([0, 1, 2, 9].map((retry) => delayMs(retry, null, 0))).toEqual([250, 500, 1_000, 4_000])
    expect([0, 1, 2, 9].map((retry) => delayMs(retry, null, 1))).toEqual([500, 1_000, 2_000, 8_000])
  })

  test('at least as long as Retry-After asks for', () => {
    for (const random of [0, 0.5, 1]) expect(delayMs(0, '7', random)).toBeGreaterThan(7_000)
  })

  test('as usual if Retry-After is not a number of seconds', () => {
    expect(delayMs(0, 'Wed, 21 Oct 2026 07:28:00 GMT', 1)).toBe(500)
  })
})
