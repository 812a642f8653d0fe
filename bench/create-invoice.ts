/**
 * What does durability cost? `bun bench/create-invoice.ts [rounds]` compares, at 64 and 256
 * keep-alive connections from a client on the same machine:
 *
 * - (a) the ceiling: Elysia answers the same POST with the same schema and the requested invoice,
 *   without storage;
 * - (b) the service, complete and with fsync;
 * - (c) the usual way: the same rows in one transaction per request;
 * - (d) the service's own rows and batches behind bare Elysia, without keys, limits or idempotency.
 *   This is the most that any server that stores these rows can reach of (a).
 *
 * The variants take turns of two seconds, so a drift in the machine's speed affects all of them.
 * Ratios are medians over the rounds. A last variant is Elysia with a constant answer.
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
  const ceiling = await rival('create-invoice', 'unstored')
  const constant = await rival('create-invoice', 'constant')
  const batches = await rival('create-invoice', 'batched', postgres.url)
  const usual = await rival('create-invoice', 'transaction', postgres.url)
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const accounts = await openAccounts(postgres.url, 16)
  const variants = {
    '(a) no storage': { port: ceiling.port, requests: [creation()] },
    '(b) POST /v1/invoices': {
      port: Number(new URL(service.url).port),
      requests: accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key })),
    },
    '(c) transaction per request': { port: usual.port, requests: [creation()] },
    '(d) batches and nothing else': { port: batches.port, requests: [creation()] },
    'no storage, constant answer': { port: constant.port, requests: [creation()] },
  }
  for (const connections of [64, 256]) {
    const turns = await takeParts(variants, { connections, rounds, seconds: 2 })
    show(connections, turns)
    const [a, b] = [turns['(a) no storage'], turns['(b) POST /v1/invoices']]
    const overA = ratio(b, a)
    const overC = ratio(b, turns['(c) transaction per request'])
    const batchesOverA = ratio(turns['(d) batches and nothing else'], a)
    report({
      [`creating invoices, ${connections} connections: over the same without storage`]:
        overA.toFixed(2),
      [`creating invoices, ${connections} connections: over a transaction per request`]:
        overC.toFixed(1),
      [`storing the same rows in batches, ${connections} connections: over no storage`]:
        batchesOverA.toFixed(2),
    })
  }
  await service.stop()
  for (const server of [ceiling, constant, batches, usual]) server.stop()
} finally {
  await postgres.stop()
}
