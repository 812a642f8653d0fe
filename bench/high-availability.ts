/**
 * What does a standby cost? `bun bench/high-availability.ts [rounds]` creates invoices over 64 and
 * 256 keep-alive connections, in turns of four seconds on one PostgreSQL and on one with a
 * synchronous standby, as in docs/high-availability.md. Client, service and both servers share the
 * cores, so the standby's work counts too. Ratios are medians over the rounds.
 */

import { connect } from '../src/storage/postgres/db.ts'
import { migrate } from '../src/storage/postgres/migrate.ts'
import { testEnv } from '../test/support/app.ts'
import { startHighAvailability } from '../test/support/high-availability.ts'
import { creation } from './load.ts'
import { portOf, startHttp } from './processes.ts'
import { report } from './results.ts'
import { openAccounts, startPostgres } from './servers.ts'
import { ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const [postgres, ha] = [await startPostgres(), await startHighAvailability()]
const variants = { alone: await variant(postgres.url), standby: await variant(ha.url) }
const over: string[] = []
try {
  for (const connections of [64, 256]) {
    const turns = await takeParts(variants, { connections, rounds, seconds: 4 })
    show(connections, turns)
    over.push(ratio(turns.standby, turns.alone).toFixed(2))
  }
  report({
    'creating invoices: with a synchronous standby over without, 64 and 256 connections':
      over.join(' and '),
  })
} finally {
  for (const { http } of Object.values(variants)) await http.service.stop()
  await Promise.all([postgres.stop(), ha.stop()])
}
process.exit()

async function variant(url: string) {
  const sql = connect(url, { max: 1, name: 'bench' })
  await migrate(sql)
  await sql.end()
  const http = await startHttp(testEnv(url))
  const accounts = await openAccounts(url, 16)
  const requests = accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key }))
  return { http, port: portOf(http), requests }
}
