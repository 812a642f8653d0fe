import { createHmac } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'

export type Received = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly atMs: number
}

export type Receiver = {
  readonly url: string
  readonly received: readonly Received[]
  /** The first request that `wanted` accepts, already received or still to come. */
  next(wanted: (envelope: Envelope) => boolean, limitMs?: number): Promise<Received>
  stop(): Promise<void>
}

export type Envelope = {
  readonly id: string
  readonly type: string
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
}

type Answer = (request: Received) => Response | Promise<Response>

/** A real HTTP server on loopback that records what it receives. By default it answers 204. */
export function startReceiver(
  answer: Answer = () => new Response(null, { status: 204 }),
): Receiver {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const arrived = {
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        atMs: performance.now(),
      }
      received.push(arrived)
      for (const look of waiting) look()
      return answer(arrived)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    next(wanted, limitMs = 60_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`no such webhook within ${limitMs} ms; ${received.length} others came`))
        }, limitMs)
        function look(): void {
          const found = received.find(({ body }) => wanted(JSON.parse(body) as Envelope))
          if (!found) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
    stop: () => server.stop(true),
  }
}

export type SocketReceiver = Awaited<ReturnType<typeof startSocketReceiver>>

/** Misbehaves below HTTP: `answer` gets the bare socket once a request begins to arrive. */
export async function startSocketReceiver(answer: (socket: Socket) => void) {
  const open = new Set<Socket>()
  let all = 0
  const server = createServer((socket) => {
    all++
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** How many connections there have been, and how many are open now. */
    count: () => ({ all, open: open.size }),
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

/** In both ways: the plain HMAC, and Standard Webhooks with its official package. */
export function verify(
  { headers, body }: Received,
  secret: string,
): { plain: boolean; standard: boolean } {
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  return {
    plain: headers['x-service-signature'] === expected,
    standard: isStandard({ headers, body }, secret),
  }
}

function isStandard(
  { headers, body }: Pick<Received, 'headers' | 'body'>,
  secret: string,
): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/=]{24,88})$/.exec(secret)?.[1] ?? ''
  const bytes = Buffer.from(encoded, 'base64')
  const isKey = bytes.toString('base64') === encoded && bytes.length >= 16 && bytes.length <= 64
  const webhook = isKey ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' })
  try {
    webhook.verify(body, { ...headers })
    return true
  } catch {
    return false
  }
}
