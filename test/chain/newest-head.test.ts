import { describe, expect, test } from 'bun:test'
import { createHeadCheck } from '../../src/chain/newest-head.ts'

function check() {
  let nowMs = 0
  const isHead = createHeadCheck(() => nowMs)
  return (atMs: number, headBlock: number) => {
    nowMs = atMs
    return isHead(headBlock)
  }
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
