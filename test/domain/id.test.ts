import { describe, expect, test } from 'bun:test'
import { derivedUuid, isUuid, isUuidOf } from '../../src/domain/id.ts'

const id = '0190a000-0000-7000-8000-00000000000a'

describe('an id', () => {
  test('is a UUID in lower case and nothing around it', () => {
    expect(isUuid(id)).toBe(true)
    const others = [id.toUpperCase(), `${id}\n`, ` ${id}`, id.replaceAll('-', ''), `{${id}}`, '']
    expect(others.filter(isUuid)).toEqual([])
  })

  test('that comes from a text is the same for that text, moment and key alone, and in order of the moments', () => {
    const key = new Uint8Array(32).fill(1)
    const at = new Date('2026-05-01T12:00:00.123Z')
    const later = new Date(at.getTime() + 1)
    const derived = derivedUuid(key, 'base:0x1', at)
    expect(derived).toMatch(/^019de368-f67b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(derivedUuid(key, 'base:0x1', at)).toBe(derived)
    expect(derivedUuid(key, 'base:0x2', at).slice(0, 13)).toBe(derived.slice(0, 13))
    expect(derivedUuid(key, 'base:0x2', at)).not.toBe(derived)
    expect(derivedUuid(new Uint8Array(32).fill(2), 'base:0x1', at)).not.toBe(derived)
    expect(derivedUuid(key, 'base:0x1', later) > derived).toBe(true)
  })

  test('with a prefix is that prefix, once, and a UUID', () => {
    expect(isUuidOf('mnd_', `mnd_${id}`)).toBe(true)
    const others = [id, 'mnd_', `drs_${id}`, `MND_${id}`, `mnd_mnd_${id}`, `mnd_${id}0`]
    expect(others.filter((text) => isUuidOf('mnd_', text))).toEqual([])
  })
})
