import { expect, test } from 'bun:test'
import { readBundle, UnreadableBundle } from '../../src/operator/read-bundle.ts'

test.each([
  ['nothing', ''],
  ['the beginning of a bundle', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"receiptId":'],
])('a URL that answers %s and no more cannot be read, and is not waited for', async (_, said) => {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.write(said) },
  })
  try {
    const reading = readBundle(`http://127.0.0.1:${server.port}/bundle`, 200)
    await expect(reading).rejects.toBeInstanceOf(UnreadableBundle)
  } finally {
    server.stop(true)
  }
})
