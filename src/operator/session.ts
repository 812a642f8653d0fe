import { type Config, readConfig } from '../config.ts'
import { keyFrom, type SealKey } from '../domain/secret.ts'
import { loadSecrets } from '../secrets.ts'
import { connect, type Sql } from '../storage/db.ts'
import { joinEmbedded } from '../storage/embedded.ts'
import { migrate } from '../storage/migrate.ts'

export type Session = {
  readonly config: Config
  readonly databaseUrl: string
  readonly sql: Sql
  readonly sealKey: SealKey
  /** The migrations that were missing and have been run. */
  readonly migrated: readonly string[]
}

/**
 * Runs `work` on the database that the service uses, after migrating it. A running embedded
 * database is joined.
 */
export async function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config = readConfig()
  const { secretsKey } = await loadSecrets(config)
  const embedded =
    config.databaseUrl === null ? await joinEmbedded({ dataDir: config.dataDir }) : null
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? ''
  const sql = connect(databaseUrl, { max: 2, name: 'cli' })
  try {
    const migrated = await migrate(sql, { onWait: sayWaiting })
    return await work({ config, databaseUrl, sql, sealKey: keyFrom(secretsKey), migrated })
  } finally {
    await sql.end({ timeout: 2 })
    await embedded?.stop()
  }
}

function sayWaiting(): void {
  process.stderr.write('waiting for another process that migrates the database\n')
}
