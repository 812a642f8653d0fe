import { type BlockRange, ChainError, OutOfTime } from '../chain.ts'

/**
 * The answers of a range, at least one, in the order of their blocks; the last ends with `to`.
 * `failure`: why `to` is before the range's end; null if it is not.
 */
export type Read<Answer> = {
  readonly to: number
  readonly answers: readonly Answer[]
  readonly failure: unknown
}

const questionsAtOnce = 4
/** A refusal for many results need not last: after so many answers a larger range is tried. */
const answersToGrow = 16

/**
 * Reads distant blocks by several requests at once. None exceeds `maxRangeBlocks`; a refusal halves
 * the size of requests, and a run of answers doubles it again.
 */
export function createRangeReader<Whose, Answer>(
  ask: (range: BlockRange, whose: Whose) => Promise<Answer>,
  maxRangeBlocks: number,
) {
  let questionBlocks = maxRangeBlocks
  let answersInRow = 0

  /**
   * Reads `range` up to its end, or to the first failed request. Errors, if that is the very first
   * one: those of `ask`; a refused range is an error only for a single block.
   */
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

    async function takeTurns(): Promise<void> {
      for (let next = take(); next && failure === null; next = take()) {
        try {
          pieces.push({ ...next, answer: await ask(next, whose) })
          grow(next)
        } catch (error) {
          const isRefused = isRefusedRange(error) && next.from < next.to
          // A node with more to read than it can in time looks unreachable.
          if (isRefused || isAway(error)) shrink(next)
          if (isRefused && !(error instanceof OutOfTime)) open.push(next)
          else failure ??= error
        }
      }
    }

    // Who puts back a refused range continues with it, so none is left over at the end.
    await Promise.all(Array.from({ length: questionsAtOnce }, takeTurns))
    const answered = withoutGaps(pieces, range.from)
    const last = answered.at(-1)
    if (!last) throw failure
    return { to: last.to, answers: answered.map(({ answer }) => answer), failure }
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
    /** The most blocks to ask for in one `read`. */
    mostBlocks: () => questionBlocks * questionsAtOnce,
    read,
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
