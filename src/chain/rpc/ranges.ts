import { type BlockRange, ChainError, OutOfTime } from '../chain.ts'

/** `failure` is why `to` is before the range's end. */
export type Read<Answer> = {
  readonly to: number
  readonly answers: readonly Answer[]
  readonly failure: unknown
}

const questionsAtOnce = 4
const answersToGrow = 16

/** A refusal halves the size of requests; a run of answers doubles it. */
export function createRangeReader<Whose, Answer>(
  ask: (range: BlockRange, whose: Whose) => Promise<Answer>,
  maxRangeBlocks: number,
) {
  let questionBlocks = maxRangeBlocks
  let answersInRow = 0

  /** Reads up to the first failure; rejects if that is the very first request. */
  async function read(range: BlockRange, whose: Whose): Promise<Read<Answer>> {
    const pieces: Piece<Answer>[] = []
    const open = [range]
    let failure: unknown = null

    function take(): BlockRange | undefined {
      const next = open.pop()
      if (!next || next.to - next.from < questionBlocks) return next
      open.push({ from: next.from + questionBlocks, to: next.to })
      return { from: next.from, to: next.from + questionBlocks - 1 }
    }

    async function takeRanges(): Promise<void> {
      for (let next = take(); next && failure === null; next = take()) {
        try {
          pieces.push({ ...next, answer: await ask(next, whose) })
          grow(next)
        } catch (error) {
          const isRefused = isRefusedRange(error) && next.from < next.to
          // A node that runs out of time looks unreachable.
          if (isRefused || isAway(error)) shrink(next)
          if (isRefused && !(error instanceof OutOfTime)) open.push(next)
          else failure ??= error
        }
      }
    }

    await Promise.all(Array.from({ length: questionsAtOnce }, takeRanges))
    const answered = withoutGaps(pieces, range.from)
    const last = answered.at(-1)
    if (!last) throw failure
    return { to: last.to, answers: answered.map(({ answer }) => answer), failure }
  }

  /** Reads a range of any length; rejects where the next request to be read from fails. */
  async function readAll({ from, to }: BlockRange, whose: Whose): Promise<readonly Answer[]> {
    const all: Answer[] = []
    for (let next = from; next <= to; ) {
      const part = await read({ from: next, to }, whose)
      all.push(...part.answers)
      next = part.to + 1
    }
    return all
  }

  function grow({ from, to }: BlockRange): void {
    if (to - from + 1 < questionBlocks) return
    answersInRow++
    if (answersInRow < answersToGrow) return
    answersInRow = 0
    questionBlocks = Math.min(maxRangeBlocks, questionBlocks * 2)
  }

  function shrink({ from, to }: BlockRange): void {
    answersInRow = 0
    questionBlocks = Math.min(questionBlocks, Math.ceil((to - from + 1) / 2))
  }

  return {
    mostBlocks: () => questionBlocks * questionsAtOnce,
    read,
    readAll,
  }
}

function isAway(error: unknown): boolean {
  return error instanceof ChainError && error.fault === 'unreachable'
}

function isRefusedRange(error: unknown): boolean {
  return error instanceof ChainError && error.fault === 'range_refused'
}

type Piece<Answer> = BlockRange & { readonly answer: Answer }

function withoutGaps<Answer>(
  pieces: readonly Piece<Answer>[],
  from: number,
): readonly Piece<Answer>[] {
  const inOrder = pieces.toSorted((a, b) => a.from - b.from)
  let next = from
  const gap = inOrder.findIndex((piece) => {
    if (piece.from !== next) return true
    next = piece.to + 1
    return false
  })
  return gap < 0 ? inOrder : inOrder.slice(0, gap)
}
