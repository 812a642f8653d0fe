import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dueQueue } from '../../../src/domain/settlement/due-queue.ts'

const dueAtMs = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(Infinity))
const span = fc.record({ fromMs: fc.integer({ min: -1, max: 9 }), toMs: dueAtMs })

test('the oldest that is due in a span, and not over, is found as by reading all', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ dueAtMs }), { maxLength: 20 }),
      fc.array(span),
      (items, asked) => {
        const queue = dueQueue(items)
        const over = new Set<object>()
        for (const { fromMs, toMs } of asked) {
          const isDue = (one: { dueAtMs: number }) => one.dueAtMs >= fromMs && one.dueAtMs <= toMs
          const found = items.find((one) => isDue(one) && !over.has(one))
          expect(queue.oldest({ fromMs, toMs }, (one) => over.has(one))).toBe(found as never)
          if (found) over.add(found)
        }
      },
    ),
  )
})

test('what is over is met once, however many are asked for', () => {
  const items = Array.from({ length: 1_000 }, (_, at) => ({ dueAtMs: at % 10 }))
  const queue = dueQueue(items)
  const over = new Set<object>()
  let met = 0
  const isOver = (one: object) => {
    met++
    return over.has(one)
  }
  const everything = { fromMs: 0, toMs: 9 }
  for (const expected of items) {
    expect(queue.oldest(everything, isOver)).toBe(expected)
    over.add(expected)
  }
  expect(met).toBe(2 * items.length - 1)
})
