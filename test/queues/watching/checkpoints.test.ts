import { describe, expect, test } from 'bun:test'
import { checkpointsAfter } from '../../../src/queues/watching/checkpoints.ts'
import type { Checkpoint } from '../../../src/storage/settlement/cursors.ts'

/** The checkpoints kept after a chain was read up to `head`, `atOnce` blocks at a time. */
function readUpTo(head: number, atOnce: number): readonly Checkpoint[] {
  let kept: readonly Checkpoint[] = []
  for (let number = 0; number <= head; number += atOnce)
    kept = checkpointsAfter(kept, { number, hash: `hash ${number}` })
  return kept
}

const numbers = (kept: readonly Checkpoint[]) => kept.map(({ number }) => number)

describe.each([1, 2, 8, 100, 4_000])('of a chain read %d blocks at a time', (atOnce) => {
  const head = 200_000
  const kept = numbers(readUpTo(head, atOnce))

  test('the newest blocks are all remembered, oldest first', () => {
    const last = Array.from({ length: 16 }, (_, n) => head - n * atOnce)
    const near = last.filter((number) => head - number < 16)
    expect(kept.slice(-near.length)).toEqual(near.toReversed())
    expect(kept).toEqual(kept.toSorted((a, b) => a - b))
  })

  test('wherever it is cut off there is one before, not much further back', () => {
    for (let depth = 1; depth <= 50_000; depth = Math.ceil(depth * 1.1)) {
      const before = kept.findLast((number) => number <= head - depth) ?? Number.NaN
      expect(head - before).toBeLessThanOrEqual(depth * 1.5 + atOnce)
    }
  })

  test('they are few, and none is older than is of use', () => {
    expect(kept.length).toBeLessThan(80)
    expect(kept[0]).toBeGreaterThanOrEqual(head - 65_536)
  })
})

test('what is no longer in the chain, or comes after the block, is forgotten', () => {
  const trusted = [3, 4, 5].map((number) => ({ number, hash: `old ${number}` }))
  expect(checkpointsAfter(trusted, { number: 4, hash: 'new 4' })).toEqual([
    { number: 3, hash: 'old 3' },
    { number: 4, hash: 'new 4' },
  ])
})
