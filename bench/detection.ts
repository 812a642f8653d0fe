/**
 * How soon is a payment noticed? `bun bench/detection.ts [payments]` pays invoices of a running
 * service on a real EVM node and on a Solana ledger (LiteSVM), one after the other, at moments
 * independent of the service's polls. It prints the time from the block that confirmed a payment
 * (on Solana: finalised it) until the invoice is settled in the database, in poll intervals. The
 * chain's own confirmation time is not included.
 */
import { connect, type Sql } from '../src/storage/postgres/db.ts'
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { type PaidChain, paidBase, paidSolana } from './paid-chains.ts'
import { report } from './results.ts'
import { openAccounts, startPostgres } from './servers.ts'

const payments = Number(process.argv[2] ?? 100)
const pollMs = 500
const dueUsdcBase = 1_000_000n
const lookEveryMs = 5

const postgres = await startPostgres()
const chains = [await paidBase(pollMs), paidSolana(pollMs)]
try {
  const env = Object.assign({ LOG_LEVEL: 'info' }, ...chains.map((chain) => chain.env))
  const service = await startService(testEnv(postgres.url, env))
  const sql = connect(postgres.url, { max: 2, name: 'bench' })
  const [opened] = await openAccounts(postgres.url, 1)
  console.log(`${payments} payments, poll intervals from confirmed to settled`)
  for (const chain of chains) {
    const delays = await delaysOf(chain, service.url, opened?.v1Key ?? '', sql)
    const at = (share: number) => (delays[Math.floor(share * delays.length)] ?? 0).toFixed(2)
    const longest = (delays.at(-1) ?? 0).toFixed(2)
    console.log(`${chain.name.padEnd(7)} p50 ${at(0.5)}   p99 ${at(0.99)}   longest ${longest}`)
    report({
      [`${chain.name}: from confirmed to settled, in poll intervals: p50`]: at(0.5),
      [`${chain.name}: from confirmed to settled, in poll intervals: p99`]: at(0.99),
    })
  }
  await sql.end()
  await service.stop()
} finally {
  await Promise.all(chains.map((chain) => chain.stop()))
  await postgres.stop()
}
process.exit()

/** In poll intervals, ascending. */
async function delaysOf(chain: PaidChain, url: string, key: string, sql: Sql): Promise<number[]> {
  const confirmedMs = new Map<string, number>()
  const delays: number[] = []
  let isOver = false
  const looking = (async () => {
    while (!isOver || confirmedMs.size > 0) {
      const open = [...confirmedMs.keys()]
      const settled = await sql<{ id: string }[]>`
        select id from invoices where id = any(${`{${open}}`}::uuid[]) and state in ('settled', 'completed')`
      for (const { id } of settled) {
        delays.push((performance.now() - (confirmedMs.get(id) ?? 0)) / pollMs)
        confirmedMs.delete(id)
      }
      await Bun.sleep(lookEveryMs)
    }
  })()
  for (let n = 0; n < payments; n++) {
    const { id, paymentDetails } = await anInvoice(chain, url, key)
    const { reference } = paymentDetails
    confirmedMs.set(id, await chain.pay({ usdcBase: dueUsdcBase, reference }))
  }
  isOver = true
  await looking
  return delays.toSorted((a, b) => a - b)
}

type Invoice = { readonly id: string; readonly paymentDetails: { readonly reference: string } }

async function anInvoice({ name }: PaidChain, url: string, key: string): Promise<Invoice> {
  const created = await fetch(`${url}/v1/invoices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      amount: Number(dueUsdcBase) / 1e6,
      currency: 'USDC',
      chain: name,
      customerName: 'Ada Example',
      customerEmail: 'ada@example.com',
    }),
  })
  if (created.status !== 201) throw new Error(await created.text())
  return ((await created.json()) as { data: Invoice }).data
}
