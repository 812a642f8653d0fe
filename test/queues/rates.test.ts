import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createExchangeRates } from '../../src/actors/exchange-rates.ts'
import { readReadiness } from '../../src/actors/readiness.ts'
import { readConfig } from '../../src/config/config.ts'
import { rateFindings } from '../../src/operator/doctor/rates.ts'
import { ratesWork } from '../../src/queues/rates.ts'
import { testEnv } from '../support/app.ts'
import { dayAgo, type Ecb, ecbXml, startEcb } from '../support/ecb.ts'
import { useWorld } from '../support/world.ts'

const { sql } = useWorld({ service: 'none' })
let ecb: Ecb
beforeAll(() => {
  ecb = startEcb()
})
afterAll(() => ecb.stop())
beforeEach(async () => {
  ecb.reads = 0
  ecb.answer = () => new Response(ecbXml(dayAgo(0)))
  await sql`delete from exchange_rates`
})

const configFrom = (over: Readonly<Record<string, string>>) =>
  readConfig(testEnv('postgres://h/d', over))
const config = (url = ecb.url) => configFrom({ FX_SOURCE: 'ecb', FX_ECB_URL: url })

function worker(url = ecb.url) {
  const lines: { level: string; line: object }[] = []
  const at = (level: string) => (line: object) => void lines.push({ level, line })
  const log = { info: at('info'), warn: at('warn') } as never
  const queues = { every: async () => true } as never
  const work = ratesWork({ config: config(url), sql, queues, log, now: () => new Date() })
  return { lines, read: () => work.process?.({}) ?? Promise.resolve() }
}

const known = () =>
  createExchangeRates({ fx: config().fx, sql, steadyMs: () => performance.now() })('EUR')
const hoursPass = (hours: number) => sql`
  update exchange_rates set read_at = read_at - ${hours} * interval '1 h', attempted_at = attempted_at - ${hours} * interval '1 h'`

describe('the rates of the ECB', () => {
  test('that a worker has read are known to every process, and to one that starts later', async () => {
    await worker().read()
    expect(await known()).toEqual({
      rates: { EUR: '1.08', JPY: '0.006646154', GBP: '1.270588235' },
      source: 'ECB',
      asOf: `${dayAgo(0)}T00:00:00.000Z`,
    })
    expect((await known()).rates).not.toHaveProperty('CHF')
  })

  test('are read once a day, however many workers have the job', async () => {
    await Promise.all([worker().read(), worker().read(), worker().read()])
    await hoursPass(23)
    await worker().read()
    expect(ecb.reads).toBe(1)
    await hoursPass(1)
    await Promise.all([worker().read(), worker().read()])
    expect(ecb.reads).toBe(2)
  })

  test('replace those of the day before', async () => {
    ecb.answer = () => new Response(ecbXml(dayAgo(1), [['USD', '1.10']]))
    await worker().read()
    ecb.answer = () => new Response(ecbXml(dayAgo(0), [['USD', '1.12']]))
    await hoursPass(24)
    await worker().read()
    expect(await known()).toMatchObject({ rates: { EUR: '1.12' } })
  })

  const endless = () => {
    const piece = new Uint8Array(65_536)
    return new Response(new ReadableStream({ pull: (body) => body.enqueue(piece) }))
  }

  test.each<[string, () => Response, string]>([
    ['malformed', () => new Response('<Cube'), 'not the ECB’s XML'],
    ['without USD', () => new Response(ecbXml(dayAgo(0), [['JPY', '162']])), 'no rate for USD'],
    ['an error', () => new Response('no', { status: 500 }), 'it answers 500'],
    ['endless', endless, 'more than 262144 bytes'],
    ['of an earlier day', () => new Response(ecbXml(dayAgo(5))), 'before the one on record'],
    ['of a day to come', () => new Response(ecbXml(dayAgo(-3))), 'lies in the future'],
  ])(
    'stay when the answer is %s, which one line says; an hour later they are read again',
    async (_, answer, reason) => {
      ecb.answer = () => new Response(ecbXml(dayAgo(1)))
      await worker().read()
      const before = await known()
      await hoursPass(24)
      ecb.answer = answer
      const failing = worker()
      await failing.read()
      await failing.read()
      const said = { reason: expect.stringContaining(reason) }
      expect(failing.lines).toEqual([{ level: 'warn', line: said }])
      expect(await known()).toEqual(before)
      ecb.answer = () => new Response(ecbXml(dayAgo(0)))
      await hoursPass(1)
      await failing.read()
      expect((await known()).asOf).toStartWith(dayAgo(0))
    },
  )

  test('stay when nobody answers', async () => {
    await worker().read()
    await hoursPass(24)
    const gone = startEcb()
    await gone.stop()
    const failing = worker(gone.url)
    await failing.read()
    expect(failing.lines.map(({ level }) => level)).toEqual(['warn'])
    expect((await known()).asOf).toStartWith(dayAgo(0))
  })
})

describe('doctor and /readyz', () => {
  const noRates = { FX_RATES: '', FX_RATES_AS_OF: '' }
  const table = (days: number) => ({ FX_RATES: 'EUR=1.08', FX_RATES_AS_OF: dayAgo(days) })
  const bank = () => ({ FX_SOURCE: 'ecb', FX_ECB_URL: ecb.url })
  const bankOf = (days: number) => async () => {
    ecb.answer = () => new Response(ecbXml(dayAgo(days)))
    await worker().read()
    return bank()
  }
  type Env = Readonly<Record<string, string>>
  test.each<[string, () => Env | Promise<Env>, string, string, string | null]>([
    ['no rates', () => noRates, 'note', 'only USD and USDC', 'only USD and USDC are invoiced'],
    ['a table of last week', () => table(7), 'ok', `FX_RATES, of ${dayAgo(7)}`, null],
    ['an older one', () => table(8), 'problem', 'more than 7 days', `rates are of ${dayAgo(8)}`],
    ['the ECB not read yet', bank, 'problem', 'none have been read', 'have not been read yet'],
    ['the ECB of today', bankOf(0), 'ok', `ECB, of ${dayAgo(0)}`, null],
    ['the ECB of long ago', bankOf(9), 'problem', 'more than 7 days', `rates are of ${dayAgo(9)}`],
  ])('with %s', async (_, envOf, verdict, detail, noted) => {
    const with_ = configFrom(await envOf())
    const [finding] = await rateFindings(with_, sql)
    expect(finding).toMatchObject({ verdict, detail: expect.stringContaining(detail) })
    const { notes, problems } = await readReadiness(with_, sql)
    expect(problems).toEqual([])
    expect(notes.find((note) => /rates|only USD/.test(note)) ?? null).toEqual(
      noted && expect.stringContaining(noted),
    )
  })
})
