import { describe, expect, test } from 'bun:test'
import { ChainError } from '../../../src/chain/chain.ts'
import { NodeError } from '../../../src/chain/rpc/fault.ts'
import {
  afterAnswer,
  afterFailure,
  type Health,
  healthiestFirst,
  healthy,
  isNodeFault,
} from '../../../src/chain/rpc/health.ts'

const away = new ChainError('unreachable', 'gone')
const limited = new ChainError('rate_limited', 'slow down')
const kind = 'logs'

/** The health after `times` failures, each at the end of the rest before. */
function failing(times: number, error = away, random = 0.5): Health {
  let health = healthy
  for (let n = 0; n < times; n++) {
    const nowMs = health.restsUntilMs
    health = afterFailure(health, error, { kind, askedAtMs: nowMs, nowMs, random })
  }
  return health
}

const restOf = (times: number, random?: number) =>
  failing(times, away, random).restsUntilMs - failing(times - 1, away, random).restsUntilMs

describe('a node rests', () => {
  test('twice as long after each failure in a row, up to a quarter of a minute', () => {
    expect([1, 2, 3, 4, 5, 6].map((times) => restOf(times))).toEqual([
      1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
    ])
  })

  test('a quarter more or less by chance, so nodes that failed together return apart', () => {
    expect([restOf(1, 0), restOf(1, 1)]).toEqual([750, 1_250])
  })

  test.each([
    [30, 30_000],
    [0, 1_000],
    [86_400, 60_000],
  ])('as long as it says, within reason: %i s', (seconds, restMs) => {
    const limitedFor = new ChainError('rate_limited', 'slow down', seconds * 1_000)
    expect(failing(1, limitedFor).restsUntilMs).toBe(restMs)
  })

  test('once for all requests that were under way when it failed', () => {
    const first = failing(1)
    const again = {
      kind,
      askedAtMs: first.restsUntilMs - 1,
      nowMs: first.restsUntilMs,
      random: 0.5,
    }
    expect(afterFailure(first, away, again)).toBe(first)
  })
})

describe('a node that failed is healthy again', () => {
  test('once it answers the kind of request it failed at, not another', () => {
    const failed = failing(3)
    expect(afterAnswer(failed, 'head', failed.restsUntilMs)).toBe(failed)
    expect(afterAnswer(failed, kind, failed.restsUntilMs)).toBe(healthy)
  })

  test('after a minute without a failure, whatever it answers', () => {
    const failed = failing(3)
    expect(afterAnswer(failed, 'head', failed.restsUntilMs + 60_000)).toBe(failed)
    expect(afterAnswer(failed, 'head', failed.restsUntilMs + 60_001)).toBe(healthy)
  })
})

describe('the order of nodes', () => {
  const node = (name: string, health: Health = healthy) => ({ name, health })
  const order = (nodes: readonly { name: string; health: Health }[], nowMs: number) =>
    healthiestFirst(nodes, nowMs).map(({ name }) => name)

  test('is the configured order of healthy nodes, then those that rest, shortest first', () => {
    const nodes = [node('long', failing(3)), node('one'), node('short', failing(1)), node('two')]
    expect(order(nodes, 500)).toEqual(['one', 'two', 'short', 'long'])
  })

  test('starts with the preferred node again once it has rested', () => {
    const nodes = [node('preferred', failing(1)), node('other')]
    expect(order(nodes, 999)).toEqual(['other', 'preferred'])
    expect(order(nodes, 1_000)).toEqual(['preferred', 'other'])
  })

  test('leaves out a node that limits our rate until its time', () => {
    const nodes = [node('limited', failing(1, limited))]
    expect(order(nodes, 999)).toEqual([])
    expect(order(nodes, 1_000)).toEqual(['limited'])
  })
})

test.each([
  ['unreachable', true],
  ['rate_limited', true],
  ['wrong_chain', true],
  ['invalid_answer', true],
  ['lagging', false],
  ['range_refused', false],
] as const)('%s is a fault of the node: %p', (fault, expected) => {
  expect(isNodeFault(new ChainError(fault, 'words'))).toBe(expected)
})

describe('a refusal', () => {
  const said = (code: number, message: string, status = 200) =>
    isNodeFault(new NodeError(code, message, new Response(null, { status }), { isOfRange: false }))

  test.each([
    [3, 'execution reverted', 200],
    [-32601, 'the method eth_getLogs does not exist/is not available', 400],
    [-32701, 'Archive requests require a personal token', 403],
    [-32602, 'query returned more than 10000 results', 200],
    [-32000, 'block gas limit exceeded', 200],
  ])('concerns the request: %i %s, HTTP %i', (code, message, status) => {
    expect(said(code, message, status)).toBe(false)
  })

  test.each([
    [-32600, 'Must be authenticated!', 401],
    [-32005, 'Usage limit exceeded', 402],
    [-32002, 'This API key is inactive', 403],
    [-32002, 'request timed out', 200],
    [-32603, 'upstream request timeout', 504],
    [-32000, 'daily limit exceeded', 200],
  ])('is a fault of the node: %i %s, HTTP %i', (code, message, status) => {
    expect(said(code, message, status)).toBe(true)
  })
})
