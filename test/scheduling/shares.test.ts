import { describe, expect, test } from 'bun:test'
import { createShares } from '../../src/scheduling/shares.ts'

/** Work that lasts until it is finished by name. */
function works() {
  const open = new Map<string, () => void>()
  return {
    underWay: () => [...open.keys()],
    begin: (name: string) => () =>
      new Promise<string>((resolve) => open.set(name, () => resolve(name))),
    async finish(name: string) {
      open.get(name)?.()
      open.delete(name)
      await Bun.sleep(0)
    },
  }
}

describe('work of accounts', () => {
  test('is under way up to the limit of an account, and up to the limit of all', async () => {
    const inTurn = createShares({ overall: 3, each: 2, patienceMs: 60_000 })
    const { begin, underWay, finish } = works()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void inTurn(name[0] ?? '', begin(name))
    expect(underWay()).toEqual(['a1', 'a2', 'b1'])
    await finish('b1')
    expect(underWay()).toEqual(['a1', 'a2', 'b2'])
    await finish('a1')
    expect(underWay()).toEqual(['a2', 'b2', 'a3'])
    await finish('a2')
    expect(underWay()).toEqual(['b2', 'a3', 'c1'])
  })

  test('is taken up account by account, in the order in which each brought it', async () => {
    const inTurn = createShares({ overall: 1, each: 1, patienceMs: 60_000 })
    const { begin, underWay, finish } = works()
    const order: string[] = []
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void inTurn(name[0] ?? '', begin(name))
    while (underWay().length > 0) {
      const [name = ''] = underWay()
      order.push(name)
      await finish(name)
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  test('leaves its place however it ends, and ends with its own result', async () => {
    const inTurn = createShares({ overall: 1, each: 1, patienceMs: 60_000 })
    const failure = new Error('refused')
    const failed = inTurn('a', () => Promise.reject(failure))
    const thrown = inTurn('a', () => {
      throw failure
    })
    const done = inTurn('a', async () => 'done')
    expect(await failed.catch((error) => error)).toBe(failure)
    expect(await thrown.catch((error) => error)).toBe(failure)
    expect(await done).toBe('done')
  })

  test('is refused as overloaded where its turn does not come in time, and the turns of others go on', async () => {
    const inTurn = createShares({ overall: 2, each: 1, patienceMs: 20 })
    const { begin, underWay, finish } = works()
    const first = inTurn('a', begin('a1'))
    const late = inTurn('a', begin('a2'))
    const refusal = { reason: 'overloaded', retryAfterSeconds: 2 }
    expect(await late.catch((error) => error)).toMatchObject(refusal)
    void inTurn('b', begin('b1'))
    expect(underWay()).toEqual(['a1', 'b1'])
    await finish('a1')
    expect(await first).toBe('a1')
    void inTurn('a', begin('a3'))
    expect(underWay()).toEqual(['b1', 'a3'])
  })

  test('waits as long as it says, where it says so', async () => {
    const inTurn = createShares({ overall: 1, each: 1, patienceMs: 20 })
    const { begin, underWay, finish } = works()
    void inTurn('a', begin('a1'))
    void inTurn('a', begin('a2'), 60_000)
    await inTurn('a', begin('a3')).catch(() => {})
    await finish('a1')
    expect(underWay()).toEqual(['a2'])
  })
})
