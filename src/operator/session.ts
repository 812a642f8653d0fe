import { constants } from 'node:os'
import { type Config, readConfig } from '../config/config.ts'
import { loadSecrets } from '../config/secrets.ts'
import { requireKey } from '../config/secrets-key.ts'
import type { SealKey } from '../domain/accounts/secret.ts'
import { connect, type Sql } from '../storage/postgres/db.ts'
import { joinEmbedded } from '../storage/postgres/embedded/embedded.ts'
import { requireSchema } from '../storage/postgres/migrate.ts'

export type Session = {
  readonly config: Config
  readonly databaseUrl: string
  readonly sql: Sql
  /** `SECRETS_KEY`, which may not be that of the database. */
  readonly secretsKey: string
}

/** A session with the key of the database. */
export type KeySession = Session & { readonly sealKey: SealKey }

/**
 * Runs `work` on the database that the service uses. If it is empty, its schema is made first; an
 * older or newer one is left to the service and to `quittance migrate`. Throws `SchemaError` there.
 */
export function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return onAnyDatabase(async (session) => {
    await requireSchema(session.sql, { onWait: sayWaiting })
    return work(session)
  })
}

/** Like `onDatabase`, with the key. Throws `SecretsError` if it is not that of the database. */
export function onDatabaseWithKey<T>(work: (session: KeySession) => Promise<T>): Promise<T> {
  return onDatabase(async (session) =>
    work({ ...session, sealKey: await requireKey(session.sql, session.secretsKey) }),
  )
}

/**
 * Runs `work` on the database that the service uses, of whatever version its schema is. The
 * embedded database of a running service is joined.
 */
export async function onAnyDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config = readConfig()
  const { secretsKey } = await loadSecrets(config)
  const workOn = async (databaseUrl: string) => {
    const sql = connect(databaseUrl, { max: 2, name: 'cli' })
    try {
      return await work({ config, databaseUrl, sql, secretsKey })
    } finally {
      await sql.end({ timeout: 2 })
    }
  }
  return config.databaseUrl === null
    ? onEmbedded(config.dataDir, workOn)
    : workOn(config.databaseUrl)
}

/**
 * Runs `work` on the embedded database. A signal to stop exits the process, once a PostgreSQL that
 * was started for it has been shut down: that would go on by itself, and whoever copies its data
 * must be sure that it does not. Further signals change nothing.
 */
async function onEmbedded<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const { signal } = ending
  const end = (name: NodeJS.Signals) => ending.abort(name)
  const names = stopSignals()
  for (const name of names) process.on(name, end)
  try {
    const embedded = await joinEmbedded({ dataDir, signal })
    try {
      return await Promise.race([work(embedded.url), rejectionBy(signal)])
    } finally {
      await embedded.stop()
    }
  } finally {
    // Not by an error, of which `doctor` would make a finding, while other checks wait for nodes.
    if (signal.aborted) process.exit(128 + constants.signals[signal.reason as NodeJS.Signals])
    for (const name of names) process.off(name, end)
  }
}

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    if (signal.aborted) reject(signal.reason)
  })
}

/**
 * The signals that ask this process to end. SIGHUP only at a terminal: under `nohup` it is ignored,
 * and a listener would undo that.
 */
export function stopSignals(): readonly NodeJS.Signals[] {
  const hasTerminal = process.stdout.isTTY || process.stderr.isTTY
  return hasTerminal ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
}

export function sayWaiting(): void {
  process.stderr.write('waiting for another process that migrates the database\n')
}
