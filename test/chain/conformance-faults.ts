import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { Answer, Chain, Transfer } from '../../src/chain/chain.ts'
import { behindAt } from '../support/lagging-node.ts'
import { providerWords } from '../support/provider-words.ts'
import {
  brokenConnection,
  endlessAnswer,
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

const identity = /^(eth_chainId|getGenesisHash)$/
const logs = /^(eth_getLogs|getSignaturesForAddress)$/
const page = '<html><body><h1>Attention required!</h1></body></html>'

/** What can go wrong with a node, and the fault it must be reported as. */
const troubles = [
  ['unreachable', 'an HTTP 502', saying('bad gateway', { status: 502 })],
  ['unreachable', 'an HTTP 503 with a page', saying(page, { status: 503 })],
  ['unreachable', 'a connection that breaks within the answer', brokenConnection()],
  ['unreachable', 'an answer without end (O5)', endlessAnswer()],
  ['rate_limited', 'an HTTP 429 without a text', saying('', { status: 429 })],
  [
    'rate_limited',
    'an HTTP 429 with retry-after',
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

/** The tests of an adapter whose nodes fail, lie or lag. */
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

  /** From now on another chain's node answers at the relay's URL. */
  function leadElsewhere(): void {
    relay.edit((answer, method) => (identity.test(method) ? { ...answer, result: '0x89' } : answer))
  }

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
      '(%s) loses nothing where another node answers: %s',
      async (_, __, trouble) => {
        relay.misbehave(trouble)
        const both = subject.chainAt([relay.url, subject.nodeUrl])
        expect(await read(both)).toEqual(truth)
      },
    )

    test('is unreachable when it is silent, and loses nothing where another node answers', async () => {
      relay.misbehave(silence())
      const options = { fetchTimeoutMs: 1_500 }
      expect(await faultOf(read(subject.chainAt([relay.url], options)))).toBe('unreachable')
      const both = subject.chainAt([relay.url, subject.nodeUrl], options)
      expect(await read(both)).toEqual(truth)
    })

    test.each([
      ['a request that timed out', -32002, 'request timed out', 200],
      ['a request that timed out at its gateway', -32603, 'upstream request timeout', 504],
      ['a daily limit', -32000, 'daily limit exceeded', 200],
      ['a limit', -32005, 'limit exceeded', 200],
      ['the limit of a plan', -32005, 'Usage limit exceeded', 402],
      ['a missing key', -32600, 'Must be authenticated!', 401],
    ])(
      'and refuses for %s is reported and rests, while another node answers',
      async (_, code, message, status) => {
        const reports: (string | null)[] = []
        const onNode = ({ fault }: { fault: string | null }) => reports.push(fault)
        const both = subject.chainAt([relay.url, subject.nodeUrl], { onNode })
        relay.misbehave(refusal(code, message, { status }))
        expect(await both.head()).toEqual(await subject.chain.head())
        const asked = relay.requests.length
        expect(await read(both)).toEqual(truth)
        expect(relay.requests).toHaveLength(asked)
        expect(reports).toHaveLength(1)
      },
    )

    test('with its logs alone is reported once, although it answers heads, and rests ever longer', async () => {
      const reports: (string | null)[] = []
      const both = subject.chainAt([relay.url, subject.nodeUrl], {
        onNode: ({ fault }) => reports.push(fault),
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
      expect(reports).toEqual(['unreachable'])
      expect(looks.filter(Boolean).length).toBeWithin(3, 6)
      relay.behave()
      aheadMs += 15_000
      await read(both)
      expect(reports).toEqual(['unreachable', null])
    })

    test('that names a time is not asked before it', async () => {
      relay.misbehave(saying('', { status: 429, headers: { 'retry-after': '30' } }), 1)
      expect(await faultOf(read())).toBe('rate_limited')
      const asked = relay.requests.length
      expect(await faultOf(read())).toBe('rate_limited')
      expect(relay.requests).toHaveLength(asked)
    })

    test('loses nothing while its port is closed', async () => {
      await relay.stop()
      expect(await read(subject.chainAt([relay.url, subject.nodeUrl]))).toEqual(truth)
    })

    test('has its fault reported where all nodes fail and it is the first', async () => {
      relay.misbehave(refusal(429, 'too many requests'))
      const both = subject.chainAt([relay.url, 'http://127.0.0.1:1'])
      expect(await faultOf(read(both))).toBe('rate_limited')
    })

    test('that refuses a range is the only one asked: the next might list less', async () => {
      relay.misbehave(refusal(-32005, 'query returned more than 10000 results'))
      const both = subject.chainAt([relay.url, subject.nodeUrl])
      expect(await faultOf(read(both))).toBe('range_refused')
    })
  })

  describe('a provider that takes only short batches', () => {
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
    ] as const)('%s does, is read', async (_, most, refuse) => {
      relay.misbehave(refusingBatches(most, refuse))
      expect(await read()).toEqual(truth)
      const before = relay.requests.length
      expect(await read()).toEqual(truth)
      expect(relay.requests.slice(before).every((calls) => calls.length <= most)).toBe(true)
    })
  })

  describe('what is not proven', () => {
    test('a node of another chain is refused, at first and after a failure', async () => {
      leadElsewhere()
      expect(await faultOf(read())).toBe('wrong_chain')
      relay.behave()
      const settled = subject.chainAt([relay.url])
      expect(await read(settled)).toEqual(truth)
      relay.misbehave(saying('', { status: 502 }), 1)
      expect(await faultOf(read(settled))).toBe('unreachable')
      leadElsewhere()
      expect(await faultOf(read(settled))).toBe('wrong_chain')
      relay.behave()
      expect(await read(settled)).toEqual(truth)
      relay.misbehave(refusal(-32011, 'no backend is currently healthy', { status: 503 }), 1)
      expect(await faultOf(read(settled))).toBe('unreachable')
      leadElsewhere()
      expect(await faultOf(read(settled))).toBe('wrong_chain')
    })

    test('a node of another chain is refused without a failure: its head, its finality, a block of another hash', async () => {
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
      leadElsewhere()
      expect(await faultOf(chain.head())).toBe('wrong_chain')
      relay.behave()
      await chain.head()
      leadElsewhere()
      expect(await faultOf(chain.finalizedNumber())).toBe('wrong_chain')
      relay.behave()
      await chain.head()
      leadElsewhere()
      expect((await chain.block(number, hash))?.hash).toBe(hash)
      expect(await faultOf(chain.block(number, 'another'))).toBe('wrong_chain')
    })

    test('a range past the head of a lagging node is lagging, never short', async () => {
      const newest = truth.transfers[1]?.blockNumber ?? 0
      relay.misbehave(behindAt(newest))
      expect((await chain.head()).number).toBe(newest)
      expect(await faultOf(read())).toBe('lagging')
      const known = await chain.transfers({ from: range.from, to: newest }, subject.ours)
      expect(known.transfers).toEqual(truth.transfers.slice(0, 2))
    })

    test('a node that stands still is reported once, its head is accepted, and it recovers when it goes on', async () => {
      const reports: (string | null)[] = []
      const alone = subject.chainAt([relay.url], { onNode: ({ fault }) => reports.push(fault) })
      const newest = truth.transfers[1]?.blockNumber ?? 0
      relay.misbehave(behindAt(newest))
      await alone.head()
      const now = performance.now.bind(performance)
      using _ = spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
      for (let poll = 0; poll < 3; poll++) expect((await alone.head()).number).toBe(newest)
      expect(reports).toEqual(['lagging'])
      relay.behave()
      await alone.head()
      expect(reports).toEqual(['lagging', null])
    })

    test('a lagging node loses nothing where another node has what it lacks', async () => {
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

    test('transfers that one node leaves out are found in the turn of another, although it lags', async () => {
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

    test('a node that leaves out a recorded transfer is refused, unless its block is gone', async () => {
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
