import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))

/** A copy of the service's source in a temporary folder, for another version of it. */
export function sourceCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'quittance-source-'))
  for (const folder of ['src', 'tsconfig.json', 'package.json'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
