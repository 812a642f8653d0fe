import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyFrom } from '../src/domain/accounts/secret.ts'
import { type NewAccount, openAccount } from '../src/operator/accounts.ts'
import { connect } from '../src/storage/postgres/db.ts'
import { startEmbedded } from '../src/storage/postgres/embedded/embedded.ts'
import { testSecretsKey } from '../test/support/app.ts'

/** A PostgreSQL with fsync; `stop` removes its data. */
export async function startPostgres() {
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-'))
  const postgres = await startEmbedded({ dataDir })
  return {
    dataDir,
    url: postgres.url,
    async stop() {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts `rivals/<name>.ts` in its own process, like the service. It prints its port. */
export async function rival(
  name: string,
  ...args: readonly string[]
): Promise<{ port: number; pid: number; stop(): void }> {
  const child = Bun.spawn(
    [process.execPath, '--no-orphans', join(import.meta.dir, 'rivals', `${name}.ts`), ...args],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const { value } = await child.stdout
    .pipeThrough(new TextDecoderStream() as never)
    .getReader()
    .read()
  return { port: Number(value), pid: child.pid, stop: () => child.kill() }
}

export async function openAccounts(url: string, count: number): Promise<readonly NewAccount[]> {
  const sql = connect(url, { max: 1, name: 'bench' })
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const opened = []
  for (let n = 0; n < count; n++) {
    opened.push(
      await openAccount(sql, keyFrom(testSecretsKey), {
        name: `Bench ${n}`,
        plan: 'enterprise',
        limits,
      }),
    )
  }
  await sql.end()
  return opened
}
