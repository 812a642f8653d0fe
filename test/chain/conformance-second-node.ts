import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Transfer } from '../../src/chain/chain.ts'
import { createSecondNode } from '../../src/chain/rpc/second-node.ts'
import { denying, silence as never } from '../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import type { Subject } from './subject.ts'

/** The tests of what a second node says about payments that another has shown. */
export function asksASecondNode(start: () => Promise<Subject>): void {
  let subject: Subject
  let paid: Transfer
  let relays: readonly [RpcRelay, RpcRelay]
  let waitedMs: number
  let errors: object[]

  beforeAll(async () => {
    subject = await start()
    const from = (await subject.chain.head()).number + 1
    await subject.pay({ to: subject.ours[0], usdcBase: 5n })
    await subject.mine(2)
    const range = { from, to: (await subject.chain.head()).number }
    const { transfers } = await subject.chain.transfers(range, subject.ours)
    paid = transfers[0] as Transfer
  })
  afterAll(() => subject?.stop())
  beforeEach(() => {
    relays = [startRpcRelay(subject.nodeUrl), startRpcRelay(subject.nodeUrl)]
    waitedMs = 0
    errors = []
  })
  afterEach(async () => {
    for (const relay of relays) await relay.stop()
  })

  function secondNode(urls: readonly string[] = relays.map(({ url }) => url)) {
    const chain = subject.chainAt(urls, { fetchTimeoutMs: 1_500 })
    const log = { warn: () => {}, error: (line: object) => errors.push(line) }
    return createSecondNode({ chain, steadyMs: () => performance.now() + waitedMs, log })
  }

  async function verdict(node = secondNode(), payment: Transfer = paid) {
    return (await node.look([payment])).get(payment)
  }

  describe('a payment', () => {
    test('is shown where both nodes show it, by a few requests', async () => {
      expect(await verdict()).toBe('shown')
      for (const { requests } of relays) expect(requests.length).toBeLessThan(6)
    })

    test('is shown by one node alone, asked for or not, and by one that is named twice', async () => {
      const { url } = relays[0]
      expect(await verdict(secondNode([url]))).toBe('shown')
      expect(await verdict(secondNode([url, `${url.slice(0, -1)}`]))).toBe('shown')
      expect(relays[0].requests).toEqual([])
    })

    test.each([0, 1] as const)(
      'waits for node %i while it is silent, two minutes at most',
      async (at) => {
        relays[at].misbehave(never())
        const node = secondNode()
        expect(await verdict(node)).toBe('waiting')
        waitedMs += 110_000
        expect([await verdict(node), node.notes()]).toEqual(['waiting', []])
        waitedMs += 11_000
        expect(await verdict(node)).toBe('shown')
        expect(node.notes()).toEqual([expect.stringContaining('does not answer')])
        // Another payment does not wait anew.
        expect(await verdict(node, { ...paid })).toBe('shown')
      },
    )

    test('that one node does not show is contradicted, whichever is first, for ever', async () => {
      for (const relay of relays) {
        relay.misbehave(denying(paid.txHash))
        const node = secondNode()
        expect(await verdict(node)).toBe('contradicted')
        waitedMs += 300_000
        expect(await verdict(node)).toBe('contradicted')
        expect(node.notes()).toEqual([expect.stringContaining(paid.txHash)])
        expect(errors.splice(0)).toEqual([expect.objectContaining({ txHash: paid.txHash })])
        relay.behave()
        expect([await verdict(node), node.notes()]).toEqual(['shown', []])
      }
    })

    test('that one node denies is not outvoted by the silence of another, nor held where two show it', async () => {
      const third = startRpcRelay(subject.nodeUrl)
      relays[0].misbehave(denying(paid.txHash))
      third.misbehave(never())
      const node = secondNode([...relays.map(({ url }) => url), third.url])
      await verdict(node)
      waitedMs += 121_000
      expect(await verdict(node)).toBe('contradicted')
      third.behave()
      const anew = secondNode([...relays.map(({ url }) => url), third.url])
      expect(await verdict(anew)).toBe('shown')
      await third.stop()
    })

    test('that no node shows is gone', async () => {
      for (const relay of relays) relay.misbehave(denying(paid.txHash))
      expect(await verdict()).toBe('gone')
    })

    test.each<[string, (one: Transfer) => Partial<Transfer>]>([
      ['amount', ({ usdcBase }) => ({ usdcBase: usdcBase + 1n })],
      ['sender', () => ({ from: subject.stranger })],
      ['place', ({ position }) => ({ position: position + 7 })],
      ['block', ({ blockHash }) => ({ blockHash: `${blockHash}0` })],
    ])('with another %s than the nodes show is gone', async (_, change) => {
      expect(await verdict(secondNode(), { ...paid, ...change(paid) })).toBe('gone')
    })

    test('is judged alone: another in the same question is not held with it', async () => {
      const other = { ...paid, usdcBase: paid.usdcBase + 1n }
      const verdicts = await secondNode().look([other, paid])
      expect([verdicts.get(other), verdicts.get(paid)]).toEqual(['gone', 'shown'])
    })
  })
}
