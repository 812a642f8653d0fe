import { describe, expect, spyOn, test } from 'bun:test'
import v8 from 'node:v8'
import { createMetrics, type Standing } from '../../src/telemetry/metrics.ts'

const nothing = { count: 0, oldestAgeMs: 0 }
const standing: Standing = {
  backlog: {
    outbox: { count: 3, oldestAgeMs: 1_500 },
    deliveries: nothing,
    anchors: { count: 2, oldestAgeMs: 90_000 },
    heldTransfers: nothing,
  },
  oldestRows: { deliveriesMs: 86_400_000, idempotencyKeysMs: null },
  chains: [
    { chain: 'base', pollAgeMs: 400, behindBlocks: 4, headAgeMs: 2_000, fault: null },
    {
      chain: 'polygon',
      pollAgeMs: null,
      behindBlocks: null,
      headAgeMs: null,
      fault: 'unreachable',
    },
  ],
  unexplained: [{ chain: 'base', usdcBase: 12_500_000n }],
  queues: [{ queue: 'outbox', jobs: { waiting: 7, active: 1, delayed: 0 }, oldestAgeMs: 250 }],
  webhooks: { failing: 2, disabled: 1 },
  keys: [
    { key: 'anchor', chain: 'base', address: '0xa', coin: 0.25, transactions: 40 },
    { key: 'facilitator', chain: 'skale', address: '0xb', coin: 0, transactions: null },
  ],
}

const unknown: Standing = {
  backlog: { outbox: null, deliveries: null, anchors: null, heldTransfers: null },
  oldestRows: null,
  chains: null,
  unexplained: null,
  queues: null,
  webhooks: null,
  keys: [],
}

const isReady = async () => true

function metricsOf(readStanding: () => Promise<Standing>) {
  let ms = 0
  const build = { version: '1.2.3', commit: 'abc' }
  const metrics = createMetrics({ readStanding, steadyMs: () => ms, build })
  return {
    metrics,
    pass: (passedMs: number) => {
      ms += passedMs
    },
    /** The lines of samples that start with `quittance_` and contain `part`. */
    samples: async (part: string) =>
      (await metrics.text(isReady))
        .split('\n')
        .filter((line) => line.startsWith('quittance_') && line.includes(part)),
  }
}

describe('what is read on a scrape', () => {
  test('is shown with its labels and in seconds', async () => {
    const { samples } = metricsOf(async () => standing)
    expect(await samples('outbox')).toEqual([
      'quittance_queue_jobs{queue="outbox",state="waiting"} 7',
      'quittance_queue_jobs{queue="outbox",state="active"} 1',
      'quittance_queue_jobs{queue="outbox",state="delayed"} 0',
      'quittance_queue_oldest_job_age_seconds{queue="outbox"} 0.25',
      'quittance_outbox 3',
      'quittance_outbox_oldest_age_seconds 1.5',
    ])
    expect(await samples('quittance_chain')).toEqual([
      'quittance_chain_head_age_seconds{chain="base"} 2',
      'quittance_chain_poll_age_seconds{chain="base"} 0.4',
      'quittance_chain_behind_blocks{chain="base"} 4',
      'quittance_chain_failing{chain="base"} 0',
      'quittance_chain_failing{chain="polygon"} 1',
    ])
    expect(await samples('balance')).toEqual([
      'quittance_balance_unexplained_usdc{chain="base"} 12.5',
    ])
  })

  test('shows the age of the oldest row, where there is one', async () => {
    const { samples } = metricsOf(async () => standing)
    expect(await samples('oldest_row')).toEqual([
      'quittance_oldest_row_age_seconds{rows="deliveries"} 86400',
    ])
  })

  test('is read once in three seconds, however many scrapes there are', async () => {
    let reads = 0
    const { metrics, pass } = metricsOf(async () => {
      reads++
      await Bun.sleep(1)
      return standing
    })
    await Promise.all([metrics.text(isReady), metrics.text(isReady)])
    pass(2_999)
    await metrics.text(isReady)
    expect(reads).toBe(1)
    pass(1)
    await metrics.text(isReady)
    expect(reads).toBe(2)
  })

  test('is left out if it cannot be read; the rest is shown', async () => {
    const { metrics, samples } = metricsOf(async () => unknown)
    metrics.delivery('delivered')
    expect(await samples('')).toEqual([
      'quittance_delivery_attempts_total{outcome="delivered"} 1',
      'quittance_backlog_known 0',
      'quittance_ready 1',
      'quittance_build_info{version="1.2.3",commit="abc"} 1',
    ])
  })

  test('shows the coin of keys, webhooks in trouble, and the build', async () => {
    const { samples } = metricsOf(async () => standing)
    expect(await samples('key_')).toEqual([
      'quittance_key_coin{key="anchor",chain="base",address="0xa"} 0.25',
      'quittance_key_coin{key="facilitator",chain="skale",address="0xb"} 0',
      'quittance_key_transactions{key="anchor",chain="base",address="0xa"} 40',
    ])
    expect(await samples('webhooks')).toEqual([
      'quittance_webhooks{state="failing"} 2',
      'quittance_webhooks{state="disabled"} 1',
    ])
    expect(await samples('build')).toHaveLength(1)
  })
})

