import { connect } from 'node:net'

export type RawAnswer = {
  /** In order. */
  readonly statuses: readonly number[]
  readonly text: string
  readonly openMs: number
}

/** Stops when the server closes, after `limitMs`, or `moreMs` after the answer began. */
export async function sendRaw(
  url: string,
  bytes: string,
  limitMs: number,
  moreMs = limitMs,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const startedAtMs = performance.now()
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let text = ''
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        text += chunk.toString('latin1')
        answer()
      },
      close: () => close(),
      error: () => close(),
    },
  })
  socket.write(bytes)
  const heard = answered.then(() => Bun.sleep(moreMs))
  await Promise.race([closed, heard, Bun.sleep(limitMs)])
  const openMs = performance.now() - startedAtMs
  socket.end()
  const statuses = Array.from(text.matchAll(/^HTTP\/1\.1 (\d{3})/gm), ([, status]) =>
    Number(status),
  )
  return { statuses, text, openMs }
}

/** Reads no more than the beginning of the answer. */
export function unreadAnswer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ destroy(): void }> {
  const { hostname, port, pathname, search } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', reject)
    socket.once('data', () => resolve(socket.pause()))
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\n${lines.join('')}\r\n`)
  })
}
