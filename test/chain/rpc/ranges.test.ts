import { describe, expect, test } from 'bun:test'
import {
  type Answer,
  type BlockRange,
  ChainError,
  OutOfTime,
  type Transfer,
} from '../../../src/chain/chain.ts'
import { createRangeReader, type Read } from '../../../src/chain/rpc/ranges.ts'

/**
 * Blocks with one transfer each, behind a provider that answers ranges of at most `widest` blocks.
 */
function provider(widest = Number.POSITIVE_INFINITY) {
  const asked: BlockRange[] = []
  let atOnce = 0
  const seen = { asked, mostAtOnce: 0, widest, brokenAt: null as number | null }
  async function transfers(range: BlockRange): Promise<Answer> {
    asked.push(range)
    seen.mostAtOnce = Math.max(seen.mostAtOnce, ++atOnce)
    await Bun.sleep(0)
    atOnce--
    const { brokenAt } = seen
    if (brokenAt !== null && range.from <= brokenAt && brokenAt <= range.to)
      throw new ChainError('unreachable', 'gone')
    if (widthOf(range) > seen.widest) throw new ChainError('range_refused', 'too wide')
    const blocks = Array.from({ length: widthOf(range) }, (_, at) => range.from + at)
    return {
      last: { number: range.to, hash: `block ${range.to}`, timestampMs: 0 },
      transfers: blocks.map((blockNumber) => ({ blockNumber }) as Transfer),
    }
  }
  return { seen, transfers }
}

const widthOf = ({ from, to }: BlockRange) => to - from + 1
const blocksOf = ({ answers }: Read<Answer>) =>
  answers.flatMap(({ transfers }) => transfers.map(({ blockNumber }) => blockNumber))
const upTo = (to: number) => Array.from({ length: to + 1 }, (_, at) => at)

describe('a range', () => {
  test('that fits one question is one question', async () => {
    const { seen, transfers } = provider()
    await createRangeReader(transfers, 1_000).read({ from: 0, to: 999 }, [])
    expect(seen.asked).toEqual([{ from: 0, to: 999 }])
  })

  test('that is longer is read by several at once, and answered whole, in order, with its last block', async () => {
    const { seen, transfers } = provider()
    const reader = createRangeReader(transfers, 100)
    const answer = await reader.read({ from: 0, to: reader.mostBlocks() - 1 }, [])
    expect(blocksOf(answer)).toEqual(upTo(reader.mostBlocks() - 1))
    expect(answer.answers.at(-1)?.last.hash).toBe(`block ${reader.mostBlocks() - 1}`)
    expect(answer.failure).toBeNull()
    expect(seen.mostAtOnce).toBe(4)
    expect(seen.asked.every((range) => widthOf(range) === 100)).toBe(true)
  })
})

describe('a provider that refuses', () => {
  test.each([1, 2, 5, 10, 100, 500, 999])(
    'more than %i blocks answers in halves of what it refused, nothing lost or repeated',
    async (widest) => {
      const { seen, transfers } = provider(widest)
      const reader = createRangeReader(transfers, 1_000)
      expect(blocksOf(await reader.read({ from: 0, to: 999 }, []))).toEqual(upTo(999))
      expect(reader.mostBlocks() / 4).toBeWithin(Math.max(1, widest / 2), widest * 2 + 1)
      const refused = seen.asked.filter((range) => widthOf(range) > widest).length
      expect(refused).toBeLessThan(10 + seen.asked.length / 10)
    },
  )

  test('for a while is asked for as much as before in the end', async () => {
    const { seen, transfers } = provider(10)
    const reader = createRangeReader(transfers, 1_000)
    await reader.read({ from: 0, to: 999 }, [])
    seen.widest = Number.POSITIVE_INFINITY
    for (let from = 1_000; from < 50_000; ) {
      const to = from + reader.mostBlocks() - 1
      await reader.read({ from, to }, [])
      from = to + 1
    }
    expect(reader.mostBlocks()).toBe(4_000)
  })

  test('a single block is heard', async () => {
    const { transfers } = provider(0)
    const question = createRangeReader(transfers, 8).read({ from: 0, to: 7 }, [])
    await expect(question).rejects.toMatchObject({ fault: 'range_refused' })
  })
})

test('a range there was no time for is asked in halves next time, not at once', async () => {
  const { seen, transfers } = provider()
  let isSlow = true
  const ask = async (range: BlockRange) => {
    const answer = await transfers(range)
    if (isSlow) throw new OutOfTime()
    return answer
  }
  const reader = createRangeReader(ask, 1_000)
  const question = reader.read({ from: 0, to: 999 }, [])
  await expect(question).rejects.toMatchObject({ fault: 'range_refused' })
  isSlow = false
  await reader.read({ from: 0, to: 999 }, [])
  expect(seen.asked).toEqual([
    { from: 0, to: 999 },
    { from: 0, to: 499 },
    { from: 500, to: 999 },
  ])
})

describe('one question without an answer', () => {
  test('ends what is answered before it, and is told; little more is asked', async () => {
    const { seen, transfers } = provider()
    seen.brokenAt = 35
    const read = await createRangeReader(transfers, 10).read({ from: 0, to: 999 }, [])
    expect([read.to, read.answers.at(-1)?.last.hash, blocksOf(read)]).toEqual([
      29,
      'block 29',
      upTo(29),
    ])
    expect(read.failure).toMatchObject({ fault: 'unreachable' })
    expect(seen.asked.length).toBeLessThan(10)
  })

  test('fails the whole where it is the first', async () => {
    const { seen, transfers } = provider()
    seen.brokenAt = 0
    const question = createRangeReader(transfers, 10).read({ from: 0, to: 999 }, [])
    await expect(question).rejects.toMatchObject({ fault: 'unreachable' })
    expect(seen.asked.length).toBeLessThan(10)
  })
})
