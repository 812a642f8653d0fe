import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { Answer, Chain, Transfer } from '../../src/chain/chain.ts'
import { behindAt } from '../support/lagging-node.ts'
import { providerWords } from '../support/provider-words.ts'
import {
  brokenConnection,
  findingNothing,
  gatewayRefusal,
  halfAnAnswer,
  refusal,
  refusingBatches,
  saying,
  silence,
} from '../support/rpc-faults.ts'
import { type Fault, type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { faultOf, type Subject } from './subject.ts'

const page = '<html><body><h1>Attention required!</h1></body></html>'

/** What can go wrong with a node, and the fault it must be reported as. */
const troubles = [
  ['unreachable', 'an HTTP 502', saying('bad gateway', { status: 502 })],
  ['unreachable', 'an HTTP 503 with a page', saying(page, { status: 503 })],
  ['unreachable', 'a connection that breaks within the answer', brokenConnection()],
  ['rate_limited', 'an HTTP 429 without a word', saying('', { status: 429 })],
  [
    'rate_limited',
    'an HTTP 429 that says until when',
    saying('slow down', { status: 429, headers: { 'retry-after': '30' } }),
  ],
  ['rate_limited', '-32005 with HTTP 200', refusal(-32005, 'rate limit exceeded')],
  ['rate_limited', 'one refusal for the whole list', gatewayRefusal(429, 'Too many requests')],
  ['invalid_answer', 'half an answer', halfAnAnswer()],
  ['invalid_answer', 'an empty body', saying('')],
  ['invalid_answer', 'a page', saying(page)],
  ['invalid_answer', 'no list', saying('"no"')],
  ['invalid_answer', 'a list of nothing', saying('[]')],
  ['invalid_answer', 'a list of nulls', saying('[null, null, null]')],
] as const satisfies readonly (readonly [string, string, Fault])[]

/**
 * The tests of an adapter whose nodes fail, lie or lag. They are part of the contract of
 * `chain.ts`.
 */
export function standsItsNodes(start: () => Promise<Subject>): void {
  let subject: Subject
  let relay: RpcRelay
  let chain: Chain
  let range: { from: number; to: number }
  let truth: Answer

  beforeAll(async () => {
    subject = await start()
    const from = (await subject.chain.head()).number + 1
    for (const to of subject.ours) await subject.pay({ to, usdcBase: 5n })
    range = { from, to: (await subject.chain.head()).number }
    truth = await subject.chain.transfers(range, subject.ours)
  })
  beforeEach(() => {
    relay = startRpcRelay(subject.nodeUrl)
    chain = subject.chainAt([relay.url])
  })
  afterEach(() => relay.stop())
  afterAll(() => subject?.stop())

  const read = (from: Chain = chain) => from.transfers(range, subject.ours)

  describe('the words of a refusal are understood', () => {
    test.each(
      providerWords.map(({ by, fault, message, ...row }) => [fault, by, message, row] as const),
    )('%s, as %s has it: %s', async (fault, _, message, { code, status }) => {
      relay.misbehave(refusal(code, message, { status }))
      expect(await faultOf(read())).toBe(fault)
    })
  })

  describe('a node in trouble', () => {
    test.each(troubles)('is %s after %s', async (fault, _, trouble) => {
      relay.misbehave(trouble)
      expect(await faultOf(read())).toBe(fault)
      expect(await faultOf(chain.head())).toBe(fault)
    })

    test.each(troubles)(
      '(%s) loses nothing where another one answers: %s',
      async (_, __, trouble) => {
        relay.misbehave(trouble)
        const both = subject.chainAt([relay.url, subject.nodeUrl])
        expect(await read(both)).toEqual(truth)
      },
    )

    test('is unreachable when it is silent, and loses nothing where another one answers', async () => {
      relay.misbehave(silence())
      const options = { fetchTimeoutMs: 1_500 }
      expect(await faultOf(read(subject.chainAt([relay.url], options)))).toBe('unreachable')
      const both = subject.chainAt([relay.url, subject.nodeUrl], options)
      expect(await read(both)).toEqual(truth)
    })

    test.each([
      ['a request that took it too long', -32002, 'request timed out', 200],
      ['a gateway’s patience', -32603, 'upstream request timeout', 504],
      ['the day', -32000, 'daily limit exceeded', 200],
      ['anything', -32005, 'limit exceeded', 200],
      ['what is paid for', -32005, 'Usage limit exceeded', 402],
      ['strangers', -32600, 'Must be authenticated!', 401],
    ])(
      'and names the end of %s as the reason is told of, and rests, while another one tells the head',
      async (_, code, message, status) => {
        const heard: (string | null)[] = []
        const onNode = ({ fault }: { fault: string | null }) => heard.push(fault)
        const both = subject.chainAt([relay.url, subject.nodeUrl], { onNode })
        relay.misbehave(refusal(code, message, { status }))
        expect(await both.head()).toEqual(await subject.chain.head())
        const asked = relay.requests.length
        expect(await read(both)).toEqual(truth)
        expect(relay.requests).toHaveLength(asked)
        expect(heard).toHaveLength(1)
      },
    )

    test('at its logs alone is told of once, however often it tells the head, and rests ever longer', async () => {
      const logs = /^(eth_getLogs|getSignaturesForAddress)$/
      const heard: (string | null)[] = []
      const both = subject.chainAt([relay.url, subject.nodeUrl], {
        onNode: ({ fault }) => heard.push(fault),
      })
      relay.misbehave(async (request, forward) =>
        request.some(({ method }) => logs.test(method))
          ? new Response('', { status: 502 })
          : Response.json(await forward(request)),
      )
      const now = performance.now.bind(performance)
      let aheadMs = 0
      using _ = spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
      const looks: boolean[] = []
      for (let look = 0; look < 8; look++) {
        const before = relay.requests.length
        await both.head()
        expect(await read(both)).toEqual(truth)
        looks.push(
          relay.requests
            .slice(before)
            .flat()
            .some((name) => logs.test(name)),
        )
        aheadMs += 2_000
      }
      expect(heard).toEqual(['unreachable'])
      expect(looks.filter(Boolean).length).toBeWithin(3, 6)
      relay.behave()
      aheadMs += 15_000
      await read(both)
      expect(heard).toEqual(['unreachable', null])
    })

    test('that names the time it wants is not asked before', async () => {
      relay.misbehave(saying('', { status: 429, headers: { 'retry-after': '30' } }), 1)
      expect(await faultOf(read())).toBe('rate_limited')
      const asked = relay.requests.length
      expect(await faultOf(read())).toBe('rate_limited')
      expect(relay.requests).toHaveLength(asked)
    })

    test('is passed over while its port is closed', async () => {
      await relay.stop()
      expect(await read(subject.chainAt([relay.url, subject.nodeUrl]))).toEqual(truth)
    })

    test('when all fail, the fault of the preferred one is told', async () => {
      relay.misbehave(refusal(429, 'too many requests'))
      const both = subject.chainAt([relay.url, 'http://127.0.0.1:1'])
      expect(await faultOf(read(both))).toBe('rate_limited')
    })

    test('a refused range is never asked of the next URL, which might have less to say', async () => {
      relay.misbehave(refusal(-32005, 'query returned more than 10000 results'))
      const both = subject.chainAt([relay.url, subject.nodeUrl])
      expect(await faultOf(read(both))).toBe('range_refused')
    })
  })

  describe('a provider that takes only short lists of calls', () => {
    test.each([
      [
        'three, as dRPC',
        3,
        refusal(31, 'Batch of more than 3 requests are not allowed on free tier', { status: 500 }),
      ],
      [
        'none, as Helius',
        1,
        gatewayRefusal(
          -32403,
          'Batch requests are only available for paid plans. Please upgrade if you would like to gain access',
          { status: 403 },
        ),
      ],
    ] as const)('%s does, answers as any other', async (_, most, refuse) => {
      relay.misbehave(refusingBatches(most, refuse))
      expect(await read()).toEqual(truth)
      const before = relay.requests.length
      expect(await read()).toEqual(truth)
      expect(relay.requests.slice(before).every((calls) => calls.length <= most)).toBe(true)
    })
  })

  describe('nobody is believed without proof', () => {
    test('a node of another chain is never listened to, nor what takes its place later', async () => {
      const identity = /^(eth_chainId|getGenesisHash)$/
      relay.edit((answer, method) =>
        identity.test(method) ? { ...answer, result: '0x89' } : answer,
      )
      expect(await faultOf(read())).toBe('wrong_chain')
      relay.behave()
      const settled = subject.chainAt([relay.url])
      expect(await read(settled)).toEqual(truth)
      relay.misbehave(saying('', { status: 502 }), 1)
      expect(await faultOf(read(settled))).toBe('unreachable')
      relay.edit((answer, method) =>
        identity.test(method) ? { ...answer, result: '0x89' } : answer,
      )
      expect(await faultOf(read(settled))).toBe('wrong_chain')
      relay.behave()
      expect(await read(settled)).toEqual(truth)
      relay.misbehave(refusal(-32011, 'no backend is currently healthy', { status: 503 }), 1)
      expect(await faultOf(read(settled))).toBe('unreachable')
      relay.edit((answer, method) =>
        identity.test(method) ? { ...answer, result: '0x89' } : answer,
      )
      expect(await faultOf(read(settled))).toBe('wrong_chain')
    })

    test('nor a node that another chain’s has replaced without a failure: its head, its finality, a block that is not what it was', async () => {
      const identity = /^(eth_chainId|getGenesisHash)$/
      const { hash, number } = truth.last
      await read()
      const before = relay.requests.length
      await chain.head()
      expect(
        relay.requests
          .slice(before)
          .flat()
          .filter((name) => identity.test(name)),
      ).toHaveLength(1)
      relay.edit((answer, method) =>
        identity.test(method) ? { ...answer, result: '0x89' } : answer,
      )
      expect(await faultOf(chain.head())).toBe('wrong_chain')
      relay.behave()
      await chain.head()
      relay.edit((answer, method) =>
        identity.test(method) ? { ...answer, result: '0x89' } : answer,
      )
      expect(await faultOf(chain.finalizedNumber())).toBe('wrong_chain')
      relay.behave()
      await chain.head()
      relay.edit((answer, method) =>
        identity.test(method) ? { ...answer, result: '0x89' } : answer,
      )
      expect((await chain.block(number, hash))?.hash).toBe(hash)
      expect(await faultOf(chain.block(number, 'another'))).toBe('wrong_chain')
    })

    test('a lagging node has the head it has, and a range past it is lagging, never short', async () => {
      const newest = truth.transfers[1]?.blockNumber ?? 0
      relay.misbehave(behindAt(newest))
      expect((await chain.head()).number).toBe(newest)
      expect(await faultOf(read())).toBe('lagging')
      const known = await chain.transfers({ from: range.from, to: newest }, subject.ours)
      expect(known.transfers).toEqual(truth.transfers.slice(0, 2))
    })

    test('a node that stands still is reported once, its head is taken, and it is well again when it goes on', async () => {
      const heard: (string | null)[] = []
      const alone = subject.chainAt([relay.url], { onNode: ({ fault }) => heard.push(fault) })
      const newest = truth.transfers[1]?.blockNumber ?? 0
      relay.misbehave(behindAt(newest))
      await alone.head()
      const now = performance.now.bind(performance)
      using _ = spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
      for (let poll = 0; poll < 3; poll++) expect((await alone.head()).number).toBe(newest)
      expect(heard).toEqual(['lagging'])
      relay.behave()
      await alone.head()
      expect(heard).toEqual(['lagging', null])
    })

    test('a lagging node is passed over where another one has what it lacks', async () => {
      const both = subject.chainAt([relay.url, subject.nodeUrl])
      const { number } = await both.head()
      relay.misbehave(behindAt(range.from))
      expect(await read(both)).toEqual(truth)
      expect((await both.head()).number).toBe(number)
      expect((await both.block(range.to))?.hash).toBe(truth.last.hash)
    })

    test('a node that has lost the blocks of a range is lagging', async () => {
      relay.misbehave(findingNothing(['eth_getBlockByNumber', 'eth_getBlockByHash', 'getBlock']))
      expect(await faultOf(read())).toBe('lagging')
    })

    test('what one node leaves out is told by another one in its turn, though that is behind in what is newer', async () => {
      const logs = /^(eth_getLogs|getSignaturesForAddress)$/
      const other = startRpcRelay(subject.nodeUrl)
      relay.misbehave(findingNothing(['eth_getLogs', 'getSignaturesForAddress'], []))
      await subject.mine(1)
      const both = subject.chainAt([relay.url, other.url])
      await both.head()
      other.misbehave(behindAt(range.to))
      for (const [turn, transfers] of [
        [0, []],
        [1, truth.transfers],
        [2, []],
      ] as const)
        expect((await both.transfers(range, subject.ours, { turn })).transfers).toEqual(transfers)
      expect(other.requests.flat().filter((name) => logs.test(name)).length).toBePositive()
      await other.stop()
    })

    test('a node that leaves out a transfer on record is not, unless its block is gone, and another one is asked', async () => {
      const recorded = { recorded: truth.transfers }
      relay.misbehave(findingNothing(['eth_getLogs', 'getSignaturesForAddress'], []))
      expect(await faultOf(chain.transfers(range, subject.ours, recorded))).toBe('invalid_answer')
      const both = subject.chainAt([relay.url, subject.nodeUrl])
      expect(await both.transfers(range, subject.ours, recorded)).toEqual(truth)
      const moved = { recorded: truth.transfers.map((one) => ({ ...one, blockHash: 'another' })) }
      expect((await chain.transfers(range, subject.ours, moved)).transfers).toEqual([])
      const atBefore = (one: Transfer) => ({ ...one, blockNumber: range.from - 1 })
      const before = { recorded: truth.transfers.map(atBefore) }
      expect((await chain.transfers(range, subject.ours, before)).transfers).toEqual([])
    })

    test('a node that lists a transaction and does not have it is lagging', async () => {
      relay.misbehave(findingNothing(['eth_getTransactionByHash', 'getTransaction']))
      expect(await faultOf(read())).toBe('lagging')
    })
  })
}
