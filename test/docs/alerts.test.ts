import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Debian's `prometheus` has it; without it these tests are skipped. */
const promtool = Bun.which('promtool')
const rules = Bun.fileURLToPath(new URL('../../docs/alerts.yaml', import.meta.url))

/** Values a minute or `every`, in promtool's words: `a+bxn` is a and n steps of b. */
type Case = {
  readonly every?: '1m' | '10m'
  readonly series: Readonly<Record<string, string>>
  readonly at: string
  readonly fires: readonly string[]
}

const chain = '{chain="base"}'
const key = '{key="anchor",chain="base",address="0xa"}'
const requests = (status: number) =>
  `quittance_http_request_duration_seconds_count{instance="a",route="/v1/invoices",status="${status}"}`
const detected = `quittance_detection_delay_seconds_count${chain}`

/** At the 72nd value. */
const held = { every: '10m', at: '12h' } as const
const daily = { every: '10m', at: '33h' } as const

/** Each condition with what fires while it lasts, and the same just before or without it. */
const cases: Readonly<Record<string, Case>> = {
  'money comes in': { ...daily, series: { [detected]: '0+10x200' }, fires: [] },
  'no money since yesterday': {
    ...daily,
    series: { [detected]: '0+10x140 1400x70' },
    fires: ['QuittanceNoMoney'],
  },
  'no money, and a worker that has counted none since its restart': {
    ...daily,
    series: { [detected]: `0+10x140 ${'_ '.repeat(70)}` },
    fires: ['QuittanceNoMoney'],
  },
  'no money, as yesterday': { ...daily, series: { [detected]: '5x200' }, fires: [] },
  'money that nothing explains': {
    series: {
      [`quittance_balance_unexplained_usdc${chain}`]: '-3x20',
      [`quittance_transfers_missed_total${chain}`]: '0 1x20',
    },
    at: '15m',
    fires: ['QuittanceBalanceUnexplained', 'QuittanceTransfersMissed'],
  },
  'a new transfer that nothing explains, beside one of old': {
    ...held,
    series: { quittance_transfers_held: '1x60 2x20' },
    fires: ['QuittanceTransfersHeld'],
  },
  'a new one in place of another that was credited': {
    ...held,
    series: { quittance_transfers_held: '2x50 1x10 2x20' },
    fires: ['QuittanceTransfersHeld'],
  },
  'one that came in long ago': {
    ...held,
    series: { quittance_transfers_held: '1x20 2x60' },
    fires: [],
  },
  'one that was credited': {
    ...held,
    series: { quittance_transfers_held: '2x70 1x10' },
    fires: [],
  },
  'transfers that are held until they are claimed': {
    ...held,
    series: { quittance_transfers_held: '1 2 3 '.repeat(30) },
    fires: [],
  },
  'a chain out of reach': {
    series: {
      [`quittance_chain_failing${chain}`]: '1x20',
      [`quittance_chain_poll_age_seconds${chain}`]: '901x20',
      [`quittance_chain_head_age_seconds${chain}`]: '905x20',
    },
    at: '6m',
    fires: ['QuittanceChainFailing', 'QuittanceChainUnwatched'],
  },
  'a chain that stands still': {
    series: {
      [`quittance_chain_poll_age_seconds${chain}`]: '1x20',
      [`quittance_chain_head_age_seconds${chain}`]: '130x20',
    },
    at: '6m',
    fires: ['QuittanceChainStopped'],
  },
  'a chain that is not caught up with': {
    series: { [`quittance_chain_behind_blocks${chain}`]: '5000+1x60' },
    at: '30m',
    fires: ['QuittanceChainBehind'],
  },
  'a chain that is being caught up with': {
    series: { [`quittance_chain_behind_blocks${chain}`]: '90000-100x60' },
    at: '30m',
    fires: [],
  },
  'what is owed late': {
    series: {
      quittance_outbox_oldest_age_seconds: '61x20',
      quittance_deliveries_due_oldest_age_seconds: '301x20',
      quittance_anchors_open_oldest_age_seconds: '3601x20',
    },
    at: '6m',
    fires: ['QuittanceOutboxOld', 'QuittanceDeliveriesLate', 'QuittanceAnchorsLate'],
  },
  'what is owed in time': {
    series: {
      quittance_outbox_oldest_age_seconds: '59x20',
      quittance_deliveries_due_oldest_age_seconds: '299x20',
      quittance_anchors_open_oldest_age_seconds: '3599x20',
    },
    at: '15m',
    fires: [],
  },
  'webhooks that fail, and one disabled': {
    series: {
      'quittance_webhooks{state="failing"}': '1x200',
      'quittance_webhooks{state="disabled"}': '0x90 1x100',
    },
    at: '100m',
    fires: ['QuittanceWebhooksFailing', 'QuittanceWebhookDisabled'],
  },
  'coin for few transactions': {
    series: { [`quittance_key_transactions${key}`]: '99x20' },
    at: '15m',
    fires: ['QuittanceCoinLow'],
  },
  'no coin': {
    series: { [`quittance_key_transactions${key}`]: '0x20' },
    at: '15m',
    fires: ['QuittanceCoinLow', 'QuittanceCoinGone'],
  },
  'a process that is down, and one that cannot read': {
    series: {
      'up{job="quittance",instance="a"}': '0x20',
      'quittance_backlog_known{instance="b"}': '0x20',
    },
    at: '5m',
    fires: ['QuittanceDown', 'QuittanceDatabaseUnread'],
  },
  'a process that is not ready, and that nobody calls': {
    series: {
      'quittance_ready{instance="a"}': '1x5 0x20',
      'quittance_ready{instance="b"}': '1x30',
    },
    at: '8m',
    fires: ['QuittanceNotReady'],
  },
  'processes that start or stop': {
    series: {
      'quittance_ready{instance="a"}': '1x5 0 1x20',
      'quittance_ready{instance="b"}': '1x5 0 stale',
    },
    at: '8m',
    fires: [],
  },
  'answers that are errors': {
    series: {
      'quittance_ready{instance="a"}': '1x30',
      [requests(201)]: '0+60x30',
      [requests(503)]: '0+6x30',
      [requests(500)]: '0+1x30',
    },
    at: '15m',
    fires: ['QuittanceOverloaded', 'QuittanceServerErrors'],
  },
  'refusals of a process that is not ready': {
    series: { 'quittance_ready{instance="a"}': '0x30', [requests(503)]: '0+60x30' },
    at: '15m',
    fires: ['QuittanceNotReady'],
  },
  'two builds': {
    series: {
      'quittance_build_info{version="1",instance="a"}': '1x90',
      'quittance_build_info{version="2",instance="b"}': '1x90',
    },
    at: '70m',
    fires: ['QuittanceVersionsDiffer'],
  },
}

/** `ALERTS` holds what fires, so that one expression compares all of it. */
function unitTest([name, { every = '1m', series, at, fires }]: [string, Case]) {
  return {
    name,
    interval: every,
    input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: at,
        exp_samples: fires.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  }
}

test.skipIf(promtool === null)('the alerts fire when they should, and only then', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-alerts-'))
  try {
    for (const evaluation_interval of ['1m', '10m']) {
      const tests = Object.entries(cases)
        .filter(([, { every = '1m' }]) => every === evaluation_interval)
        .map(unitTest)
      const file = join(folder, 'tests.json')
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval, tests }))
      const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? '', 'test', 'rules', file])
      expect(`${exitCode} ${stdout}${stderr}`).toMatch(/^0 .*SUCCESS/s)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.skipIf(promtool === null)('every alert is in a case', async () => {
  const names = (await Bun.file(rules).text()).matchAll(/alert: (\w+)/g)
  const fired = Object.values(cases).flatMap(({ fires }) => fires)
  expect([...names].map(([, name = '']) => name).filter((name) => !fired.includes(name))).toEqual(
    [],
  )
})
