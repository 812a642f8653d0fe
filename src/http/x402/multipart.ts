type Part = {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A `multipart/mixed` body, streamed part by part. */
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
  for await (const { name, headers, body } of parts) {
    const all = { ...headers, 'content-disposition': `attachment; name="${name}"` }
    const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`)
    yield Buffer.from(`\r\n--${boundary}\r\n${lines.join('')}\r\n`, 'latin1')
    yield* body
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}
