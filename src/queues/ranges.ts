import { type Answer, type Chain, ChainError, type Recipients } from '../chain/chain.ts'

export type Range = { readonly from: number; readonly to: number }

/** Reads what lies far back in several questions at once, each over as many blocks as the node will answer. */
export type RangeReader = {
  /** Most blocks to ask for in one go. */
  mostBlocks(): number
  /** What `range` holds, as one answer. Errors: those of `ask`, but a refused range only where it is one block. */
  read(range: Range, recipients: Recipients): Promise<Answer>
}

const questionsAtOnce = 4
/** Refusals come by blocks and by results, and pass: after so many answers in a row, more is tried again. */
const answersToGrow = 16

/** `maxRangeBlocks` is never exceeded by one question; a refusal halves what is asked for, and answers double it again. */
export function createRangeReader(ask: Chain['transfers'], maxRangeBlocks: number): RangeReader {
  let questionBlocks = maxRangeBlocks
  let answersInRow = 0

  async function read(range: Range, recipients: Recipients): Promise<Answer> {
    const answers: { from: number; answer: Answer }[] = []
    const open = [range]
    let failed = false

    function take(): Range | undefined {
      const next = open.pop()
      if (!next || next.to - next.from < questionBlocks) return next
      open.push({ from: next.from + questionBlocks, to: next.to })
      return { from: next.from, to: next.from + questionBlocks - 1 }
    }

    async function takeTurns(): Promise<void> {
      for (let next = take(); next && !failed; next = take()) {
        try {
          answers.push({ from: next.from, answer: await ask(next, recipients) })
          grow(next)
        } catch (error) {
          failed = !isRefusedRange(error) || next.from === next.to
          if (failed) throw error
          shrink(next)
          open.push(next)
        }
      }
    }

    // The last one takes what the others put back.
    await Promise.all(Array.from({ length: questionsAtOnce }, takeTurns))
    return joined(answers)
  }

  function grow({ from, to }: Range): void {
    if (to - from + 1 < questionBlocks) return
    answersInRow++
    if (answersInRow < answersToGrow) return
    answersInRow = 0
    questionBlocks = Math.min(maxRangeBlocks, questionBlocks * 2)
  }

  function shrink({ from, to }: Range): void {
    answersInRow = 0
    questionBlocks = Math.min(questionBlocks, Math.ceil((to - from + 1) / 2))
  }

  return { mostBlocks: () => questionBlocks * questionsAtOnce, read }
}

function isRefusedRange(error: unknown): boolean {
  return error instanceof ChainError && error.fault === 'range_refused'
}

function joined(answers: readonly { from: number; answer: Answer }[]): Answer {
  const inOrder = answers.toSorted((a, b) => a.from - b.from).map(({ answer }) => answer)
  const { last } = inOrder.at(-1) as Answer
  return { last, transfers: inOrder.flatMap(({ transfers }) => transfers) }
}
