/**
 * How many PDFs are drawn per second, and how long do they block the thread that answers requests?
 * `bun bench/pdf.ts` lets the renderer draw settled and open invoices, as many at once as may wait.
 * A timer of 1 ms on this thread records its own delays meanwhile, and then again with nothing to
 * draw.
 */
import { createRenderer, jobOf, startThread } from '../src/documents/pdf/render.ts'
import { variants } from '../test/documents/variants.ts'
import { report } from './results.ts'

const seconds = 8
const atOnce = 8
const stallLimitMs = 20

const invoices = [variants.due, variants.settled]
const renderer = createRenderer({
  maxWaiting: atOnce,
  maxWaitingPerAccount: atOnce,
  maxWaitMs: 10_000,
  deadlineMs: 10_000,
  startThread,
})
const draw = (n: number) => {
  const invoice = invoices[n % invoices.length] ?? variants.due
  const { accountId } = invoice
  return renderer.render(jobOf(invoice, 'en'), { accountId })
}

const startedMs = performance.now()
await draw(0)
console.log(
  `first PDF, thread and fonts included: ${(performance.now() - startedMs).toFixed(0)} ms`,
)
for (let n = 0; n < 30; n++) await draw(n)

const stalls = watchStalls()
let drawn = 0
const untilMs = performance.now() + seconds * 1_000
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (performance.now() < untilMs) await draw(drawn++)
  }),
)
const drawing = stalls.stop()
const idle = await idleStalls()
renderer.close()

console.log(`${(drawn / seconds).toFixed(1)} PDFs a second`)
console.log(`this thread stands still, p50 / p99 / most, in ms`)
console.log(`  while drawing ${row(drawing)}`)
console.log(`  idle          ${row(idle)}`)
report({
  'PDFs a second': (drawn / seconds).toFixed(1),
  'drawing PDFs: p99 of how long requests stand still': `${percentile(drawing, 0.99).toFixed(1)} ms`,
})
if (percentile(drawing, 0.99) > stallLimitMs) {
  console.error(`p99 is over ${stallLimitMs} ms`)
  process.exit(1)
}

/** Records how late each tick of a 1 ms timer comes, in milliseconds. */
function watchStalls() {
  const late: number[] = []
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    late.push(Math.max(0, nowMs - lastMs - 1))
    lastMs = nowMs
  }, 1)
  return {
    stop() {
      clearInterval(timer)
      return late
    },
  }
}

async function idleStalls(): Promise<readonly number[]> {
  const watch = watchStalls()
  await Bun.sleep(2_000)
  return watch.stop()
}

function row(values: readonly number[]): string {
  return [0.5, 0.99, 1].map((share) => percentile(values, share).toFixed(1).padStart(7)).join('')
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
