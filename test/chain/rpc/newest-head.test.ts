import { describe, expect, test } from 'bun:test'
import { createHeadCheck } from '../../../src/chain/rpc/newest-head.ts'
import type { NamedNode } from '../../../src/chain/rpc/proven.ts'

function check(reports: string[] = []) {
  let nowMs = 0
  const checkHead = createHeadCheck(
    () => nowMs,
    ({ host, fault }) => reports.push(`${nowMs} ${host} ${fault}`),
  )
  return (atMs: number, headBlock: number, node = one) => {
    nowMs = atMs
    return checkHead(node, headBlock)
  }
}

const [one, other] = ['one', 'other'].map((host) => ({ host }) as NamedNode) as [
  NamedNode,
  NamedNode,
]

describe('a head', () => {
  test('passes that is the first, that goes on, and that stands for up to a minute', () => {
    const headAt = check()
    expect([headAt(0, 7), headAt(1, 8), headAt(60_001, 8)]).toEqual([7, 8, 8])
  })

  test('is lagging that is behind an earlier one', () => {
    const headAt = check()
    headAt(0, 7)
    expect(() => headAt(1, 6)).toThrow('at block 6 of 7')
  })

  test('is lagging that has stood for more than a minute, until it goes on', () => {
    const headAt = check()
    headAt(0, 7)
    expect(() => headAt(60_001, 7)).toThrow(expect.objectContaining({ fault: 'lagging' }))
    expect(headAt(60_002, 8)).toBe(8)
    expect(headAt(120_002, 8)).toBe(8)
  })
})

describe('a node is reported as lagging', () => {
  test('once when it stands still, and as recovered when it goes on', () => {
    const reports: string[] = []
    const headAt = check(reports)
    headAt(0, 7)
    headAt(60_000, 7)
    for (const atMs of [60_001, 62_000, 90_000]) expect(() => headAt(atMs, 7)).toThrow()
    headAt(95_000, 8)
    headAt(97_000, 9)
    expect(reports).toEqual(['60001 one lagging', '95000 one null'])
  })

  test('once it has been behind another for a minute in every answer', () => {
    const reports: string[] = []
    const headAt = check(reports)
    for (let atMs = 0; atMs <= 120_000; atMs += 2_000) {
      headAt(atMs, 10 + atMs, other)
      // At half a minute it has caught up, and then falls behind again.
      if (atMs === 30_000) headAt(atMs, 10 + atMs)
      else expect(() => headAt(atMs, 9)).toThrow('of')
    }
    expect(reports).toEqual(['92000 one lagging'])
  })
})
