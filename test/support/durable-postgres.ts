import { rmSync } from 'node:fs'
import { startEmbedded } from '../../src/storage/postgres/embedded/embedded.ts'
import { endWithUs, postmasterPid, serverFolder } from './postgres.ts'
import { startTcpRelay } from './tcp-relay.ts'
import { eventually } from './wait.ts'

export type DurablePostgres = Awaited<ReturnType<typeof startDurablePostgres>>

/** A separate PostgreSQL that keeps what it acknowledged, behind a relay with a lasting address. */
export async function startDurablePostgres() {
  const dataDir = serverFolder()
  let running = await launch(dataDir)
  const url = new URL(running.server.url)
  const relay = await startTcpRelay(Number(url.port))
  url.port = `${relay.port}`

  /** `immediate` as in a crash, `fast` cleanly but without waiting for clients. */
  async function end(how: 'immediate' | 'fast'): Promise<void> {
    const pid = postmasterPid(dataDir)
    process.kill(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await eventually(() => !isAlive(pid))
    await running.server.stop()
    running.release()
  }

  return {
    url: url.href,
    relay,
    end,
    async start() {
      running = await launch(dataDir)
      relay.lead(Number(new URL(running.server.url).port))
    },
    async stop() {
      relay.stop()
      await running.server.stop()
      running.release()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function launch(dataDir: string) {
  const server = await startEmbedded({ dataDir })
  return { server, release: endWithUs(postmasterPid(dataDir), dataDir) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
