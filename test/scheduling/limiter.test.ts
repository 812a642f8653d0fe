import { describe, expect, test } from 'bun:test'
import { createConcurrencyLimit } from '../../src/scheduling/limiter.ts'

type Limits = Partial<Parameters<typeof createConcurrencyLimit>[0]>

/** A limit whose work, such as `a1` of the key `a`, lasts until it is finished by name. */
function someLimit(limits: Limits = {}) {
  const limit = createConcurrencyLimit({
    perKey: 1,
    maxWaitMs: 60_000,
    refusal: (why, key) => new Error(`${key} is ${why}`),
    ...limits,
  })
  const underWay = new Map<string, () => void>()
  const started: string[] = []
  const begin = (name: string, maxWaitMs?: number) =>
    limit
      .run(
        name.charAt(0),
        () => {
          started.push(name)
          return new Promise<string>((done) => underWay.set(name, () => done(name)))
        },
        maxWaitMs,
      )
      .catch(({ message }) => message)
  async function finish(name: string): Promise<void> {
    underWay.get(name)?.()
    underWay.delete(name)
    await Bun.sleep(0)
  }
  return { ...limit, begin, finish, started, underWay: () => [...underWay.keys()] }
}

describe('work that arrives at once', () => {
  test.each<[string, Limits, string, string[]]>([
    ['of one key runs in order, one at a time', {}, 'a1 a2 a3', ['a1', 'a1 a2', 'a1 a2 a3']],
    ['of other keys runs beside it', {}, 'a1 a2 b1 b2', ['a1 b1', 'a1 b1 a2', 'a1 b1 a2 b2']],
    [
      'takes turns by key, however much of a key came first',
      { total: 1 },
      'a1 a2 a3 b1 b2 c1',
      ['a1', 'a1 b1', 'a1 b1 c1', 'a1 b1 c1 a2', 'a1 b1 c1 a2 b2', 'a1 b1 c1 a2 b2 a3'],
    ],
    [
      'runs up to the limit of a key and the limit of all',
      { total: 3, perKey: 2 },
      'a1 a2 a3 b1 b2 c1',
      ['a1 a2 b1', 'a1 a2 b1 b2', 'a1 a2 b1 b2 c1', 'a1 a2 b1 b2 c1 a3'],
    ],
  ])('%s', async (_, limits, arrivals, expected) => {
    const { begin, finish, started, underWay } = someLimit(limits)
    for (const name of arrivals.split(' ')) void begin(name)
    const seen = [started.join(' ')]
    while (underWay().length > 0) {
      await finish(underWay()[0] ?? '')
      if (seen.at(-1) !== started.join(' ')) seen.push(started.join(' '))
    }
    expect(seen).toEqual(expected)
  })
})

describe('work that waits', () => {
  test('is refused at once where too much of its key does', async () => {
    const { begin } = someLimit({ maxWaitingPerKey: 1 })
    const [, , third] = [begin('a1'), begin('a2'), begin('a3')]
    expect(await third).toBe('a is full')
  })

  test('is refused when its time is over, never runs, and the turns of others go on', async () => {
    const { begin, finish, started } = someLimit({ maxWaitMs: 20, total: 1 })
    void begin('a1')
    const [late, patient] = [begin('a2'), begin('b1', 60_000)]
    expect(await late).toBe('a is late')
    await finish('a1')
    expect(started).toEqual(['a1', 'b1'])
    await finish('b1')
    expect(await patient).toBe('b1')
  })

  test('is refused, not run late, where nobody looked in time', async () => {
    const { begin, finish, started } = someLimit({ maxWaitMs: 20 })
    const first = begin('a1')
    const late = begin('a2')
    Bun.sleepSync(30)
    await finish('a1')
    expect([await first, await late]).toEqual(['a1', 'a is late'])
    expect(started).toEqual(['a1'])
  })

  test('runs where the limit of its key has grown meanwhile', async () => {
    let perKey = 1
    const { begin, finish, underWay } = someLimit({ perKey: () => perKey })
    for (const name of ['a1', 'a2', 'a3']) void begin(name)
    perKey = 2
    await finish('a1')
    expect(underWay()).toEqual(['a2', 'a3'])
  })
})

test('work that fails or throws makes room, and its failure is what its caller gets', async () => {
  const { run } = someLimit()
  const failure = new Error('refused')
  const failed = run('a', () => Promise.reject(failure))
  const thrown = run('a', () => {
    throw failure
  })
  const done = run('a', async () => 'done')
  expect(await failed.catch((error) => error)).toBe(failure)
  expect(await thrown.catch((error) => error)).toBe(failure)
  expect(await done).toBe('done')
})

test('what is released twice makes room once', async () => {
  const { acquire, begin, underWay } = someLimit()
  const release = await acquire('a')
  for (const name of ['a1', 'a2']) void begin(name)
  release()
  release()
  await Bun.sleep(0)
  expect(underWay()).toEqual(['a1'])
})

test('drain waits for everything that runs or waits', async () => {
  const { begin, finish, drain, started } = someLimit()
  for (const name of ['a1', 'a2', 'b1']) void begin(name)
  let isDrained = false
  const drained = drain().then(() => {
    isDrained = true
  })
  for (const name of ['a1', 'b1']) await finish(name)
  expect(isDrained).toBe(false)
  await finish('a2')
  await drained
  expect(started).toEqual(['a1', 'b1', 'a2'])
})
