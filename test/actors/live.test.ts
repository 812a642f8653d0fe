import { expect, test } from 'bun:test'
import { createLive, type Live } from '../../src/actors/live.ts'
import { eventually } from '../support/wait.ts'

const patienceMs = 30_000
const yes = async () => true
const ofAccount = (accountId: string) => ({
  accountId,
  scopes: new Set(['invoices:read'] as const),
})
const everything = 'event: missed\ndata: {}\n\n'

/**
 * Streams over invoices whose ids begin with their account's name. If `fails`, owners cannot be
 * looked up.
 */
function streams(fails = false) {
  const faults: unknown[] = []
  const asked: (readonly string[])[] = []
  const live = createLive({
    async ownersOf(ids) {
      asked.push(ids)
      if (fails) throw new Error('no database')
      const byAccount = Map.groupBy(ids, (id) => id.split('-')[0] ?? '')
      return [...byAccount].map(([accountId, ids]) => ({ accountId, ids }))
    },
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

test('changes of one moment are one message to each account that listens, and one look-up', async () => {
  const { live, asked } = streams()
  const [a, b, c] = ['a', 'b', 'c'].map((accountId) => reading(live, accountId))
  live.changed(['a-1', 'b-1'])
  live.changed(['a-2', 'a-1'])
  await eventually(() => a?.text.includes('data: ["a-1","a-2"]\n\n') ?? false, patienceMs)
  await eventually(() => b?.text.includes('data: ["b-1"]\n\n') ?? false, patienceMs)
  expect(c?.text).not.toContain('event:')
  expect(asked).toEqual([['a-1', 'b-1', 'a-2']])
  live.close()
})

test('what else has changed is told once to those of the account, without a look-up', async () => {
  const { live, asked } = streams()
  const [a, b] = ['a', 'b'].map((accountId) => reading(live, accountId))
  for (const matter of ['budgets', 'budgets', 'mandates'] as const) live.touched('a', matter)
  live.touched('b', 'deliveries')
  const message = (matter: string) => `event: ${matter}\ndata: {}\n\n`
  await eventually(() => b?.text.includes(message('deliveries')) ?? false, patienceMs)
  expect(a?.text.match(/event: .*/g)).toEqual(['event: budgets', 'event: mandates'])
  expect(b?.text.match(/event: .*/g)).toEqual(['event: deliveries'])
  expect(asked).toEqual([])
  live.close()
})

test('while nobody listens nothing is looked up', async () => {
  const { live, asked } = streams()
  live.changed(['a-1'])
  const a = reading(live, 'a')
  await eventually(() => a.text.split(': still here').length > 20, patienceMs)
  expect(asked).toEqual([])
  live.close()
})

test('very many changes, and changes of which nobody knows whose they are, are told as "look again"', async () => {
  const many = streams()
  const a = reading(many.live, 'a')
  many.live.changed(Array.from({ length: 101 }, (_, n) => `a-${n}`))
  await eventually(() => a.text.includes(everything), patienceMs)
  const unknown = streams(true)
  const b = reading(unknown.live, 'b')
  unknown.live.changed(['a-1'])
  await eventually(() => b.text.includes(everything), patienceMs)
  expect(unknown.faults.length).toBe(1)
  many.live.close()
  unknown.live.close()
})

test('a gap in the news is told to everybody', async () => {
  const { live } = streams()
  const readers = ['a', 'b'].map((accountId) => reading(live, accountId))
  live.missed()
  await eventually(() => readers.every(({ text }) => text.includes(everything)), patienceMs)
  live.close()
})

test('a stream ends once it is not allowed any more, and stays while nobody can say', async () => {
  const { live } = streams()
  const answers = [yes, () => Promise.reject(new Error('no database')), async () => false]
  let asked = 0
  const a = reading(live, 'a', () => (answers[Math.min(asked++, 2)] ?? yes)())
  await eventually(() => a.hasEnded, patienceMs)
  expect(a.text.split(': still here').length - 1).toBe(2)
})

test('a stream that nobody reads ends, and makes room for another', async () => {
  const { live } = streams()
  const unread = Array.from({ length: 20 }, () => live.open(ofAccount('a'), yes))
  expect(() => live.open(ofAccount('a'), yes)).toThrow('too many live streams')
  await eventually(() => {
    try {
      live.open(ofAccount('a'), yes)
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
  const a = reading(live, 'a')
  live.close()
  await eventually(() => a.hasEnded, patienceMs)
  expect(() => live.open(ofAccount('a'), yes)).toThrow('stopping')
})
