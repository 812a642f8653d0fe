import { type Block, type BlockRange, ChainError } from '../chain/chain.ts'

/** The items found in a range (in `transfers`, whatever they are), and the range's last block. */
type Found<Item> = { readonly last: Block; readonly transfers: readonly Item[] }

/**
 * Reads distant blocks by several requests at once, each over as many blocks as the node will
 * answer.
 */
export type RangeReader<Whose, Item> = {
  /** The most blocks to ask for in one `read`. */
  mostBlocks(): number
  /**
   * The items of `range` up to its end, or up to the first request that failed. Errors, when the
   * very first request failed: those of `ask`; a refused range is an error only when it is a single
   * block.
   */
  read(range: BlockRange, whose: Whose): Promise<Read<Item>>
}

export type Read<Item> = Found<Item> & { readonly to: number }

const questionsAtOnce = 4
/**
 * Nodes refuse ranges by number of blocks or of results, and such limits pass: after this many
 * answers in a row a larger range is tried.
 */
const answersToGrow = 16

/**
 * Creates a reader on `ask`. No request exceeds `maxRangeBlocks`; a refusal halves the size of a
 * request, and a run of answers doubles it again.
 */
export function createRangeReader<Whose, Item>(
  ask: (range: BlockRange, whose: Whose) => Promise<Found<Item>>,
  maxRangeBlocks: number,
): RangeReader<Whose, Item> {
  let questionBlocks = maxRangeBlocks
  let answersInRow = 0

  async function read(range: BlockRange, whose: Whose): Promise<Read<Item>> {
    const answers: Piece<Item>[] = []
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
          answers.push({ ...next, answer: await ask(next, whose) })
          grow(next)
        } catch (error) {
          const isRefused = isRefusedRange(error) && next.from < next.to
          // A node that has more to read than it can in time looks like one that is unreachable.
          if (isRefused || isAway(error)) shrink(next)
          if (isRefused) open.push(next)
          else failure ??= error
        }
      }
    }

    // A turn that puts back a refused range continues with it, so no range is left over when all
    // turns end.
    await Promise.all(Array.from({ length: questionsAtOnce }, takeTurns))
    const answered = withoutGaps(answers, range.from)
    if (answered.length === 0) throw failure
    return joined(answered)
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

  return { mostBlocks: () => questionBlocks * questionsAtOnce, read }
}

function isAway(error: unknown): boolean {
  return error instanceof ChainError && error.fault === 'unreachable'
}

function isRefusedRange(error: unknown): boolean {
  return error instanceof ChainError && error.fault === 'range_refused'
}

type Piece<Item> = BlockRange & { readonly answer: Found<Item> }

function withoutGaps<Item>(pieces: readonly Piece<Item>[], from: number): readonly Piece<Item>[] {
  const inOrder = pieces.toSorted((a, b) => a.from - b.from)
  let next = from
  const gap = inOrder.findIndex((piece) => {
    if (piece.from !== next) return true
    next = piece.to + 1
    return false
  })
  return gap < 0 ? inOrder : inOrder.slice(0, gap)
}

function joined<Item>(pieces: readonly Piece<Item>[]): Read<Item> {
  const { to, answer } = pieces.at(-1) as Piece<Item>
  return { to, last: answer.last, transfers: pieces.flatMap((piece) => piece.answer.transfers) }
}