describe('quittance_ready', () => {
  const shown = async (text: Promise<string>) => (await text).match(/^quittance_ready (.)$/m)?.[1]

  test('is what the check of /readyz finds, and 0 if it fails', async () => {
    const { metrics } = metricsOf(async () => standing)
    expect(await shown(metrics.text(isReady))).toBe('1')
    expect(await shown(metrics.text(async () => false))).toBe('0')
    expect(await shown(metrics.text(isReady))).toBe('1')
    expect(await shown(metrics.text(() => Promise.reject(new Error('down'))))).toBe('0')
  })

  test('a check that takes long holds up no scrape: the next one shows what it found', async () => {
    const { metrics } = metricsOf(async () => standing)
    await metrics.text(isReady)
    const slow = Promise.withResolvers<boolean>()
    const startedMs = performance.now()
    const first = shown(metrics.text(() => slow.promise))
    await Bun.sleep(1_000)
    const next = shown(metrics.text(() => new Promise(() => {})))
    expect(await first).toBe('1')
    slow.resolve(false)
    expect(await next).toBe('0')
    expect(performance.now() - startedMs).toBeLessThan(8_000)
  })
})

describe('a part that cannot be read', () => {
  test.each([
    ['outbox', { backlog: { ...standing.backlog, outbox: null } }],
    ['chain_', { chains: null }],
    ['balance', { unexplained: null }],
  ])('%s is left out, quittance_backlog_known is 0, and the rest is shown', async (part, over) => {
    const { samples } = metricsOf(async () => ({ ...standing, ...over, queues: null }))
    expect(await samples(part)).toEqual([])
    expect(await samples('backlog_known')).toEqual(['quittance_backlog_known 0'])
    const of = (name: string) => samples(name).then(({ length }) => length)
    const rest = ['outbox', 'anchors', 'chain_', 'balance'].filter((name) => name !== part)
    for (const name of rest) expect(await of(name)).toBeGreaterThan(0)
  })

  test.each([
    ['queue_', { queues: null }],
    ['oldest_row', { oldestRows: null }],
  ])('%s is left out, and quittance_backlog_known stays 1', async (part, over) => {
    const { samples } = metricsOf(async () => ({ ...standing, ...over }))
    expect(await samples(part)).toEqual([])
    expect(await samples('backlog_known')).toEqual(['quittance_backlog_known 1'])
  })
})

