import { expect, test } from 'bun:test'
import { requestsInRow } from '../../../src/chain/rpc/parts.ts'

test.each([
  ['takes every list', 480, Number.POSITIVE_INFINITY, 4],
  ['takes lists of ten', 480, 10, 16],
  ['takes no list', 480, 1, 160],
  ['is asked for one thing', 1, 1, 1],
])('a node that %s answers so many requests, one after the other', (_, calls, mostCalls, inRow) => {
  expect(requestsInRow(calls, { size: 40, atOnce: 3 }, mostCalls)).toBe(inRow)
})
