/**
 * `npm test`: every test, on one PostgreSQL that is started for the run. Arguments are handed to `bun test`. The last line is
 * `N passed, N failed` (`, N skipped`).
 */
import { clusterVariable, startCluster } from './support/postgres.ts'

const cluster = await startCluster()
const tests = Bun.spawn(
  [process.execPath, '--no-orphans', 'test', '--timeout', '60000', ...process.argv.slice(2)],
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
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
}).then(() => tests.kill())

let tail = ''
for await (const text of tests.stderr.pipeThrough(new TextDecoderStream())) {
  process.stderr.write(text)
  tail = (tail + text).slice(-2_000)
}
await Promise.race([tests.exited, interrupted])
const code = await tests.exited
await cluster.stop()

const passed = count('pass')
const failed = count('fail')
const skipped = count('skip')
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(code === 0 && failed === 0 && passed > 0 ? 0 : 1)

/** bun's summary has lines such as ` 12 pass`. */
function count(what: 'pass' | 'fail' | 'skip'): number {
  const plain = Bun.stripANSI(tail)
  return Number(new RegExp(`^\\s*(\\d+) ${what}$`, 'm').exec(plain)?.[1] ?? 0)
}
