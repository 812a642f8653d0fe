export function wireRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Uint8Array {
  const lines = Object.entries({
    host: 'localhost',
    ...headers,
    'content-length': `${Buffer.byteLength(body)}`,
  })
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

/** The body of a POST that creates an invoice. */
export const newInvoice = JSON.stringify({
  amount: 12.5,
  currency: 'USDC',
  chain: 'base',
  customerName: 'Ada Example',
  customerEmail: 'ada@example.com',
  taxCountry: 'DE',
  serviceDescription: 'Translation of one contract',
})

/** A POST that creates an invoice. */
export function creation(headers: Record<string, string> = {}): Uint8Array {
  const all = { 'content-type': 'application/json', ...headers }
  return wireRequest('POST', '/v1/invoices', all, newInvoice)
}

/** The offset of the first digit of the status: `HTTP/1.1 2…`. */
const successAt = 9
const zero = 0x30
const blankLine = Buffer.from('\r\n\r\n')
const lengthHeader = Buffer.from('Content-Length: ')

export type LoadResult = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failed: number
}

/**
 * Generates load as wrk does: each keep-alive connection sends its next request once the previous
 * answer is complete. With `perSecond`, latency counts from a request's scheduled time, so a server
 * that falls behind is charged for the delay. Runs in the caller's process, which should do nothing
 * else.
 */
export async function load(options: {
  port: number
  connections: number
  requests: readonly Uint8Array[]
  seconds: number
  perSecond?: number
  /** The first digit of the status of a good answer: 2, unless given. */
  status?: number
}): Promise<LoadResult> {
  const { port, connections, requests, seconds, perSecond, status = 2 } = options
  const latenciesMs: number[] = []
  let failed = 0
  let turn = 0
  const started = performance.now()
  const endAt = started + seconds * 1_000

  function connection(): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = 0
      let missing = -1
      function next(socket: Bun.Socket): void {
        if (performance.now() >= endAt) {
          socket.end()
          resolve()
          return
        }
        const request = requests[turn % requests.length] as Uint8Array
        sentAt = perSecond === undefined ? performance.now() : started + (1_000 * turn) / perSecond
        turn++
        missing = -1
        const earlyMs = sentAt - performance.now()
        if (earlyMs > 0) setTimeout(() => socket.write(request), earlyMs)
        else socket.write(request)
      }
      void Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          open: next,
          data(socket, chunk) {
            if (missing < 0) {
              if (chunk[successAt] !== zero + status) failed++
              const digits = chunk.indexOf(lengthHeader) + lengthHeader.length
              const length = Number.parseInt(chunk.toString('latin1', digits, digits + 10), 10)
              missing = chunk.indexOf(blankLine) + blankLine.length + length
            }
            missing -= chunk.length
            if (missing > 0) return
            latenciesMs.push(performance.now() - sentAt)
            next(socket)
          },
          error: (_socket, error) => reject(error),
          close: () => resolve(),
        },
      }).catch(reject)
    })
  }

  await Promise.all(Array.from({ length: connections }, connection))
  const elapsedSeconds = (performance.now() - started) / 1_000
  latenciesMs.sort((a, b) => a - b)
  const quantile = (q: number) => latenciesMs[Math.floor(q * (latenciesMs.length - 1))] ?? 0
  return {
    perSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    failed,
  }
}
