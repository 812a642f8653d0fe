import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, createServer, type Server } from 'node:net'
import { testEnv } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))

let db: TestDatabase
let gate: Server
let url: string
let begun = Promise.withResolvers<void>()

/** A way to PostgreSQL that tells when a process has begun to start. */
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
      const child = Bun.spawn([process.execPath, '--no-orphans', 'src/main.ts'], {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', PORT: '0', ...testEnv(url, { ROLE }) },
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'inherit',
      })
      await begun.promise
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    },
  )
})
