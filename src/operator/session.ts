import { constants } from 'node:os'
import { type Config, readConfig } from '../config/config.ts'
import { loadSecrets } from '../config/secrets.ts'
import { type ConfiguredKeys, requireKeys } from '../config/secrets-key.ts'
import type { Keys } from '../domain/accounts/secret.ts'
import { connect, type Sql } from '../storage/postgres/db.ts'
import { joinEmbedded } from '../storage/postgres/embedded/embedded.ts'
import { requireSchema } from '../storage/postgres/migrate.ts'

export type Session = {
  readonly config: Config
  readonly databaseUrl: string
  readonly sql: Sql
  /** They may not be keys of the database. */
  readonly configuredKeys: ConfiguredKeys
}

export type KeySession = Session & { readonly keys: Keys }

/**
 * An empty database first gets its schema. Throws `SchemaError` if the schema is older or newer.
 */
export function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  return onAnyDatabase(async (session) => {
    await requireSchema(session.sql, { onWait: sayWaiting })
    return work(session)
  })
}

/** Throws `SecretsError` if the database has another key. */
export function onDatabaseWithKey<T>(work: (session: KeySession) => Promise<T>): Promise<T> {
  return onDatabase(async (session) =>
    work({ ...session, keys: await requireKeys(session.sql, session.configuredKeys) }),
  )
}

/** Whatever the version of the schema. Joins a running embedded database. */
export async function onAnyDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config = readConfig()
  const configuredKeys = await loadSecrets(config)
  const workOn = async (databaseUrl: string) => {
    const sql = connect(databaseUrl, { max: 2, name: 'cli' })
    try {
      return await work({ config, databaseUrl, sql, configuredKeys })
    } finally {
      await sql.end({ timeout: 2 })
    }
  }
  return config.databaseUrl === null
    ? onEmbedded(config.dataDir, workOn)
    : workOn(config.databaseUrl)
}

/**
 * A signal exits the process only after a PostgreSQL started for it has been shut down, since that
 * would go on by itself.
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
    // An error would be caught by `doctor`, whose other checks still wait for nodes.
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

/** SIGHUP only at a terminal: `nohup` makes it ignored, and a listener would undo that. */
export function stopSignals(): readonly NodeJS.Signals[] {
  const hasTerminal = process.stdout.isTTY || process.stderr.isTTY
  return hasTerminal ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
}

export function sayWaiting(): void {
  process.stderr.write('waiting for another process to migrate the database\n')
}
