import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Transfer } from '../../src/chain/chain.ts'
import { faultOf, newReference, type Subject } from './subject.ts'

/**
 * The conformance tests of `chain.ts`, for any adapter. `ways` lists the keys of the subject's
 * `ways`.
 */
export function keepsThePromise(ways: readonly string[], start: () => Promise<Subject>): void {
  let subject: Subject
  beforeAll(async () => {
    subject = await start()
  })
  afterAll(() => subject?.stop())

  describe('what is found', () => {
    test('each transfer to our addresses appears exactly once, in chain order, as it was made', async () => {
      const { chain, ours, payer } = subject
      const from = await nextBlock()
      const paid = []
      for (const [to, usdcBase] of [
        [ours[1], 2n],
        [ours[0], 1n],
        [ours[1], 2n],
        [ours[2], 9_007_199_254_740_993n],
      ] as const) {
        paid.push({ txHash: await subject.pay({ to, usdcBase }), to, usdcBase, from: payer })
      }
      const { transfers } = await chain.transfers({ from, to: await head() }, ours)
      expect(
        transfers.map(({ txHash, to, usdcBase, from }) => ({ txHash, to, usdcBase, from })),
      ).toEqual(paid)
      expect(transfers).toEqual(transfers.toSorted(inChainOrder))
      for (const transfer of transfers) {
        expect(transfer.chain).toBe(chain.network)
        expect(transfer.blockHash).toBe((await chain.block(transfer.blockNumber))?.hash ?? '')
        expect(Math.abs(transfer.blockTimeMs - Date.now())).toBeLessThan(600_000)
      }
    })

    test('neighbouring ranges never lose or repeat a transfer', async () => {
      const { chain, ours } = subject
      const from = await nextBlock()
      for (const to of ours) await subject.pay({ to, usdcBase: 5n })
      const to = await head()
      const whole = await chain.transfers({ from, to }, ours)
      const parts: Transfer[] = []
      for (let block = from; block <= to; block++) {
        parts.push(...(await chain.transfers({ from: block, to: block }, ours)).transfers)
      }
      expect(whole.transfers).toHaveLength(3)
      expect(parts).toEqual([...whole.transfers])
    })

    test('a transfer to another address never appears', async () => {
      const { chain, ours, stranger } = subject
      const from = await nextBlock()
      await subject.pay({ to: stranger, usdcBase: 7n })
      const { transfers } = await chain.transfers({ from, to: await head() }, ours)
      expect(transfers).toEqual([])
    })

    test('a transfer of nothing, a failed one or one of another token never appears', async () => {
      const { chain, ours } = subject
      const from = await nextBlock()
      await subject.makeNoise(ours[0])
      const { transfers } = await chain.transfers({ from, to: await head() }, ours)
      expect(transfers).toEqual([])
    })

    test('of named senders only what they have sent appears', async () => {
      const { chain, ours, payer, stranger } = subject
      const from = await nextBlock()
      const txHash = await subject.pay({ to: ours[0], usdcBase: 11n })
      const range = { from, to: await head() }
      const by = async (senders: readonly string[]) =>
        (await chain.transfers(range, ours, { senders })).transfers.map((sent) => sent.txHash)
      expect(await by([payer, stranger])).toEqual([txHash])
      expect(await by([stranger])).toEqual([])
    })

    test('asking for no address never answers the transfers of all', async () => {
      const { chain, ours } = subject
      const from = await nextBlock()
      await subject.pay({ to: ours[0], usdcBase: 3n })
      const to = await head()
      const answer = await chain.transfers({ from, to }, [])
      expect(answer.transfers).toEqual([])
      expect(answer.last.hash).toBe((await chain.block(to))?.hash ?? '')
    })
  })

  describe('references', () => {
    test.each([...ways])('the reference given by %s comes back with its transfer', async (way) => {
      const { chain, ours } = subject
      const from = await nextBlock()
      const reference = newReference()
      const payment = { to: ours[0], usdcBase: 11n, reference }
      const txHash = await subject.ways[way]?.(payment)
      const { transfers } = await chain.transfers({ from, to: await head() }, ours)
      expect(
        transfers.map(({ txHash, references, memos = [] }) => [txHash, [...references, ...memos]]),
      ).toEqual([[txHash ?? '', [reference]]])
    })

    test('a payment without a reference has none', async () => {
      const { chain, ours } = subject
      const from = await nextBlock()
      await subject.pay({ to: ours[0], usdcBase: 11n })
      const { transfers } = await chain.transfers({ from, to: await head() }, ours)
      expect(transfers.map(({ references }) => references)).toEqual([[]])
    })
  })

  describe('what is refused', () => {
    test('a range that ends past the head is lagging, never an empty answer', async () => {
      const { chain, ours } = subject
      const to = (await head()) + 5
      expect(await faultOf(chain.transfers({ from: to - 5, to }, ours))).toBe('lagging')
      expect(await chain.block(to)).toBe(null)
    })

    test('a node of another chain is never listened to', async () => {
      const { misdirected, ours } = subject
      const to = await head()
      expect(await faultOf(misdirected.head())).toBe('wrong_chain')
      expect(await faultOf(misdirected.transfers({ from: to, to }, ours))).toBe('wrong_chain')
    })
  })

  describe('time passing', () => {
    test('the head moves on and what is final follows it, never ahead', async () => {
      const { chain } = subject
      const before = await chain.head()
      await subject.mine(4)
      const after = await chain.head()
      const final = await chain.finalizedNumber()
      expect(after.number).toBe(before.number + 4)
      expect(after.hash).not.toBe(before.hash)
      if (final !== null) expect(final).toBeWithin(before.number, after.number + 1)
    })

    test('after a reorganisation the block has another hash and its transfer is gone', async () => {
      const { chain, ours, reorg } = subject
      if (!reorg) return
      const from = await nextBlock()
      await subject.pay({ to: ours[0], usdcBase: 13n })
      const range = { from, to: await head() }
      const before = await chain.transfers(range, ours)
      await reorg(range.to - from + 1)
      const after = await chain.transfers(range, ours)
      expect(before.transfers).toHaveLength(1)
      expect(after.transfers).toEqual([])
      expect(after.last.number).toBe(before.last.number)
      expect(after.last.hash).not.toBe(before.last.hash)
    })
  })

  async function head(): Promise<number> {
    return (await subject.chain.head()).number
  }

  async function nextBlock(): Promise<number> {
    return (await head()) + 1
  }
}

function inChainOrder(a: Transfer, b: Transfer): number {
  return a.blockNumber - b.blockNumber || a.position - b.position
}
