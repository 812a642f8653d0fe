import { describe, expect, test } from 'bun:test'
import { postgresBackend } from '../../src/queues/backends/postgres.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { createdInvoice } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/**
 * `/readyz` and `/metrics` of a service whose base chain answers, and whose polygon nodes are all
 * down.
 */

const { node, app, receiver, sql, database, startHere } = useWorld({
  chains: ['base'],
  funded: [1],
  receiver: true,
  env: ({ node }) => ({
    BASE_WALLET: node.wallet(2).address,
    BASE_CONFIRMATIONS: '1',
    POLYGON_RPC_URL: 'http://127.0.0.1:1,http://127.0.0.1:2',
    POLYGON_POLL_MS: '100',
    WEBHOOK_RETRY_SCHEDULE_MS: '0,100',
  }),
})

// biome-ignore lint/suspicious/noExplicitAny: JSON
async function readiness(): Promise<any> {
  return (await app.keyless('GET', '/readyz')).json
}

async function samples(part: string): Promise<readonly string[]> {
  const { text } = await app.keyless('GET', '/metrics')
  return text.split('\n').filter((line) => !line.startsWith('#') && line.includes(part))
}

async function sample(name: string): Promise<number> {
  const line = (await samples(name)).find((line) => line.startsWith(`${name} `))
  return line === undefined ? Number.NaN : Number(line.split(' ').at(-1))
}

test('requests keep the id that they were given', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const { headers } = await app.keyless('GET', path, undefined, { 'x-request-id': 'probe-1' })
    expect(headers.get('x-request-id')).toBe('probe-1')
  }
})

describe('/readyz', () => {
  test('a chain whose nodes are all down is named, and the service is ready all the same', async () => {
    await eventually(async () => (await readiness()).chains[0].watched)
    await eventually(
      async () => (await readiness()).notes.includes('polygon is out of reach: unreachable'),
      20_000,
    )
    const { status, json } = await app.keyless('GET', '/readyz')
    expect([status, json.status, json.problems]).toEqual([200, 'ready', []])
    const chainOf = (name: string) =>
      json.chains.find(({ chain }: { chain: string }) => chain === name)
    const age = expect.any(Number)
    expect(chainOf('base')).toEqual({
      ...{ chain: 'base', configured: true, watched: true, fault: null },
      ...{ pollAgeMs: age, headAgeMs: age, behindBlocks: age },
    })
    const unknown = { watched: false, pollAgeMs: null, headAgeMs: null, behindBlocks: null }
    for (const [chain, configured, fault] of [
      ['polygon', true, 'unreachable'],
      ['arbitrum', false, null],
    ] as const)
      expect(chainOf(chain)).toEqual({ chain, configured, fault, ...unknown })
  })
})

describe('/metrics', () => {
  test('needs no key and is what Prometheus reads', async () => {
    const { status, headers, text } = await app.keyless('GET', '/metrics')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('# TYPE quittance_http_request_duration_seconds histogram')
    expect(text).toContain('process_resident_memory_bytes')
  })

  test('counts requests by route pattern and status, refusals and unknown paths too', async () => {
    await app.send('GET', '/v1/invoices/nothing')
    await app.keyless('GET', '/v1/invoices')
    await app.keyless('GET', '/some/where/else')
    const counted = (await samples('request_duration_seconds_count')).join('\n')
    expect(counted).toContain('{method="GET",route="/v1/invoices/:id",status="404"} 1')
    expect(counted).toContain('{method="GET",route="/v1/invoices",status="401"} 1')
    expect(counted).toContain('{method="GET",route="/*",status="404"} 1')
  })

  test('a payment shows up as a batch, a detection and a delivery', async () => {
    await app.send('POST', '/v1/webhooks', { url: receiver.url, events: ['invoice.settled'] })
    const { paymentDetails } = await createdInvoice(app, { amount: 7 })
    const { paymentAddress, reference } = paymentDetails
    await node.transfer({
      from: node.wallet(1).address,
      to: paymentAddress,
      usdcBase: 7_000_000n,
      reference,
    })
    await receiver.next(({ type }) => type === 'invoice.settled', 20_000)
    await eventually(
      async () => (await sample('quittance_delivery_attempts_total{outcome="delivered"}')) === 1,
    )
    expect(await sample('quittance_commit_batch_size_sum{entity="new_invoice"}')).toBe(1)
    expect(await sample('quittance_detection_delay_seconds_count{chain="base"}')).toBe(1)
  })

  test('shows queues, chains and what waits', async () => {
    // Sampled figures are cached for three seconds, and the payment before may have left work to
    // do.
    for (const [name, value] of Object.entries({
      'quittance_chain_failing{chain="polygon"}': 1,
      'quittance_chain_failing{chain="base"}': 0,
      quittance_backlog_known: 1,
      'quittance_queue_jobs{queue="deliver",state="waiting"}': 0,
      quittance_outbox: 0,
      quittance_anchors_open: 1,
    }))
      await eventually(async () => (await sample(name)) === value)
    expect(await sample('quittance_chain_behind_blocks{chain="base"}')).toBeGreaterThanOrEqual(0)
  })

  test('shows nothing of what this service is not configured to do, whatever is left of it', async () => {
    await sql`insert into chain_watches (chain, polled_at, fault, updated_at)
      values ('arbitrum', now() - interval '1 day', 'unreachable', now() - interval '1 day')`
    const backend = await postgresBackend(database.url, createLog('silent'))
    const queues = createQueues({ backend, log: createLog('silent') })
    for (const name of ['watch-arbitrum', 'watch-polygon'] as const)
      expect(await queues.every(name, {}, 1_000)).toBe(true)
    expect(await queues.add('anchor', {})).toBe(true)
    await eventually(async () => {
      const depths = await queues.depths().catch(() => [])
      const left = depths.filter(({ queue }) => queue === 'watch-arbitrum' || queue === 'anchor')
      return left.length === 2 && left.every(({ jobs: { waiting = 0 } }) => waiting > 0)
    })
    await queues.close()
    await backend.close()
    // Sampled figures are cached for three seconds.
    await Bun.sleep(3_000)
    expect(await samples('arbitrum')).toEqual([])
    expect(await samples('queue="anchor"')).toEqual([])
    expect(await samples('queue_oldest_job_age_seconds{queue="watch-polygon"}')).toHaveLength(1)
    expect(await samples('chain_failing')).toHaveLength(2)
  })

  test('counts who is refused by a rate limit', async () => {
    const { v1Key } = await app.newAccount('free')
    const ask = () => app.send('GET', '/v1/invoices', undefined, { 'x-api-key': v1Key })
    const answers = await Promise.all(Array.from({ length: 130 }, ask))
    const refused = answers.filter(({ status }) => status === 429).length
    expect(refused).toBeGreaterThan(0)
    expect(await sample('quittance_rate_limit_refusals_total{caller="key"}')).toBe(refused)
  })
})

test('a worker serves health and metrics on METRICS_PORT, and nothing else', async () => {
  const worker = await startHere({ ROLE: 'worker', METRICS_PORT: '0' })
  expect(worker.url).toBeNull()
  for (const [path, status] of [
    ['/healthz', 200],
    ['/readyz', 200],
    ['/metrics', 200],
    ['/v1/invoices', 404],
  ] as const)
    expect((await fetch(worker.metricsUrl + path)).status).toBe(status)
  await worker.drain()
})
