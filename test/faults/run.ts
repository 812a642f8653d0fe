/**
 * `bun run faults [--seed N] [--set short|ci|all] [--only F-05,F-13] [--share 0.3]`: causes every
 * fault of the table, for real and under load, and asks the oracles after each. Exits with 1 if one
 * fails. The same seed makes the same load and the same faults. A share below 1 makes fewer rounds
 * and shorter times.
 */
import { parseArgs } from 'node:util'
import { hasHighAvailability } from '../support/high-availability.ts'
import { hasRedis } from '../support/redis.ts'
import { type Fault, lastWarnings } from './fault.ts'
import { seeded } from './random.ts'
import { type Stage, startStage } from './stage.ts'
import { faults, sets } from './table.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Math.floor(Math.random() * 1e9)}` },
    only: { type: 'string' },
    set: { type: 'string', default: 'all' },
    share: { type: 'string' },
  },
})
const { share: usual, ids } = setOf(values.set)
const share = Number(values.share ?? usual)
const wanted = chosen(values.only?.split(',') ?? ids)
say(`seed ${values.seed}`)
let stage: Stage | null = null
let isHa = false
let failed = 0
for (const fault of wanted) {
  if (stage && isHa !== Boolean(fault.needsHa)) {
    await stage.stop()
    stage = null
  }
  isHa = Boolean(fault.needsHa)
  stage ??= await startStage(share, isHa)
  const { problems, tookMs, quietMs } = await suffer(fault, stage)
  const { invoices, paidInvoiceIds, mandates } = stage.ledger
  const load = `${invoices.length} invoices, ${paidInvoiceIds.length} paid, ${mandates.length} mandates so far`
  say(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${fault.id} ${fault.what} (${seconds(tookMs)}, then ${seconds(quietMs)} until all was judged; ${load})`,
  )
  for (const figure of stage.figures()) say(`       ${figure}`)
  for (const problem of problems.slice(0, 20)) say(`       ${problem}`)
  if (problems.length === 0) continue
  for (const warning of lastWarnings(stage.topology)) say(`       ${warning}`)
  // A stage with a problem is replaced, or every later fault would report the problem again.
  failed++
  await stage.stop()
  stage = null
}
await stage?.stop()
say(`${wanted.length - failed} ok, ${failed} failed; seed ${values.seed}`)
process.exit(failed === 0 ? 0 : 1)

function chosen(ids: readonly string[]): readonly Fault[] {
  const known = faults.filter(({ id }) => ids.includes(id))
  if (known.length !== ids.length) throw new Error(`there is no such fault among ${ids.join(', ')}`)
  const possible = known.filter(
    ({ needsRedis, needsHa }) => (hasRedis || !needsRedis) && (hasHighAvailability || !needsHa),
  )
  for (const { id, needsHa } of known.filter((fault) => !possible.includes(fault)))
    say(`skip ${id}: there is no ${needsHa ? 'patroni, etcd or redis-server' : 'redis-server'}`)
  return possible
}

function setOf(name: string) {
  const found = Object.entries(sets).find(([known]) => known === name)?.[1]
  if (!found) throw new Error(`there is no set ${name}`)
  return found
}

async function suffer(fault: Fault, stage: Stage) {
  const startedMs = performance.now()
  const problems = await orComplaint(fault.inject(stage, seeded(`${values.seed} ${fault.id}`)))
  const mendedMs = performance.now()
  const found = await orComplaint(stage.judge())
  const quietMs = performance.now() - mendedMs
  return { problems: [...problems, ...found], tookMs: mendedMs - startedMs, quietMs }
}

async function orComplaint(work: Promise<readonly string[]>): Promise<readonly string[]> {
  return work.catch((error: Error) => [String(error.stack)])
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
