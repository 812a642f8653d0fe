import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Lock, takeLock } from './embedded/data-lock.ts'
import { EmbeddedError } from './embedded/error.ts'
import { exists, textOf, writePrivate } from './embedded/files.ts'
import { baseFor, folderOf, prepare } from './embedded/home.ts'
import { initialiseData, startServer, stopLeftover, stopServer } from './embedded/server.ts'

/** A PostgreSQL that this process started, or found running. */
export type Embedded = {
  readonly url: string
  /** Where its data is; outside `dataDir` when the server's user cannot reach that. */
  readonly folder: string
  /** Shuts the server down in order; does nothing to a server that another process started. */
  stop(): Promise<void>
}

type Options = {
  readonly dataDir: string
  /** False only for tests: a power cut may then lose or corrupt everything. */
  readonly durable?: boolean
  /** Called once, with the last output, when the server started here has ended without `stop`. */
  readonly onDeath?: (lastWords: string) => void
}

const joinLimitMs = 30_000

/**
 * Starts the PostgreSQL that comes with the npm packages, with its data under `dataDir`. A server
 * left behind by a killed process is shut down first. Throws `EmbeddedError` when another process
 * is using `dataDir`.
 */
export async function startEmbedded(options: Options): Promise<Embedded> {
  const lock = await takeLock(options.dataDir)
  if (!lock) {
    throw new EmbeddedError(
      `Another process is using ${options.dataDir}; stop it or set another DATA_DIR`,
    )
  }
  return startHolding(lock, options)
}

/**
 * Joins the server that a running service keeps under `dataDir`, or starts one, which the caller
 * must stop. Throws `EmbeddedError` when the running service does not get its server ready in 30 s.
 */
export async function joinEmbedded(options: Options): Promise<Embedded> {
  const deadline = Date.now() + joinLimitMs
  while (Date.now() < deadline) {
    const lock = await takeLock(options.dataDir)
    if (lock) return startHolding(lock, options)
    const url = await textOf(urlFile(options.dataDir))
    if (url) return { url, folder: await folderOf(options.dataDir), stop: () => Promise.resolve() }
    await Bun.sleep(50)
  }
  throw new EmbeddedError(`The process that uses ${options.dataDir} does not get its server ready`)
}

/** Whether a PostgreSQL under `dataDir` has been started before. */
export function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return exists(join(dataDir, 'postgres/data'))
}

async function startHolding(
  lock: Lock,
  { dataDir, durable = true, onDeath }: Options,
): Promise<Embedded> {
  try {
    await fs.rm(urlFile(dataDir), { force: true })
    const base = await baseFor(resolve(dataDir))
    const stalePid = await stopLeftover(base)
    const home = await prepare(base)
    const password = await passwordIn(dataDir)
    await initialiseData(home, password, durable)
    const { server, port } = await startServer(home, durable, stalePid)
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    await writePrivate(urlFile(dataDir), url)
    let isStopping = false
    void server.ended.then(() => {
      if (!isStopping) onDeath?.(server.output())
    })
    return {
      url,
      folder: base,
      async stop() {
        isStopping = true
        await fs.rm(urlFile(dataDir), { force: true })
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
