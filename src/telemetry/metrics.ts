import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { RequestHistogram } from './histogram.ts'

export type Metrics = ReturnType<typeof createMetrics>

export type DeliveryOutcome = 'delivered' | 'retried' | 'failed' | 'gone'

/** `oldestAgeMs`: how long the oldest has waited. */
export type Waiting = { readonly count: number; readonly oldestAgeMs: number }

export type Backlog = {
  /** Batches of events not yet turned into deliveries. */
  readonly outbox: Waiting | null
  /** Batches of deliveries that are due to webhooks that are not paused. */
  readonly deliveries: Waiting | null
  /** Receipts without a place in a batch, and events not yet on the anchor chain. */
  readonly anchors: Waiting | null
  /** Transfers that neither an invoice nor an x402 sale accounts for. */
  readonly heldTransfers: Waiting | null
}

/** What is read on a scrape; null where it could not be read. */
export type Standing = {
  readonly backlog: Backlog
  /** The ages of the oldest rows; null where there are none. */
  readonly oldestRows: {
    readonly deliveriesMs: number | null
    readonly idempotencyKeysMs: number | null
  } | null
  readonly chains:
    | readonly {
        readonly chain: string
        readonly pollAgeMs: number | null
        readonly headAgeMs: number | null
        readonly behindBlocks: number | null
        readonly fault: string | null
      }[]
    | null
  readonly unexplained: readonly { readonly chain: string; readonly usdcBase: bigint }[] | null
  readonly queues: readonly QueueDepth[] | null
  /** Active webhooks whose last attempt failed, and those that the service has disabled. */
  readonly webhooks: { readonly failing: number; readonly disabled: number } | null
  readonly keys: readonly KeyCoin[]
}

/** What a key that pays for transactions holds; `transactions`: for how many usual ones. */
export type KeyCoin = {
  readonly key: 'anchor' | 'facilitator'
  readonly chain: string
  readonly address: string
  readonly coin: number
  readonly transactions: number | null
}

/** One queue's jobs by state, and how long the next one has waited. */
export type QueueDepth = {
  readonly queue: string
  readonly jobs: Readonly<Record<string, number>>
  readonly oldestAgeMs: number
}

/** Bun walks the whole heap for these, half a second per hundred megabytes. */
const heapWalks = ['total', 'used', 'available'].map((of) => `nodejs_heap_space_size_${of}_bytes`)
const standingForMs = 3_000
/** A check of readiness that takes longer is shown by the next scrape. */
const readyWaitMs = 3_000
const latencySeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const detectionSeconds = [0.5, 1, 2, 3, 5, 8, 13, 21, 30, 60, 120, 300, 900, 3_600]
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]
// Others are counted as one, so that callers cannot create time series.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** `readStanding` must limit its own time and not reject; `steadyMs` is monotonic. */
export function createMetrics(options: {
  readStanding: () => Promise<Standing>
  steadyMs: () => number
  /** Of the build: `version`, and `commit` where it is known. */
  build?: Readonly<Record<string, string>>
}) {
  const { readStanding, steadyMs } = options
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of heapWalks) registry.removeSingleMetric(name)
  const { requests, refusals, sizes, commits, detections, misses, attempts } =
    instruments(registers)
  const show = standingGauges(registers)
  const ready = new Gauge({
    name: 'quittance_ready',
    help: '1 when /readyz is 200',
    registers,
  })
  showBuild(options.build ?? {}, registers)
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  function request(answered: {
    method: string
    route: string
    status: number
    durationMs: number
  }): void {
    const { method, route, status, durationMs } = answered
    const known = methods.has(method) ? method : 'other'
    requests.count(known, route, status, durationMs / 1_000)
  }

  function rateLimited(caller: 'key' | 'address'): void {
    refusals.inc({ caller })
  }

  /** Counts the size and duration of each batch. */
  function batches<Work, Outcome>(entity: string, flush: Flush<Work, Outcome>) {
    return async (lane: number, works: readonly Work[]): Promise<Outcome> => {
      const startedMs = steadyMs()
      try {
        return await flush(lane, works)
      } finally {
        sizes.observe({ entity }, works.length)
        commits.observe({ entity }, (steadyMs() - startedMs) / 1_000)
      }
    }
  }

  /** From the block of a transfer until it was recorded. */
  function detected(chain: string, delayMs: number): void {
    detections.observe({ chain }, Math.max(0, delayMs) / 1_000)
  }

  /** Counts transfers that the watcher missed and a balance check found. */
  function missed(chain: string, transfers: number): void {
    misses.inc({ chain }, transfers)
  }

  function delivery(outcome: DeliveryOutcome): void {
    attempts.inc({ outcome })
  }

  /**
   * Leaves out what cannot be read; `quittance_backlog_known` is then 0. A scrape does not wait
   * longer than three seconds for `isReady`.
   */
  async function text(isReady: () => Promise<boolean>): Promise<string> {
    await Promise.all([readIfOld(), Promise.race([showReady(isReady), Bun.sleep(readyWaitMs)])])
    return registry.metrics()
  }

  async function showReady(isReady: () => Promise<boolean>): Promise<void> {
    ready.set((await isReady().catch(() => false)) ? 1 : 0)
  }

  async function readIfOld(): Promise<void> {
    if (steadyMs() - readAtMs < standingForMs) return
    reading ??= read()
    await reading
  }

  async function read(): Promise<void> {
    show(await readStanding())
    readAtMs = steadyMs()
    reading = null
  }

  return { request, rateLimited, batches, detected, missed, delivery, text }
}

