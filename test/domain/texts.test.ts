import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonical, type Json } from '../../src/domain/canonical.ts'
import { parseDeadline, parseInstant } from '../../src/domain/instant.ts'
import { references } from '../../src/domain/invoices/reference.ts'

describe('canonical JSON', () => {
  test('orders keys by UTF-16 code unit, integer-like keys included, at every level', () => {
    const value = { b: 1, a: { '10': 1, '9': 2 }, '': null, aa: [{ z: 1, y: 2 }] }
    expect(canonical(value)).toBe('{"":null,"a":{"10":1,"9":2},"aa":[{"y":2,"z":1}],"b":1}')
  })

  test('means the same as the value it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonical(value as Json)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonical(JSON.parse(text))).toBe(text)
      }),
    )
  })
})

describe('a reference', () => {
  const ours = references(new Uint8Array(32).fill(7))
  const id = '0190a000-1234-7abc-8def-0123456789ab'

  test('leads back to its invoice, and shows nothing of its id', () => {
    const reference = ours.of(id)
    expect(reference).toMatch(/^0x[0-9a-f]{64}$/)
    expect(ours.read(reference)).toBe(id)
    expect(reference).not.toContain(id.slice(0, 8))
  })

  test('is another one for every invoice, and none with its halves swapped', () => {
    const reference = ours.of(id)
    expect(ours.of(id.replace('0190', '0191'))).not.toBe(reference)
    expect(ours.read(`0x${reference.slice(34)}${reference.slice(2, 34)}`)).toBeNull()
  })

  test('of another service, or 32 bytes of anything else, names nothing', () => {
    expect(references(new Uint8Array(32).fill(8)).read(ours.of(id))).toBeNull()
    expect(ours.read(`0x${'00'.repeat(32)}`)).toBeNull()
    expect(ours.read('0x12')).toBeNull()
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 65 }), (at) => {
        const reference = ours.of(id)
        const flipped = (Number.parseInt(reference.charAt(at), 16) ^ 1).toString(16)
        expect(ours.read(reference.slice(0, at) + flipped + reference.slice(at + 1))).toBeNull()
      }),
    )
  })
})

describe('an instant', () => {
  test.each([
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.6789+02:00', '2026-01-02T01:04:05.678Z'],
    ['2026-01-02T03:04:05.0577777777Z', '2026-01-02T03:04:05.057Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(parseInstant(text)?.toISOString()).toBe(expected)
  })

  test.each([
    ...['', '0', 'yesterday', 'Dec 31 2026', '2026-02-30', '2026-13-01', '2026-01-02T03:04:05'],
    ...[
      '2026-01-01T25:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+24:00',
      '2025-02-29',
      '0000-01-01',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
    ],
  ])('%p is none', (text) => {
    expect(parseInstant(text)).toBeNull()
  })
})

describe('a deadline', () => {
  test.each([
    ['2026-01-02', '2026-01-02T23:59:59.999Z'],
    ['9999-12-31', '9999-12-31T23:59:59.999Z'],
    ['2026-01-02T00:00:00Z', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ])('%s lasts until %s', (text, expected) => {
    expect(parseDeadline(text)?.toISOString()).toBe(expected)
  })

  test.each(['2026-02-30', 'yesterday', ''])('%p is none', (text) => {
    expect(parseDeadline(text)).toBeNull()
  })
})
