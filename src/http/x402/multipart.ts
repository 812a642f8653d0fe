type Part = {
  readonly contentType: string
  readonly name: string
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A `multipart/mixed` body: one part after the other, each as its bytes come. */
export function multipart(
  boundary: string,
  parts: AsyncIterable<Part>,
): ReadableStream<Uint8Array> {
  const chunks = chunksOf(boundary, parts)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return()
    },
  })
}

async function* chunksOf(
  boundary: string,
  parts: AsyncIterable<Part>,
): AsyncGenerator<Uint8Array, void> {
  for await (const { contentType, name, body } of parts) {
    const disposition = `content-disposition: attachment; name="${name}"`
    yield Buffer.from(`\r\n--${boundary}\r\ncontent-type: ${contentType}\r\n${disposition}\r\n\r\n`)
    yield* body
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}