function showBuild(build: Readonly<Record<string, string>>, registers: Registry[]): void {
  const help = 'Always 1; its labels say what is running'
  const labelNames = Object.keys(build)
  new Gauge({ name: 'quittance_build_info', help, labelNames, registers }).set(build, 1)
}

type Flush<Work, Outcome> = (lane: number, works: readonly Work[]) => Promise<Outcome>

function instruments(registers: Registry[]) {
  return {
    requests: new RequestHistogram({ bucketSeconds: latencySeconds, registers }),
    refusals: new Counter({
      name: 'quittance_rate_limit_refusals_total',
      help: 'Requests refused by a rate limit, by what was counted: a key or an address',
      labelNames: ['caller'],
      registers,
    }),
    sizes: new Histogram({
      name: 'quittance_commit_batch_size',
      help: 'Changes committed by one statement',
      labelNames: ['entity'],
      buckets: batchSizes,
      registers,
    }),
    commits: new Histogram({
      name: 'quittance_commit_duration_seconds',
      help: 'Time of one such statement, failed ones included',
      labelNames: ['entity'],
      buckets: latencySeconds,
      registers,
    }),
    detections: new Histogram({
      name: 'quittance_detection_delay_seconds',
      help: 'Time from the block of a transfer to its being on record',
      labelNames: ['chain'],
      buckets: detectionSeconds,
      registers,
    }),
    misses: new Counter({
      name: 'quittance_transfers_missed_total',
      help: 'Transfers that watching had missed, and a check of the balances found',
      labelNames: ['chain'],
      registers,
    }),
    attempts: new Counter({
      name: 'quittance_delivery_attempts_total',
      help: 'Attempts to deliver a webhook, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
  }
}

/** The returned function sets all gauges and clears unknown ones. */
function standingGauges(registers: Registry[]): (standing: Standing) => void {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `quittance_${name}`, help, labelNames, registers })
  const known = gauge('backlog_known', '1 when all that waits and all chains could be read')
  const jobs = gauge('queue_jobs', 'Jobs of a queue, by state', 'queue', 'state')
  const jobAge = gauge('queue_oldest_job_age_seconds', 'Age of the next waiting job', 'queue')
  const headAge = gauge('chain_head_age_seconds', 'Age of the newest block seen', 'chain')
  const pollAge = gauge('chain_poll_age_seconds', 'Time since a step that went well', 'chain')
  const behind = gauge('chain_behind_blocks', 'Blocks not read and confirmed yet', 'chain')
  const rowAge = gauge('oldest_row_age_seconds', 'Age of the oldest row that is kept', 'rows')
  const failing = gauge('chain_failing', '1 when its nodes failed the last step', 'chain')
  const unexplained = gauge(
    'balance_unexplained_usdc',
    'What our addresses hold beyond or below what the transfers on record explain',
    'chain',
  )
  const webhooks = gauge(
    'webhooks',
    'Active webhooks that fail, and webhooks that were disabled for failing',
    'state',
  )
  const coin = gauge('key_coin', 'Coin of a key that pays for fees', 'key', 'chain', 'address')
  const transactions = gauge(
    'key_transactions',
    'How many usual transactions this coin pays for',
    ...(['key', 'chain', 'address'] as const),
  )
  const backlog = {
    outbox: waiting('outbox', 'batches of events that are not deliveries yet'),
    deliveries: waiting('deliveries_due', 'batches of deliveries whose time has come'),
    anchors: waiting(
      'anchors_open',
      'receipts and mandate states that are not on the anchor chain',
    ),
    heldTransfers: waiting('transfers_held', 'transfers that no invoice or sale explains'),
  }

  function waiting(name: string, what: string): (waiting: Waiting | null) => void {
    const count = gauge(name, `How many: ${what}`)
    const age = gauge(`${name}_oldest_age_seconds`, `Age of the oldest: ${what}`)
    return (found) => {
      if (found) {
        count.set(found.count)
        age.set(found.oldestAgeMs / 1_000)
      } else for (const unknown of [count, age]) unknown.remove()
    }
  }

  return (standing) => {
    const { backlog: found, chains, unexplained: sums, webhooks: troubled } = standing
    const read = [...Object.values(found), chains, sums, troubled]
    known.set(read.includes(null) ? 0 : 1)
    for (const [name, set] of Object.entries(backlog)) set(standing.backlog[name as keyof Backlog])
    const states = [jobs, jobAge, rowAge, headAge, pollAge, behind, failing, unexplained, webhooks]
    for (const labelled of [...states, coin, transactions]) labelled.reset()
    const { deliveriesMs = null, idempotencyKeysMs = null } = standing.oldestRows ?? {}
    if (deliveriesMs !== null) rowAge.set({ rows: 'deliveries' }, deliveriesMs / 1_000)
    if (idempotencyKeysMs !== null)
      rowAge.set({ rows: 'idempotency_keys' }, idempotencyKeysMs / 1_000)
    for (const { chain, headAgeMs, pollAgeMs, behindBlocks, fault } of standing.chains ?? []) {
      if (headAgeMs !== null) headAge.set({ chain }, headAgeMs / 1_000)
      if (pollAgeMs !== null) pollAge.set({ chain }, pollAgeMs / 1_000)
      if (behindBlocks !== null) behind.set({ chain }, behindBlocks)
      failing.set({ chain }, fault === null ? 0 : 1)
    }
    for (const [state, count] of Object.entries(standing.webhooks ?? {}))
      webhooks.set({ state }, count)
    for (const { coin: held, transactions: paidFor, ...labels } of standing.keys) {
      coin.set(labels, held)
      if (paidFor !== null) transactions.set(labels, paidFor)
    }
    for (const { chain, usdcBase } of standing.unexplained ?? [])
      unexplained.set({ chain }, Number(usdcBase) / 1_000_000)
    for (const { queue, jobs: counts, oldestAgeMs } of standing.queues ?? []) {
      for (const [state, count] of Object.entries(counts)) jobs.set({ queue, state }, count)
      jobAge.set({ queue }, oldestAgeMs / 1_000)
    }
  }
}
