/**
 * `bun run bench [name…]` runs these benchmarks, or all, one after the other, and updates their
 * rows in the table of `bench/README.md`. Rows of benchmarks that are not run, or fail, stay as
 * they are. All of them take about an hour, on a machine that should do nothing else.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { resultsIn } from './results.ts'
import { refreshed } from './table.ts'

const folder = import.meta.dir
const readme = join(folder, 'README.md')
const names = process.argv.length > 2 ? process.argv.slice(2) : all()
let failed = 0
for (const name of names) {
  const child = Bun.spawn([process.execPath, '--no-orphans', join(folder, `${name}.ts`)], {
    cwd: join(folder, '..'),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  console.log(`${name}\n${output}`)
  if ((await child.exited) !== 0) failed++
  else
    writeFileSync(
      readme,
      refreshed(readFileSync(readme, 'utf8'), name, {
        results: resultsIn(output),
        date: new Date().toISOString().slice(0, 10),
        cores: availableParallelism(),
      }),
    )
}
process.exit(failed === 0 ? 0 : 1)

function all(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'results.ts')
    .filter((file) => /^ *report\(\{/m.test(readFileSync(join(folder, file), 'utf8')))
    .map((file) => file.slice(0, -'.ts'.length))
}
