import { describe, expect, test } from 'bun:test'
import { isUuid, isUuidOf } from '../../src/domain/id.ts'

const id = '0190a000-0000-7000-8000-00000000000a'

describe('an id', () => {
  test('is a UUID in lower case and nothing around it', () => {
    expect(isUuid(id)).toBe(true)
    const others = [id.toUpperCase(), `${id}\n`, ` ${id}`, id.replaceAll('-', ''), `{${id}}`, '']
    expect(others.filter(isUuid)).toEqual([])
  })

  test('with a prefix is that prefix, once, and a UUID', () => {
    expect(isUuidOf('mnd_', `mnd_${id}`)).toBe(true)
    const others = [id, 'mnd_', `drs_${id}`, `MND_${id}`, `mnd_mnd_${id}`, `mnd_${id}0`]
    expect(others.filter((text) => isUuidOf('mnd_', text))).toEqual([])
  })
})
