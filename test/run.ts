/**
 * Runs tests on one PostgreSQL that is started for the run: `npm test` all but the long ones, `npm
 * run test:long` those. Other arguments are passed to `bun test` as filters, which find long tests,
 * too. The last line is `N passed, N failed` (`, N skipped`).
 */
import { availableParallelism } from 'node:os'
import { Glob } from 'bun'
import { clusterVariable, startCluster } from './support/postgres.ts'

// Much of the time goes to waiting for servers, clocks and disks, so files run in parallel on few
// cores, too; but more than two a core make each other miss deadlines. The services of more than
// eight would need more connections than PostgreSQL has.
const workers = Math.min(8, 2 * Math.max(2, availableParallelism()))

// Stories of the whole service but the main one, what drives a browser or the command line, draws
// hundreds of pages, goes through all faults of a part, or through its rare cases where each costs
// seconds.
const long = '.long.test.ts'
const filters = process.argv.slice(2)
const chosen =
  filters.length === 0
    ? [`--path-ignore-patterns=**/*${long}`]
    : filters.map((filter) => (filter === '--long' ? long : filter))

// Other people's clients are heavy: only a run that tests them installs them.
const clients = new URL('clients', import.meta.url).pathname
const theirs = [...new Glob('*.test.ts').scanSync(clients)].map((file) => `${clients}/${file}`)
if (chosen.some((filter) => theirs.some((file) => file.includes(filter.replace(/^\.\//, ''))))) {
  const install = [process.execPath, 'install', '--frozen-lockfile', '--omit=peer', '--silent']
  const installed = Bun.spawnSync(install, { cwd: clients, stdout: 'inherit', stderr: 'inherit' })
  if (!installed.success) throw new Error(`The packages of ${clients} could not be installed.`)
}

const cluster = await startCluster()
const tests = Bun.spawn(
  [
    process.execPath,
    'test',
    `--parallel=${workers}`,
    // Loads the service's modules once per worker instead of once per file.
    '--no-isolate',
    // The slowest files start first, so none runs alone at the end. `--update-timings` measures
    // them anew.
    '--timings=test/timings.json',
    '--timeout',
    '300000',
    ...chosen,
  ],
  {
    env: {
      ...process.env,
      [clusterVariable]: cluster.url,
      FORCE_COLOR: process.stderr.isTTY ? '1' : '0',
    },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  },
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => tests.kill(signal))

// Not read to its end: a server left running by a test would keep the pipe open for ever.
let said = ''
const listening = (async () => {
  for await (const text of tests.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(text)
    said += text
  }
})()
const code = await tests.exited
await Promise.race([listening, Bun.sleep(1_000)])
await cluster.stop()

const lines = Bun.stripANSI(said).split('\n')
const passed = count('pass')
const skipped = count('skip')
// A file that does not load, or a crash of bun itself, fails the run without any failed test.
const failed = Math.max(count('fail'), code === 0 ? 0 : 1)
if (failed > 0) console.log(`\nWhat failed, once more:\n${failures().slice(-10_000)}`)
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

/** A count from bun's summary, which has lines such as ` 12 pass`. */
function count(what: 'pass' | 'fail' | 'skip'): number {
  const found = lines.findLast((line) => new RegExp(`^\\s*\\d+ ${what}$`).test(line))
  return found === undefined ? 0 : Number.parseInt(found, 10)
}

/** What was said before each failed test, as a log may keep only the end of a run. */
function failures(): string {
  const told: string[] = []
  let block: string[] = []
  for (const line of lines) {
    block.push(line)
    const result = /^\((pass|fail|skip|todo)\)/.exec(line)?.[1]
    if (result === undefined) continue
    if (result === 'fail' || block.some((part) => part.includes('Unhandled error')))
      told.push(...block.slice(-60))
    block = []
  }
  return told.join('\n')
}
