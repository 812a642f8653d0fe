import { type Config, readConfig } from '../config.ts'
import type { SealKey } from '../domain/secret.ts'
import { loadSecrets } from '../secrets.ts'
import { requireKey } from '../secrets-key.ts'
import { connect, type Sql } from '../storage/db.ts'
import { joinEmbedded } from '../storage/embedded.ts'
import { requireSchema } from '../storage/migrate.ts'

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
  const embedded =
    config.databaseUrl === null ? await joinEmbedded({ dataDir: config.dataDir }) : null
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? ''
  const sql = connect(databaseUrl, { max: 2, name: 'cli' })
  try {
    return await work({ config, databaseUrl, sql, secretsKey })
  } finally {
    await sql.end({ timeout: 2 })
    await embedded?.stop()
  }
}

export function sayWaiting(): void {
  process.stderr.write('waiting for another process that migrates the database\n')
}
