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
  startingAt,
} from '../../../src/chain/rpc/health.ts'

const away = new ChainError('unreachable', 'gone')
const limited = new ChainError('rate_limited', 'slow down')
const kind = 'logs'

/**
 * The health of a node after `times` failures, each at the moment the rest after the one before
 * ends.
 */
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

  test('a quarter more or less by chance, so that those who failed together come back apart', () => {
    expect([restOf(1, 0), restOf(1, 1)]).toEqual([750, 1_250])
  })

  test.each([
    [30, 30_000],
    [0, 1_000],
    [86_400, 60_000],
  ])('as long as it says, within reason: %i s', (seconds, restMs) => {
    const told = new ChainError('rate_limited', 'slow down', seconds * 1_000)
    expect(failing(1, told).restsUntilMs).toBe(restMs)
  })

  test('once for all questions that were under way when it failed', () => {
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

describe('a node that failed is well again', () => {
  test('once it answers what it failed at, not when it answers something else', () => {
    const failed = failing(3)
    expect(afterAnswer(failed, 'head', failed.restsUntilMs)).toBe(failed)
    expect(afterAnswer(failed, kind, failed.restsUntilMs)).toBe(healthy)
  })

  test('once it has not failed for a minute after its rest, whatever it answers', () => {
    const failed = failing(3)
    expect(afterAnswer(failed, 'head', failed.restsUntilMs + 60_000)).toBe(failed)
    expect(afterAnswer(failed, 'head', failed.restsUntilMs + 60_001)).toBe(healthy)
  })
})

describe('what is asked', () => {
  const node = (name: string, health: Health = healthy) => ({ name, health })
  const order = (nodes: readonly { name: string; health: Health }[], nowMs: number) =>
    healthiestFirst(nodes, nowMs).map(({ name }) => name)

  test('is asked of those that are well, as configured, then of those that rest', () => {
    const nodes = [node('long', failing(3)), node('one'), node('short', failing(1)), node('two')]
    expect(order(nodes, 500)).toEqual(['one', 'two', 'short', 'long'])
  })

  test('goes to the preferred one again once it has rested', () => {
    const nodes = [node('preferred', failing(1)), node('other')]
    expect(order(nodes, 999)).toEqual(['other', 'preferred'])
    expect(order(nodes, 1_000)).toEqual(['preferred', 'other'])
  })

  test('is never asked of one that limits our rate before its time', () => {
    const nodes = [node('limited', failing(1, limited))]
    expect(order(nodes, 999)).toEqual([])
    expect(order(nodes, 1_000)).toEqual(['limited'])
  })
})

describe('what is asked of each node in turn', () => {
  const order = (turn: number, ...nodes: readonly Health[]) =>
    startingAt(
      nodes.map((health, at) => ({ name: at + 1, health })),
      turn,
    ).map(({ name }) => name)

  test('begins with the one whose turn it is', () => {
    const turns = [0, 1, 2, 3].map((turn) => order(turn, healthy, healthy, healthy))
    expect(turns).toEqual([
      [1, 2, 3],
      [2, 3, 1],
      [3, 1, 2],
      [1, 2, 3],
    ])
  })

  test('begins the less often with one that fails the more often it has failed, yet ever again', () => {
    const begunWith = (times: number) =>
      Array.from({ length: 16 }, (_, round) => round).filter(
        (round) => order(2 * round + 1, healthy, failing(times))[0] === 2,
      )
    expect([0, 1, 2, 3, 9].map((times) => begunWith(times).length)).toEqual([16, 8, 4, 2, 2])
    expect(order(4, healthy, failing(1), healthy)).toEqual([3, 1, 2])
  })
})

test.each([
  ['unreachable', true],
  ['rate_limited', true],
  ['wrong_chain', true],
  ['invalid_answer', true],
  ['lagging', false],
  ['range_refused', false],
] as const)('%s tells against the node: %p', (fault, expected) => {
  expect(isNodeFault(new ChainError(fault, 'words'))).toBe(expected)
})

describe('what a node says in so many words tells', () => {
  const said = (code: number, message: string, status = 200) =>
    isNodeFault(new NodeError(code, message, new Response(null, { status }), { isOfRange: false }))

  test.each([
    [3, 'execution reverted', 200],
    [-32601, 'the method eth_getLogs does not exist/is not available', 400],
    [-32701, 'Archive requests require a personal token', 403],
    [-32602, 'query returned more than 10000 results', 200],
    [-32000, 'block gas limit exceeded', 200],
  ])('against the question: %i %s, HTTP %i', (code, message, status) => {
    expect(said(code, message, status)).toBe(false)
  })

  test.each([
    [-32600, 'Must be authenticated!', 401],
    [-32005, 'Usage limit exceeded', 402],
    [-32002, 'This API key is inactive', 403],
    [-32002, 'request timed out', 200],
    [-32603, 'upstream request timeout', 504],
    [-32000, 'daily limit exceeded', 200],
  ])('against the node: %i %s, HTTP %i', (code, message, status) => {
    expect(said(code, message, status)).toBe(true)
  })
})
