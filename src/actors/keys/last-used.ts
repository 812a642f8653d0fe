import { touchLastUsed } from '../../storage/accounts/api-keys.ts'
import type { Sql } from '../../storage/postgres/db.ts'

const writeEveryMs = 60_000

/** Gathers when keys were last used, and writes it once a minute. Times are of `unixMs`. */
export function createLastUsed(parts: {
  readonly sql: Sql
  readonly unixMs: () => number
  readonly onFault: (error: unknown) => void
}) {
  const { sql, unixMs, onFault } = parts
  let usedAtMs = new Map<string, number>()
  const timer = setInterval(write, writeEveryMs)
  timer.unref()

  function note(keyId: string): void {
    if (!usedAtMs.has(keyId)) usedAtMs.set(keyId, unixMs())
  }

  async function write(): Promise<void> {
    const uses = Array.from(usedAtMs, ([keyId, usedAtMs]) => ({ keyId, usedAtMs }))
    usedAtMs = new Map()
    if (uses.length > 0) await touchLastUsed(sql, uses).catch(onFault)
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    await write()
  }

  return { note, close }
}
