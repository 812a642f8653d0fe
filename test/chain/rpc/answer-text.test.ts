import { expect, test } from 'bun:test'
import { mostBytes, mostBytesAtOnce, readText } from '../../../src/chain/rpc/answer-text.ts'

const part = new Uint8Array(2 ** 18).fill(32)
const never = new AbortController().signal
const parts = mostBytes / part.length

/** `sent` counts the bytes that have left. */
function answerOf(count: number) {
  const sent = { bytes: 0 }
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      await Bun.sleep(0)
      if (sent.bytes >= count * part.length) return stream.close()
      sent.bytes += part.length
      stream.enqueue(part)
    },
  })
  return { sent, response: new Response(body) }
}

test('an answer of 32 MiB is read, a longer one is not', async () => {
  expect(await readText(answerOf(parts).response, 'node', never)).toHaveLength(mostBytes)
  await expect(readText(answerOf(parts + 1).response, 'node', never)).rejects.toMatchObject({
    fault: 'unreachable',
    message: 'node: an answer of more than 32 MiB',
  })
})

test('of the answers that a process reads at once 64 MiB are held, and all of them are read', async () => {
  const answers = Array.from({ length: 5 }, () => answerOf(parts))
  const open = new Set(answers)
  let most = 0
  const count = setInterval(() => {
    most = Math.max(
      most,
      [...open].reduce((sum, { sent }) => sum + sent.bytes, 0),
    )
  }, 1)
  await Promise.all(
    answers.map(async (answer) => {
      expect(await readText(answer.response, 'node', never)).toHaveLength(mostBytes)
      open.delete(answer)
    }),
  )
  clearInterval(count)
  // Each reader and its stream may have a part more in hand.
  expect(most).toBeLessThanOrEqual(mostBytesAtOnce + answers.length * 2 * part.length)
  expect(most).toBeGreaterThan(mostBytes)
})
