import { afterEach, beforeAll, expect, setSystemTime, test } from 'bun:test'
import { keyWith } from '../../support/app.ts'
import { eventually, passed } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const twoHoursMs = 7_200_000
const { app } = useWorld({ env: { ROLE: 'http' } })

beforeAll(async () => {
  // It learns PostgreSQL's time soon after its start.
  setClock(twoHoursMs)
  await eventually(async () => (await leftOfTokenMs()) <= 3_600_000)
})
afterEach(() => void setSystemTime())

/** The clock of this process stands still so far ahead of the right time; negative: behind it. */
function setClock(aheadMs: number) {
  setSystemTime()
  setSystemTime(new Date(Date.now() + aheadMs))
}

/** The right time, `laterMs` from now. */
function rightTime(laterMs: number): Date {
  return new Date(performance.timeOrigin + performance.now() + laterMs)
}

async function issued() {
  return (await app.send('POST', '/api/v1/auth/token')).json.data
}

async function leftOfTokenMs(): Promise<number> {
  return Date.parse((await issued()).expiresAt) - rightTime(0).getTime()
}

async function statusWith(headers: Record<string, string>): Promise<number> {
  return (await app.keyless('GET', '/api/v1/dashboard/tax-summary', undefined, headers)).status
}

test('a token of a process whose clock is two hours behind is valid elsewhere, and one of elsewhere is valid where the clock is two hours ahead', async () => {
  setClock(-twoHoursMs)
  const { token } = await issued()
  for (const aheadMs of [0, twoHoursMs]) {
    setClock(aheadMs)
    expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(200)
  }
})

test('a key held in memory ends when it does, though the clock of the process is two hours behind, and no sooner', async () => {
  const key = async (expiresAt: Date) =>
    keyWith(app, ['invoices:read'], expiresAt).then((key) => ({ 'x-api-key': key }))
  const endsAt = rightTime(3_000)
  const [short, long] = [await key(endsAt), await key(rightTime(3_600_000))]
  const read = async (headers: Record<string, string>) =>
    (await app.keyless('GET', '/api/invoices', undefined, headers)).status
  setClock(twoHoursMs)
  expect([await read(long), await read(long)]).toEqual([200, 200])
  setClock(-twoHoursMs)
  expect([await read(short), await read(short)]).toEqual([200, 200])
  setSystemTime()
  await passed(endsAt)
  setClock(-twoHoursMs)
  await eventually(async () => (await read(short)) === 401)
})

test('what may end only in the future may end in an hour, though the clock of the process is two hours ahead', async () => {
  setClock(twoHoursMs)
  const inAnHour = rightTime(3_600_000).toISOString()
  const invoice = {
    ...{ amount: 12.5, currency: 'USDC', dueAt: inAnHour },
    ...{ customerName: 'Ada Example', customerEmail: 'ada@example.com' },
  }
  const answers = [
    await app.send('POST', '/v1/invoices', invoice),
    await app.send('POST', '/api/keys', { name: 'agent', expiresAt: inAnHour }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 201])
})
