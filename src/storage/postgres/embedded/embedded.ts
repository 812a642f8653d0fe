import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Lock, takeLock } from './data-lock.ts'
import { exists, textOf, writePrivate } from './files.ts'
import { baseFor, EmbeddedError, folderOf, prepare } from './home.ts'
import { initialiseData, startServer, stopLeftover, stopServer } from './server.ts'

/** A PostgreSQL that this process started or joined. */
export type Embedded = {
  readonly url: string
  /** Outside `dataDir` when the server's user cannot reach that. */
  readonly folder: string
  /** Shuts down only a server that this process started. */
  stop(): Promise<void>
}

type Options = {
  readonly dataDir: string
  /** False only in tests: a power cut may then lose everything. */
  readonly durable?: boolean
  /** Called with the last output when the server has ended without `stop`. */
  readonly onDeath?: (lastWords: string) => void
  /** Aborts the start, which then leaves no server. */
  readonly signal?: AbortSignal | undefined
}

const waitLimitMs = 30_000

/**
 * Starts the embedded PostgreSQL for a service; commands join it. Shuts down a server that a killed
 * process left behind. Waits for a command that uses the data, after `onWait`. Throws
 * `EmbeddedError` when another service uses `dataDir`, or a command for more than 30 s.
 */
export async function startEmbedded(
  options: Options & { readonly onWait?: () => void },
): Promise<Embedded> {
  const { dataDir, onWait, signal } = options
  const ours = await takeLock(dataDir, 'service')
  if (!ours) throw inUse(dataDir)
  try {
    const atOnce = await takeLock(dataDir, 'postgres')
    if (!atOnce) onWait?.()
    const lock = atOnce ?? (await waitFor(() => takeLock(dataDir, 'postgres'), signal))
    if (!lock) throw inUse(dataDir)
    const server = await startHolding(lock, options)
    await writePrivate(urlFile(dataDir), server.url)
    return {
      ...server,
      async stop() {
        await fs.rm(urlFile(dataDir), { force: true })
        await server.stop()
        ours.release()
      },
    }
  } catch (error) {
    ours.release()
    throw error
  }
}

/**
 * For a command: joins the server of a running service, or starts one, which the caller must stop.
 * Waits for other commands. Throws `EmbeddedError` after 30 s.
 */
export async function joinEmbedded(options: Options): Promise<Embedded> {
  const { dataDir, signal } = options
  const joined = await waitFor(async () => {
    const lock = await takeLock(dataDir, 'postgres')
    if (lock) return startHolding(lock, options)
    const url = await textOf(urlFile(dataDir))
    return url ? { url, folder: await folderOf(dataDir), stop: () => Promise.resolve() } : null
  }, signal)
  if (joined) return joined
  throw new EmbeddedError(
    `Another process is using ${dataDir}: it neither ends nor gets its server ready`,
  )
}

/** Null if nothing is found in `waitLimitMs`. */
async function waitFor<T>(
  find: () => Promise<T | null>,
  signal: AbortSignal | undefined,
): Promise<T | null> {
  const giveUpAt = performance.now() + waitLimitMs
  while (performance.now() < giveUpAt) {
    const found = await find()
    if (found !== null) return found
    signal?.throwIfAborted()
    await Bun.sleep(50)
  }
  return null
}

function inUse(dataDir: string): EmbeddedError {
  return new EmbeddedError(`Another process is using ${dataDir}; stop it or set another DATA_DIR`)
}

export function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return exists(join(dataDir, 'postgres/data'))
}

async function startHolding(
  lock: Lock,
  { dataDir, durable = true, onDeath, signal }: Options,
): Promise<Embedded> {
  try {
    await fs.rm(urlFile(dataDir), { force: true })
    const base = await baseFor(resolve(dataDir))
    const stalePid = await stopLeftover(base)
    const home = await prepare(base)
    const password = await passwordIn(dataDir)
    await initialiseData(home, password, durable)
    signal?.throwIfAborted()
    const { server, port } = await startServer(home, { durable, stalePid, signal })
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    let isStopping = false
    void server.ended.then(() => {
      if (!isStopping) onDeath?.(server.output())
    })
    return {
      url,
      folder: base,
      async stop() {
        isStopping = true
        await stopServer(server)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function urlFile(dataDir: string): string {
  return join(dataDir, 'postgres.url')
}

async function passwordIn(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres.password')
  const known = await textOf(file)
  if (known) return known
  const password = randomBytes(24).toString('hex')
  await writePrivate(file, password)
  return password
}
