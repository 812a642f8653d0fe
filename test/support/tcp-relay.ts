import { connect, createServer, type Server, type Socket } from 'node:net'

/** A relay to a TCP server whose connection can be cut or stalled. */
export type TcpRelay = {
  readonly port: number
  /**
   * Opens another port to the same server. Its connections are reported to the watcher under
   * `name`.
   */
  openDoor(name: string): Promise<number>
  /** Forwards new connections to this port of loopback from now on. */
  lead(port: number): void
  /** Closes every connection and refuses new ones, until `heal`. */
  cut(): void
  /** Holds back all bytes in both directions with every connection open, until `heal`. */
  stall(): void
  /**
   * Lets every open connection fall silent for ever, as when a NAT has forgotten it or its host has
   * crashed: neither end is told. New connections are well.
   */
  forget(): void
  heal(): void
  /** Replaces the watcher of all traffic; null removes it. */
  watch(watcher: Watcher | null): void
  stop(): void
}

/**
 * Called for each new connection with the name of its door. Its two functions inspect the bytes:
 * `undefined` forwards them at once. A promise holds them back: `pass` then forwards them, `drop`
 * closes the connection instead.
 */
export type Watcher = (door: string) => { readonly fromClient: Look; readonly fromServer: Look }
type Look = (bytes: Buffer) => Promise<Verdict> | undefined
export type Verdict = 'pass' | 'drop'

/** Starts a relay on a free port of loopback to `port`. */
export async function startTcpRelay(port: number): Promise<TcpRelay> {
  const open = new Set<Socket>()
  const forgotten = new Set<Socket>()
  const servers: Server[] = []
  let target = port
  let state: 'well' | 'cut' | 'stalled' = 'well'
  let watcher: Watcher | null = null

  function tie(from: Socket, to: Socket, look: Look): void {
    open.add(from)
    let looking: Promise<void> | null = null
    const pass = (chunk: Buffer) => {
      if (!to.destroyed && !to.write(chunk)) from.pause()
    }
    from.on('data', (chunk: Buffer) => {
      const verdict = look(chunk)
      if (looking === null && verdict === undefined) return pass(chunk)
      const mine = Promise.all([verdict, looking]).then(([verdict]) => {
        if (verdict === 'drop') to.destroy()
        else pass(chunk)
        if (looking === mine) looking = null
      })
      looking = mine
    })
    to.on('drain', () => {
      if (state !== 'stalled' && !forgotten.has(from)) from.resume()
    })
    from.on('error', () => {})
    from.on('close', () => {
      open.delete(from)
      // Bytes that have left a process are still delivered after it has ended.
      if (looking) void looking.then(() => to.end())
      else to.destroy()
    })
  }

  function accept(door: string, client: Socket): void {
    if (state === 'cut') return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    const watched = watcher?.(door)
    tie(client, upstream, (bytes) => watched?.fromClient(bytes))
    tie(upstream, client, (bytes) => watched?.fromServer(bytes))
    if (state === 'stalled') for (const socket of [client, upstream]) socket.pause()
  }

  async function openDoor(name: string): Promise<number> {
    const server = createServer((client) => accept(name, client))
    servers.push(server)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    return (server.address() as { port: number }).port
  }

  return {
    port: await openDoor('front'),
    openDoor,
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
    forget() {
      for (const socket of open) forgotten.add(socket.pause())
    },
    heal() {
      state = 'well'
      for (const socket of open) if (!forgotten.has(socket)) socket.resume()
    },
    watch(next) {
      watcher = next
    },
    stop() {
      for (const socket of open) socket.destroy()
      for (const server of servers) server.close()
    },
  }
}
