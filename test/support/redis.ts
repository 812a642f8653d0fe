import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { endWithUs } from './postgres.ts'

export type TestRedis = Awaited<ReturnType<typeof startRedis>>

const program = process.env.REDIS_SERVER ?? Bun.which('redis-server')

/** On PATH or named by REDIS_SERVER. Suites that need one are skipped without it. */
export const hasRedis = program !== null

/**
 * As BullMQ requires: no eviction, every write synced. `settings` are further words of its command.
 */
export async function startRedis(...settings: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'quittance-redis-'))
  const first = await launchSomewhere(directory, settings)
  const { port } = first
  let running = first.launched
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return running.server.pid
    },
    /** On the same data. */
    async restart() {
      await running.server.exited
      running.release()
      running = await launch(port, directory, settings)
    },
    async stop() {
      running.server.kill('SIGKILL')
      await running.server.exited
      running.release()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Starts it on a free port, and tries another one if that was taken in the meantime. */
async function launchSomewhere(directory: string, settings: readonly string[], tries = 5) {
  const port = freePort()
  try {
    return { port, launched: await launch(port, directory, settings) }
  } catch (error) {
    if (tries === 1) throw error
    return launchSomewhere(directory, settings, tries - 1)
  }
}

async function launch(port: number, directory: string, settings: readonly string[]) {
  const server = Bun.spawn(
    [
      program ?? 'redis-server',
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
      ...settings,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const release = endWithUs(server.pid, directory)
  let said = ''
  const lines = server.stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })
  for await (const text of lines) {
    said += text
    if (said.includes('Ready to accept connections')) break
  }
  if (!said.includes('Ready to accept connections')) {
    release()
    throw new Error(`Redis did not start: ${said}`)
  }
  // Keeps reading: a full pipe would block the server.
  void (async () => {
    for await (const _ of lines);
  })()
  return { server, release }
}
