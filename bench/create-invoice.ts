/**
 * What do batches gain? `bun bench/create-invoice.ts [rounds]` compares, at 64 and 256 keep-alive
 * connections from a client on the same machine, the service, complete and with fsync, with the
 * usual way: the same rows in one transaction per request, without keys, limits or idempotency.
 *
 * The variants take turns of two seconds, so a drift in the machine's speed affects both. Ratios
 * are medians over the rounds.
 */
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { creation } from './load.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const postgres = await startPostgres()
try {
  const usual = await rival('create-invoice', 'transaction', postgres.url)
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const accounts = await openAccounts(postgres.url, 16)
  const variants = {
    service: {
      port: Number(new URL(service.url).port),
      requests: accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key })),
    },
    'transaction per request': { port: usual.port, requests: [creation()] },
  }
  for (const connections of [64, 256]) {
    const turns = await takeParts(variants, { connections, rounds, seconds: 2 })
    show(connections, turns)
    const gain = ratio(turns.service, turns['transaction per request'])
    report({
      [`creating invoices, ${connections} connections: over a transaction per request`]:
        gain.toFixed(1),
    })
  }
  await service.stop()
  usual.stop()
} finally {
  await postgres.stop()
}
