import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { nextAddress } from '../../support/addresses.ts'
import { type Answer, anInvoice } from '../../support/app.ts'
import { earlyInAMinute } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })
let invoiceId: string

beforeAll(async () => {
  invoiceId = await anInvoice(app)
})

beforeEach(() => earlyInAMinute())

const people = 'text/html,application/xhtml+xml,*/*;q=0.8'

function from(address: string, path: string, accept = '*/*'): Promise<Answer> {
  return app.keyless('GET', path, undefined, { accept, 'x-forwarded-for': address })
}

/** Sends `path` from `address` until it is refused. */
async function exhaust(address: string, path: string): Promise<void> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => from(address, path)))
    if (answers.some(({ status }) => status === 429)) return
  }
}

function waitOf({ headers, text }: Answer) {
  const seconds = /<meta http-equiv="refresh" content="(\d+)">/.exec(text)?.[1]
  return { asked: headers.get('retry-after'), done: seconds ?? null }
}

describe('who pays from an address that others share', () => {
  test('reads the payment page, whatever else the address has asked for without a key', async () => {
    const address = nextAddress()
    await exhaust(address, '/api/v1/tax/rates?country=DE')
    const page = await from(address, `/pay/${invoiceId}`, people)
    const state = await from(address, `/pay/${invoiceId}/status`)
    expect([page.status, state.status, state.json.status]).toEqual([200, 200, 'draft'])
  })

  test('leaves the address what else it may ask for without a key', async () => {
    const address = nextAddress()
    for (let n = 0; n < 3; n++) await from(address, `/pay/${invoiceId}/status`)
    const { headers } = await from(address, '/api/v1/tax/rates?country=DE')
    expect(headers.get('x-ratelimit-remaining')).toBe('99')
  })

  test('is refused beyond a thousand a minute: with a page that loads itself again in time, programs in JSON', async () => {
    const address = nextAddress()
    await exhaust(address, `/pay/${crypto.randomUUID()}/status`)
    const page = await from(address, `/pay/${invoiceId}`, people)
    expect([page.status, page.headers.get('x-ratelimit-limit')]).toEqual([429, '1000'])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toStartWith("default-src 'none'")
    expect(page.text).not.toContain('<script')
    const { asked, done } = waitOf(page)
    expect(Number(done)).toBeGreaterThanOrEqual(Number(asked))
    expect(Number(asked)).toBeGreaterThan(0)
    for (const path of [`/pay/${invoiceId}`, `/pay/${invoiceId}/status`]) {
      const { status, json } = await from(address, path, 'application/json')
      expect([status, json.error.code]).toEqual([429, 'RATE_LIMITED'])
    }
  })
})

test('while the database is away, a person gets a page that loads itself again, a program JSON', async () => {
  const { sql } = app.database
  const locked = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const lock = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`lock table invoices in access exclusive mode`
    locked.resolve()
    await done.promise
  })
  await locked.promise
  const [page, program] = await Promise.all([
    from(nextAddress(), `/pay/${invoiceId}`, people),
    from(nextAddress(), `/pay/${invoiceId}`),
  ])
  done.resolve()
  await lock
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
  expect(waitOf(page)).toEqual({ asked: '1', done: '5' })
  expect([program.status, program.json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
})
