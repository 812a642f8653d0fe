import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { testEnv } from '../support/app.ts'
import { startEvmNode } from '../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { silence } from '../support/rpc-faults.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'
import { startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))

let db: TestDatabase
let gate: Server
let url: string
let begun = Promise.withResolvers<void>()

/** A relay to PostgreSQL that shows when a process has begun to start. */
beforeAll(async () => {
  db = await testDatabase()
  const behind = new URL(db.url)
  const port = Number(behind.port)
  gate = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
    begun.resolve()
  })
  await new Promise<void>((listening) => gate.listen(0, '127.0.0.1', listening))
  behind.hostname = '127.0.0.1'
  behind.port = `${(gate.address() as { port: number }).port}`
  url = behind.href
})

afterAll(async () => {
  gate.close()
  await db.drop()
})

describe('SIGTERM', () => {
  test.each(['http', 'worker'])(
    'while a %s process still starts ends it in order',
    async (ROLE) => {
      begun = Promise.withResolvers()
      const child = start({ ROLE })
      await begun.promise
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    },
  )

  test('while a sweep and a job wait for nodes that fell silent ends a worker all the same', async () => {
    const node = await startEvmNode({ chainId: 8453 })
    const relays = [startRpcRelay(node.url), startRpcRelay(node.url)]
    const silent = await Promise.all([startSilentServer(), startSilentServer()])
    const child = start({
      ROLE: 'worker',
      BASE_RPC_URL: relays.map((relay) => relay.url).join(','),
      BASE_POLL_MS: '100',
      ANCHOR_RPC_URL: silent.map((server) => server.url).join(','),
      ANCHOR_CONTRACT: `0x${'aa'.repeat(20)}`,
      ANCHOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    })
    try {
      await Promise.race(silent.map(({ called }) => called))
      await eventually(() => relays.some(({ requests }) => requests.length > 0))
      child.kill('SIGTERM')
      // If jobs were still taken while the sweep finishes, one would last as long again.
      await Promise.race([child.exited, Bun.sleep(7_300)])
      for (const relay of relays) relay.misbehave(silence())
      expect(await child.exited).toBe(0)
    } finally {
      child.kill('SIGKILL')
      for (const server of silent) server.stop()
      await Promise.all(relays.map((relay) => relay.stop()))
      await node.stop()
    }
  })
})

describe('a running service', () => {
  const talkative = { LOG_LEVEL: 'info' }

  test.each([[['SIGTERM']], [['SIGHUP']], [['SIGINT', 'SIGINT']]] as const)(
    'is stopped in order by %j: a terminal that is closed, or npm’s own Ctrl-C besides the terminal’s',
    async (signals) => {
      const service = await startService(testEnv(db.url, talkative))
      for (const signal of signals) service.process.kill(signal)
      expect(await service.process.exited).toBe(0)
      expect(service.lines.at(-1)?.msg).toBe('stopped')
    },
  )

  test('is reached by what npm start is sent', async () => {
    const npm = Bun.spawn(['npm', 'start'], {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: tmpdir(),
        PORT: '0',
        ...testEnv(db.url, talkative),
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    let said = ''
    for await (const text of npm.stdout.pipeThrough(new TextDecoderStream())) {
      if (!said.includes('"msg":"ready"') && text.includes('"msg":"ready"')) npm.kill('SIGTERM')
      said += text
    }
    expect(await npm.exited).toBe(0)
    expect(said).toContain('"msg":"stopped"')
  })
})

function start(over: Record<string, string>) {
  return Bun.spawn([process.execPath, '--no-orphans', 'src/main.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...testEnv(url, over) },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
}

/** Accepts every connection and never answers. `called` resolves at the first connection. */
async function startSilentServer() {
  const called = Promise.withResolvers<void>()
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client.on('error', () => {}))
    called.resolve()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    called: called.promise,
    stop() {
      server.close()
      for (const client of clients) client.destroy()
    },
  }
}