describe('what is counted', () => {
  test('a request counts under its route pattern, an unknown method as other', async () => {
    const { metrics, samples } = metricsOf(async () => standing)
    metrics.request({ method: 'GET', route: '/v1/invoices/:id', status: 200, durationMs: 4 })
    metrics.request({ method: 'GET', route: '/v1/invoices/:id', status: 200, durationMs: 30_000 })
    metrics.request({ method: 'GET', route: '/v1/invoices/:id', status: 404, durationMs: 1 })
    metrics.request({ method: 'BREW', route: '/*', status: 404, durationMs: 4 })
    const got = 'method="GET",route="/v1/invoices/:id",status="200"'
    const [, , third, ...rest] = await samples(got)
    expect(third).toBe(`quittance_http_request_duration_seconds_bucket{le="0.005",${got}} 1`)
    expect(rest.slice(-3)).toEqual([
      `quittance_http_request_duration_seconds_bucket{le="+Inf",${got}} 2`,
      `quittance_http_request_duration_seconds_sum{${got}} 30.004`,
      `quittance_http_request_duration_seconds_count{${got}} 2`,
    ])
    expect(await samples('request_duration_seconds_count')).toEqual([
      `quittance_http_request_duration_seconds_count{${got}} 2`,
      'quittance_http_request_duration_seconds_count{method="GET",route="/v1/invoices/:id",status="404"} 1',
      'quittance_http_request_duration_seconds_count{method="other",route="/*",status="404"} 1',
    ])
  })

  test('a batch counts with its size and duration, even if it fails', async () => {
    const { metrics, samples } = metricsOf(async () => standing)
    const works = metrics.batches('invoice', async (_lane, works: readonly number[]) => works)
    const fails = metrics.batches('invoice', () => Promise.reject(new Error('down')))
    expect(await works(0, [1, 2, 3])).toEqual([1, 2, 3])
    await expect(fails(0, [1])).rejects.toThrow('down')
    expect(await samples('commit_batch_size_sum')).toEqual([
      'quittance_commit_batch_size_sum{entity="invoice"} 4',
    ])
    expect(await samples('commit_duration_seconds_count')).toEqual([
      'quittance_commit_duration_seconds_count{entity="invoice"} 2',
    ])
  })
})

test('a scrape does not walk the heap, which would block the process', async () => {
  const walk = spyOn(v8, 'getHeapSpaceStatistics')
  const { metrics } = metricsOf(async () => standing)
  walk.mockClear()
  expect(await metrics.text(isReady)).toContain('nodejs_heap_size_used_bytes')
  expect(walk).not.toHaveBeenCalled()
  walk.mockRestore()
})

type Family = { readonly name: string; readonly type: string | undefined }

async function families(): Promise<readonly Family[]> {
  const { metrics } = metricsOf(async () => standing)
  const types = (await metrics.text(isReady)).matchAll(/^# TYPE (\S+) (\S+)$/gm)
  return [...types].map(([, name = '', type]) => ({ name, type }))
}

function samplesOf({ name, type }: Family): readonly string[] {
  return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
}

const doc = (name: string) => Bun.file(new URL(`../../docs/${name}`, import.meta.url))

test('the alerts ask for metrics that exist', async () => {
  const known = (await families()).flatMap(samplesOf)
  const asked = (await doc('alerts.yaml').text()).match(/\bquittance_\w+/g) ?? []
  expect(asked.filter((name) => !known.includes(name))).toEqual([])
})

describe('the Grafana dashboard', () => {
  test('shows every metric of ours, and no unknown one', async () => {
    const all = await families()
    const sampleNames = all.flatMap(samplesOf)
    const dashboard = await doc('grafana.json').json()
    const queries: string[] = dashboard.panels.flatMap(
      ({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr),
    )
    const asked = new Set(queries.join(' ').match(/\b(?:quittance|process|nodejs)_\w+/g))
    expect([...asked].filter((name) => !sampleNames.includes(name))).toEqual([])
    const unasked = all.filter((family) => !samplesOf(family).some((name) => asked.has(name)))
    expect(unasked.filter(({ name }) => name.startsWith('quittance_'))).toEqual([])
  })
})
