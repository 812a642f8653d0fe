import type { Answer } from '../operation.ts'

const encoder = new TextEncoder()

/**
 * `head` and the texts after it, each made when the one before has been read. A failure of the
 * first is answered like any other. A later one, or `ended`, cuts the connection: a part must not
 * be taken for the whole.
 */
export async function streamed(
  headers: Readonly<Record<string, string>>,
  head: string,
  texts: AsyncGenerator<string, void>,
  ended?: AbortSignal,
): Promise<Answer> {
  const first = await texts.next()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(head + (first.value ?? '')))
      // Changes nothing once everything has been sent.
      ended?.addEventListener('abort', () => controller.error(new Error('cut off')))
    },
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await texts.return()
    },
  })
  return { status: 200, body, headers }
}
