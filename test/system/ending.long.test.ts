import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { connect as open } from '../../src/storage/postgres/db.ts'
import { joinEmbedded, startEmbedded } from '../../src/storage/postgres/embedded/embedded.ts'
import { migrate } from '../../src/storage/postgres/migrate.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { startEvmNode } from '../support/evm-node.ts'
import {
  emptyDatabase,
  serverFolder,
  type TestDatabase,
  testDatabase,
} from '../support/postgres.ts'
import { startReceiver } from '../support/receiver.ts'
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

  test('while a service waits for a command that has its database ends it, and nothing is started', async () => {
    const dataDir = serverFolder()
    await quittance({ DATA_DIR: dataDir }, 'migrate')
    const command = await joinEmbedded({ dataDir, durable: false })
    try {
      const waiting = 'waiting for a command that uses the database'
      expect(await endedWhile(waiting, { DATA_DIR: dataDir })).toEqual([0, 'draining', 'stopped'])
    } finally {
      await command.stop()
    }
    const next = await startEmbedded({ dataDir, durable: false })
    await next.stop()
    rmSync(dataDir, { recursive: true })
  })

  test('while a service waits for another process that migrates ends it, and nothing is started', async () => {
    const empty = await emptyDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'quittance-migrations-'))
    writeFileSync(join(folder, '0001-endless.sql'), 'select pg_sleep(600)')
    const sql = open(empty.url, { max: 1, name: 'endless' })
    const endless = migrate(sql, { folder: pathToFileURL(`${folder}/`) }).catch(() => {})
    try {
      await eventually(async () => {
        const busy = await db.sql`
          select from pg_stat_activity where query like 'select pg_sleep(600)%'`
        return busy.length > 0
      })
      const waiting = 'waiting for another process to migrate the database'
      expect(await endedWhile(waiting, testEnv(empty.url))).toEqual([0, 'draining', 'stopped'])
    } finally {
      await empty.drop()
      await endless
      await sql.end({ timeout: 1 })
      rmSync(folder, { recursive: true })
    }
  })

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

  test.each([[['SIGTERM']], [['SIGINT', 'SIGINT']]] as const)(
    'is stopped in order by %j, although npm passes on the Ctrl-C that it got too',
    async (signals) => {
      const service = await startService(testEnv(db.url, talkative))
      for (const signal of signals) service.process.kill(signal)
      expect(await service.process.exited).toBe(0)
      expect(service.lines.at(-1)?.msg).toBe('stopped')
    },
  )

  test('is stopped in order by a terminal that is closed', async () => {
    let said = ''
    const service = Bun.spawn([process.execPath, '--no-orphans', 'src/main.ts'], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', PORT: '0', ...testEnv(db.url, talkative) },
      terminal: {
        data(_, bytes) {
          const before = said
          said += new TextDecoder().decode(bytes)
          if (!before.includes('is ready') && said.includes('is ready')) service.kill('SIGHUP')
        },
      },
    })
    expect(await service.exited).toBe(0)
    expect(Bun.stripANSI(said)).toContain('INFO: stopped')
  })

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

test('deliveries that are cut off by the end of the process are said to be, and are no errors', async () => {
  const receiver = startReceiver(() => new Promise<never>(() => {}))
  const wanted = { name: 'Test', plan: 'pro', limits: {} } as const
  const account = await openAccount(db.sql, keyFrom(testSecretsKey), wanted)
  const service = await startService(testEnv(db.url, { LOG_LEVEL: 'info' }))
  const post = (path: string, body: object) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'x-api-key': account.v1Key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  try {
    await post('/v1/webhooks', { url: receiver.url, events: ['invoice.created'] })
    await post('/v1/invoices', {
      ...{ amount: 1, currency: 'USDC' },
      ...{ customerName: 'Ada', customerEmail: 'ada@example.com' },
    })
    await receiver.next(() => true)
    expect(await service.stop()).toBe(0)
    const last = service.lines.slice(service.lines.findIndex(({ msg }) => msg === 'draining'))
    expect(last.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
      'info: draining',
      'warn: deliveries were still running at the deadline: they will be repeated',
      'info: stopped',
    ])
  } finally {
    await service.kill()
    await receiver.stop()
  }
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

/**
 * Starts a service that comes to say `waiting`, and sends it SIGTERM then. Answers its exit code,
 * and what it said afterwards.
 */
async function endedWhile(waiting: string, env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, '--no-orphans', 'src/main.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), PORT: '0', ...env, LOG_LEVEL: 'info' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text
    if (text.includes(waiting)) child.kill('SIGTERM')
  }
  const lines = said.trimEnd().split('\n')
  const from = lines.findIndex((line) => line.includes(waiting)) + 1
  return [await child.exited, ...lines.slice(from).map((line) => JSON.parse(line).msg)]
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
