import { connect, createServer, type Server, type Socket } from 'node:net'

export type TcpRelay = Awaited<ReturnType<typeof startTcpRelay>>

/**
 * Called for each new connection. `undefined` forwards bytes at once. A promise holds them back:
 * `pass` forwards then, `drop` disconnects.
 */
export type Watcher = (door: string) => { readonly fromClient: Look; readonly fromServer: Look }
type Look = (bytes: Buffer) => Promise<Verdict> | undefined
export type Verdict = 'pass' | 'drop'

export async function startTcpRelay(port: number) {
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
    /** Another port to the same server, reported to the watcher under `name`. */
    openDoor,
    /** For new connections from now on. */
    lead(port: number) {
      target = port
    },
    /** Refuses new ones too, until `heal`. */
    cut() {
      state = 'cut'
      for (const socket of open) socket.destroy()
    },
    /** In both directions, with every connection open, until `heal`. */
    stall() {
      state = 'stalled'
      for (const socket of open) socket.pause()
    },
    /** As when a NAT forgets connections: neither end learns of it. New ones are well. */
    forget() {
      for (const socket of open) forgotten.add(socket.pause())
    },
    heal() {
      state = 'well'
      for (const socket of open) if (!forgotten.has(socket)) socket.resume()
    },
    /** Null removes it. */
    watch(next: Watcher | null) {
      watcher = next
    },
    stop() {
      for (const socket of open) socket.destroy()
      for (const server of servers) server.close()
    },
  }
}
