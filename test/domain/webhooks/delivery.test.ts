import { expect, test } from 'bun:test'
import { ringAtMs } from '../../../src/domain/webhooks/delivery.ts'

const nowMs = Date.UTC(2026, 0, 1)

test.each([1, 5_000, 60_000, 36_000_000, 86_400_000])(
  'a retry in %d ms is told of when it is due, and little later',
  (delayMs) => {
    for (let n = 0; n < 100; n++) {
      const lateMs = ringAtMs(nowMs + n, delayMs) - (nowMs + n + delayMs)
      expect(lateMs).toBeGreaterThanOrEqual(0)
      expect(lateMs).toBeLessThanOrEqual(delayMs / 64)
    }
  },
)

test('any number of retries of a webhook are told of at few moments', () => {
  const moments = new Set<number>()
  // One a second for ten hours, each ten hours later, give or take a tenth.
  for (let n = 0; n < 36_000; n++)
    moments.add(ringAtMs(nowMs + 1_000 * n, 36_000_000 * (0.9 + (0.2 * (n % 97)) / 97)))
  expect(moments.size).toBeLessThan(200)
})
