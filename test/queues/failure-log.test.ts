import { expect, test } from 'bun:test'
import { ChainError } from '../../src/chain/chain.ts'
import { createFailureLog } from '../../src/queues/failure-log.ts'

function aLog() {
  const lines: object[] = []
  let nowMs = 0
  const tell = createFailureLog({ error: (line) => lines.push(line) }, () => nowMs)
  return {
    lines,
    wait: (ms: number) => {
      nowMs += ms
    },
    fail: (err: unknown, of = 'watch-base') =>
      tell({ err, of, about: { queue: of }, message: 'job failed' }),
  }
}

test('a fault of a chain is logged once a minute, with the number of repetitions', () => {
  const { lines, wait, fail } = aLog()
  for (let n = 0; n < 61; n++) {
    fail(new ChainError('unreachable', `after ${n} s`))
    wait(1_000)
  }
  expect(lines).toMatchObject([
    { queue: 'watch-base', repeated: 0, err: { message: 'after 0 s' } },
    { queue: 'watch-base', repeated: 59, err: { message: 'after 60 s' } },
  ])
})

test('another fault is logged at once, and so is the same fault of another queue', () => {
  const { lines, fail } = aLog()
  fail(new ChainError('unreachable', 'no answer'))
  fail(new ChainError('rate_limited', 'slow down'))
  fail(new ChainError('unreachable', 'no answer'), 'watch-polygon')
  expect(lines).toHaveLength(3)
})

test('every other error is logged each time', () => {
  const { lines, fail } = aLog()
  for (let n = 0; n < 3; n++) fail(new Error('a bug'))
  expect(lines).toHaveLength(3)
})
