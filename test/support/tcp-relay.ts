import { connect, createServer, type Socket } from 'node:net'

/** A way to a TCP server that can be taken away. */
export type TcpRelay = {
  readonly port: number
  /** Leads to this port of loopback from now on. */
  lead(port: number): void
  /** Ends every connection and refuses new ones, until `heal`. */
  cut(): void
  /** Lets nothing through, either way, and tells nobody, until `heal`. */
  stall(): void
  heal(): void
  stop(): void
}

/** A relay on a free port of loopback to `port`. */
export async function startTcpRelay(port: number): Promise<TcpRelay> {
  const open = new Set<Socket>()
  let target = port
  let state: 'well' | 'cut' | 'stalled' = 'well'

  function tie(from: Socket, to: Socket): void {
    open.add(from)
    from.on('data', (chunk) => {
      if (!to.write(chunk)) from.pause()
    })
    to.on('drain', () => {
      if (state !== 'stalled') from.resume()
    })
    from.on('error', () => {})
    from.on('close', () => {
      open.delete(from)
      to.destroy()
    })
  }

  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    tie(client, upstream)
    tie(upstream, client)
    if (state === 'stalled') for (const socket of [client, upstream]) socket.pause()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as { port: number }).port,
    lead(port) {
      target = port
    },
    cut() {
      state = 'cut'
      for (const socket of open) socket.destroy()
    },
    stall() {
      state = 'stalled'
      for (const socket of open) socket.pause()
    },
    heal() {
      state = 'well'
      for (const socket of open) socket.resume()
    },
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
