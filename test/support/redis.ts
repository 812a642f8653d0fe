import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestRedis = {
  readonly url: string
  readonly pid: number
  /** Starts it again on the same port and files, after it was killed. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Whether this machine has a `redis-server`; suites that need one are skipped without. */
export const hasRedis = Bun.which('redis-server') !== null

/** A real Redis on a free port, set up as BullMQ wants it: nothing evicted, every write in the append-only file. */
export async function startRedis(): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'quittance-redis-'))
  const port = await freePort()
  let server = await launch(port, directory)
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return server.pid
    },
    async restart() {
      await server.exited
      server = await launch(port, directory)
    },
    async stop() {
      server.kill('SIGKILL')
      await server.exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function launch(port: number, directory: string) {
  const server = Bun.spawn(
    [
      ...[
        'redis-server',
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--dir',
        directory,
        '--save',
        '',
      ],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const lines = server.stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })
  for await (const text of lines) if (text.includes('Ready to accept connections')) break
  // Read on, or a full pipe would stop the server.
  void (async () => {
    for await (const _ of lines);
  })()
  return server
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
