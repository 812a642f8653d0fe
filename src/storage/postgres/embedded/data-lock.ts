import { Database } from 'bun:sqlite'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedError } from './home.ts'

export type Lock = { release(): void }

// The garbage collector would close unreferenced handles, and free their locks.
const held = new Set<Database>()

/**
 * Takes a lock in `dataDir`; null when another process holds it. The kernel frees the locks of a
 * killed process, so no pid file has to be trusted.
 */
export async function takeLock(
  dataDir: string,
  name: 'postgres' | 'service',
): Promise<Lock | null> {
  await fs.mkdir(dataDir, { recursive: true })
  const file = join(dataDir, `${name}.lock`)
  let lock: Database | undefined
  try {
    lock = new Database(file)
    lock.run('begin exclusive')
  } catch (error) {
    lock?.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return null
    throw new EmbeddedError(`${file} cannot be locked: ${(error as Error).message}`)
  }
  const taken = lock
  held.add(taken)
  return {
    release() {
      held.delete(taken)
      taken.close()
    },
  }
}
