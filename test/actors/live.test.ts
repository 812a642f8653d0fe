import { beforeAll, expect, test } from 'bun:test'
import { createLive, type Live } from '../../src/actors/live.ts'
import { storedInvoice } from '../support/stored-invoice.ts'
import { eventually } from '../support/wait.ts'
import { watchedSql } from '../support/watched-sql.ts'
import { useWorld } from '../support/world.ts'

const patienceMs = 30_000
const yes = async () => true
const ofAccount = (accountId: string) => ({
  accountId,
  scopes: new Set(['invoices:read'] as const),
})
const everything = 'event: missed\ndata: {}\n\n'

const { database: db } = useWorld({ service: 'none' })
const [a, b, c] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]
const invoices: Record<string, string[]> = {}

beforeAll(async () => {
  for (const account of [a, b]) {
    const made = await Promise.all([1, 2].map(() => storedInvoice(db.sql, account)))
    invoices[account] = made.map(({ id }) => id)
  }
})

const idsOf = (account: string) => invoices[account] as [string, string]

/** The streams of one process. If `fails`, owners cannot be looked up. */
function streams(fails = false) {
  const faults: unknown[] = []
  const asked: unknown[] = []
  const live = createLive({
    sql: watchedSql(db.sql, {
      before({ values: [ids] }) {
        asked.push(ids)
        if (fails) throw new Error('no database')
      },
    }),
    onFault: (error) => faults.push(error),
    beatEveryMs: 20,
  })
  return { live, faults, asked }
}

function reading(live: Live, accountId: string, isAllowed = yes) {
  const state = { text: '', hasEnded: false }
  const stream = live.open(ofAccount(accountId), isAllowed)
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) state.text += decoder.decode(chunk)
    state.hasEnded = true
  })()
  return state
}

/** The invoices named in the message of a stream. */
function idsIn(text = ''): string[] {
  return JSON.parse(/event: invoices\ndata: (.*)\n\n/.exec(text)?.[1] ?? '[]')
}

test('changes of one moment are one message to each account that listens, and one look-up', async () => {
  const { live, asked } = streams()
  const [toA, toB, toC] = [a, b, c].map((accountId) => reading(live, accountId))
  const [[a1, a2], [b1]] = [idsOf(a), idsOf(b)]
  live.changed([a1, b1])
  live.changed([a2, a1])
  await eventually(() => idsIn(toA?.text).length === 2, patienceMs)
  expect(new Set(idsIn(toA?.text))).toEqual(new Set([a1, a2]))
  await eventually(() => idsIn(toB?.text).includes(b1), patienceMs)
  expect(toC?.text).not.toContain('event:')
  expect(asked.length).toBe(1)
  live.close()
})

test('other changes are reported once, to their account only, without a look-up', async () => {
  const { live, asked } = streams()
  const [toA, toB] = [a, b].map((accountId) => reading(live, accountId))
  for (const matter of ['budgets', 'budgets', 'mandates'] as const) live.touched(a, matter)
  live.touched(b, 'deliveries')
  const message = (matter: string) => `event: ${matter}\ndata: {}\n\n`
  await eventually(() => toB?.text.includes(message('deliveries')) ?? false, patienceMs)
  expect(toA?.text.match(/event: .*/g)).toEqual(['event: budgets', 'event: mandates'])
  expect(toB?.text.match(/event: .*/g)).toEqual(['event: deliveries'])
  expect(asked).toEqual([])
  live.close()
})

test('without listeners nothing is looked up', async () => {
  const { live, asked } = streams()
  live.changed([idsOf(a)[0]])
  const toA = reading(live, a)
  await eventually(() => toA.text.split(': still here').length > 20, patienceMs)
  expect(asked).toEqual([])
  live.close()
})

test('too many changes, and changes whose owners cannot be looked up, are reported as missed', async () => {
  const many = streams()
  const toA = reading(many.live, a)
  const ids = await Promise.all(
    Array.from({ length: 101 }, async () => (await storedInvoice(db.sql, a)).id),
  )
  many.live.changed(ids)
  await eventually(() => toA.text.includes(everything), patienceMs)
  const unknown = streams(true)
  const toB = reading(unknown.live, b)
  unknown.live.changed([idsOf(a)[0]])
  await eventually(() => toB.text.includes(everything), patienceMs)
  expect(unknown.faults.length).toBe(1)
  many.live.close()
  unknown.live.close()
})

test('missed changes are reported to every stream', async () => {
  const { live } = streams()
  const readers = [a, b].map((accountId) => reading(live, accountId))
  live.missed()
  await eventually(() => readers.every(({ text }) => text.includes(everything)), patienceMs)
  live.close()
})

test('a stream ends once access is refused, and stays while access cannot be checked', async () => {
  const { live } = streams()
  const answers = [yes, () => Promise.reject(new Error('no database')), async () => false]
  let asked = 0
  const toA = reading(live, a, () => (answers[Math.min(asked++, 2)] ?? yes)())
  await eventually(() => toA.hasEnded, patienceMs)
  expect(toA.text.split(': still here').length - 1).toBe(2)
})

test('a stream that nobody reads ends, and makes room for another', async () => {
  const { live } = streams()
  const unread = Array.from({ length: 20 }, () => live.open(ofAccount(a), yes))
  expect(() => live.open(ofAccount(a), yes)).toThrow('too many live streams')
  await eventually(() => {
    try {
      live.open(ofAccount(a), yes)
      return true
    } catch {
      return false
    }
  }, patienceMs)
  expect(unread.length).toBe(20)
  live.close()
})

test('after the end of the process there are no streams, and no new ones', async () => {
  const { live } = streams()
  const toA = reading(live, a)
  live.close()
  await eventually(() => toA.hasEnded, patienceMs)
  expect(() => live.open(ofAccount(a), yes)).toThrow('stopping')
})
