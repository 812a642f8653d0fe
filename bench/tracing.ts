/**
 * What do traces cost? `bun bench/tracing.ts [rounds]` compares creating invoices by a service that
 * exports one trace in a hundred to a collector on the same machine, with one that exports none.
 *
 * The variants take turns of two seconds. Ratios are medians over the rounds.
 */
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { creation } from './load.ts'
import { report } from './results.ts'
import { openAccounts, startPostgres } from './servers.ts'
import { ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const collector = Bun.serve({
  port: 0,
  fetch: async (request) => {
    await request.arrayBuffer()
    return Response.json({})
  },
})
const postgres = await startPostgres()
try {
  const env = testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' })
  const off = await startService(env)
  const on = await startService({
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.href,
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  })
  const accounts = await openAccounts(postgres.url, 16)
  const requests = accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key }))
  const variants = {
    'no traces': { port: Number(new URL(off.url).port), requests },
    '1 % traced': { port: Number(new URL(on.url).port), requests },
  }
  for (const connections of [64, 256]) {
    const turns = await takeParts(variants, { connections, rounds, seconds: 2 })
    show(connections, turns)
    const share = ratio(turns['1 % traced'], turns['no traces'])
    report({
      [`creating invoices, 1 % traced, ${connections} connections: over no traces`]:
        share.toFixed(2),
    })
  }
  await on.stop()
  await off.stop()
} finally {
  await postgres.stop()
  await collector.stop(true)
}
