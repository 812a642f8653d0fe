/**
 * `npm test`: every test, on one PostgreSQL that is started for the run. Arguments are handed to `bun test` as filters. The last
 * line is `N passed, N failed` (`, N skipped`).
 */
import { clusterVariable, startCluster } from './support/postgres.ts'

// Most of the time is spent waiting for servers, clocks and disks: a few files side by side use it.
const workers = 4

const cluster = await startCluster()
const tests = Bun.spawn(
  [
    process.execPath,
    'test',
    `--parallel=${workers}`,
    // The service's modules are loaded once in each worker, not once for each file.
    '--no-isolate',
    // The slowest files go first: none of them is to run alone in the end. With --update-timings they are measured anew.
    '--timings=test/timings.json',
    '--timeout',
    '60000',
    ...process.argv.slice(2),
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
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => tests.kill(signal))

// Not read to its end: a server that a test forgot would keep the pipe open for ever.
let tail = ''
const listening = (async () => {
  for await (const text of tests.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(text)
    tail = (tail + text).slice(-4_000)
  }
})()
const code = await tests.exited
await Promise.race([listening, Bun.sleep(1_000)])
await cluster.stop()

const passed = count('pass')
const skipped = count('skip')
// A file that does not load, or a crash of bun itself, fails the run without a failed test to count.
const failed = Math.max(count('fail'), code === 0 ? 0 : 1)
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

/** bun's summary has lines such as ` 12 pass`. */
function count(what: 'pass' | 'fail' | 'skip'): number {
  const lines = Bun.stripANSI(tail).matchAll(new RegExp(`^\\s*(\\d+) ${what}$`, 'gm'))
  return Number([...lines].at(-1)?.[1] ?? 0)
}
