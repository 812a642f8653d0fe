import { describe, expect, test } from 'bun:test'
import { createHeadCheck } from '../../../src/chain/rpc/newest-head.ts'
import type { NamedNode } from '../../../src/chain/rpc/proven.ts'

function check(told: string[] = []) {
  let nowMs = 0
  const isHead = createHeadCheck(
    () => nowMs,
    ({ host, fault }) => told.push(`${nowMs} ${host} ${fault}`),
  )
  return (atMs: number, headBlock: number, node = one) => {
    nowMs = atMs
    return isHead(node, headBlock)
  }
}

function neverAsked(): never {
  throw new Error('a head check asks nothing')
}
const one: NamedNode = {
  host: 'one',
  read: neverAsked,
  recheckChain: neverAsked,
  mostCalls: neverAsked,
}
const other: NamedNode = {
  host: 'other',
  read: neverAsked,
  recheckChain: neverAsked,
  mostCalls: neverAsked,
}

describe('a head is let through', () => {
  test('that is the first, that goes on, and that stands for a minute', () => {
    const headAt = check()
    expect([headAt(0, 7), headAt(1, 8), headAt(60_001, 8)]).toEqual([7, 8, 8])
  })

  test('that goes on after it had stood', () => {
    const headAt = check()
    headAt(0, 7)
    expect(() => headAt(60_001, 7)).toThrow('has stood at block 7')
    expect(headAt(60_002, 8)).toBe(8)
    expect(headAt(120_002, 8)).toBe(8)
  })
})

describe('a head that nobody else has seen is forgotten', () => {
  test('after a minute in which all were behind it, and none of them is reported', () => {
    const told: string[] = []
    const headAt = check(told)
    headAt(0, 300)
    for (let atMs = 2_000; atMs <= 60_000; atMs += 2_000) {
      expect(() => headAt(atMs, 10 + atMs / 2_000)).toThrow('of 300')
      expect(() => headAt(atMs, 9 + atMs / 2_000, other)).toThrow('of 300')
    }
    expect(headAt(62_000, 41)).toBe(41)
    expect(() => headAt(62_000, 40, other)).toThrow('at block 40 of 41')
    expect(headAt(64_000, 42, other)).toBe(42)
    expect(told).toEqual([])
  })

  test('not as long as one of them is there', () => {
    const headAt = check()
    for (let atMs = 0; atMs <= 200_000; atMs += 2_000) {
      headAt(atMs, 300 + atMs, other)
      expect(() => headAt(atMs, 10 + atMs)).toThrow('of')
    }
  })
})

describe('a head is refused as lagging', () => {
  test('that has stood for more than a minute', () => {
    const headAt = check()
    headAt(0, 7)
    expect(() => headAt(60_001, 7)).toThrow(expect.objectContaining({ fault: 'lagging' }))
  })

  test('that is behind what was told before', () => {
    const headAt = check()
    headAt(0, 7)
    expect(() => headAt(1, 6)).toThrow('at block 6 of 7')
  })
})

describe('a node is reported as lagging', () => {
  test('once when it stands still, and as well again once it goes on', () => {
    const told: string[] = []
    const headAt = check(told)
    headAt(0, 7)
    headAt(60_000, 7)
    for (const atMs of [60_001, 62_000, 90_000]) expect(() => headAt(atMs, 7)).toThrow()
    headAt(95_000, 8)
    headAt(97_000, 9)
    expect(told).toEqual(['60001 one lagging', '95000 one null'])
  })

  test('once it has been behind another in every answer for a minute, not before', () => {
    const told: string[] = []
    const headAt = check(told)
    for (let atMs = 0; atMs <= 120_000; atMs += 2_000) {
      headAt(atMs, 10 + atMs, other)
      // At half a minute it has caught up, and then falls behind again.
      if (atMs === 30_000) headAt(atMs, 10 + atMs)
      else expect(() => headAt(atMs, 9)).toThrow('of')
    }
    expect(told).toEqual(['92000 one lagging'])
  })

  test('not when it is asked now and then and is behind each time, as a backup may be for a block', () => {
    const told: string[] = []
    const headAt = check(told)
    for (let atMs = 0; atMs <= 3_600_000; atMs += 2_000) {
      headAt(atMs, 10 + atMs, other)
      if (atMs % 600_000 === 0) expect(() => headAt(atMs, 9 + atMs)).toThrow('of')
    }
    expect(told).toEqual([])
  })
})
