import { expect, test } from 'bun:test'
import { overText } from '../../../src/dashboard/hooks/session.ts'

test.each([
  [3_600_000, 'it lasts an hour'],
  [3_599_000, 'it lasts an hour'],
  [60_000, 'ended early'],
])('an ended session says why: after %d ms, %s', (lastedMs, why) => {
  expect(overText(lastedMs)).toContain(why)
})
