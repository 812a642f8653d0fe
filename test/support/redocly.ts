import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What `redocly lint` finds in an OpenAPI document. */
export async function lint(document: string): Promise<readonly unknown[]> {
  const cli = Bun.fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
  const folder = await mkdtemp(join(tmpdir(), 'quittance-openapi-'))
  const file = join(folder, 'openapi.json')
  await Bun.write(file, document)
  const linter = Bun.spawn([process.execPath, cli, 'lint', '--format=json', file], {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const report = JSON.parse(await linter.stdout.text()) as { problems: readonly unknown[] }
  await rm(folder, { recursive: true })
  return report.problems
}
