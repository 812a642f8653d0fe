import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readBody } from '../../../src/http/request/json.ts'
import { itemSources } from '../../../src/http/request/json-source.ts'

const read = (text: string) => readBody(new TextEncoder().encode(text))

describe('read', () => {
  test('as JSON.parse reads it, each member’s source being its own text', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 4 })),
        fc.constantFrom(undefined, 2),
        (object, indent) => {
          fc.pre(!('__proto__' in object && Object.hasOwn(object, '__proto__')))
          const text = JSON.stringify(object, null, indent)
          fc.pre(!text.includes('"__proto__"'))
          const body = read(text)
          expect(body.value).toEqual(JSON.parse(text))
          for (const [key, value] of Object.entries(JSON.parse(text) as object))
            expect(JSON.parse(body.source(key) ?? '')).toEqual(value)
        },
      ),
    )
  })

  test('and each item of an array, too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1 }),
        fc.constantFrom(undefined, 2),
        (array, space) => {
          const items = itemSources(JSON.stringify(array, null, space))
          expect(items.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(array)))
        },
      ),
    )
  })

  test('a source is the text that was sent, digits and spaces inside included', () => {
    const body = read('{ "a\\u0062" : 1.50 , "c":[ 1, {"d":"}"} ],"e":"\\\\" }')
    expect(body.source('ab')).toBe('1.50')
    expect(body.source('c')).toBe('[ 1, {"d":"}"} ]')
    expect(body.source('e')).toBe('"\\\\"')
    expect(body.source('d')).toBeUndefined()
  })

  test('a member may be 32 levels deep', () => {
    expect(read(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`).value).toBeDefined()
  })
})

describe('refused', () => {
  test.each([
    ['a member twice', '{"a":1,"a":1}'],
    ['a member twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['a member twice inside another', '{"x":{"a":1,"b":{},"a":2}}'],
    ['a member twice inside a member that comes twice', '{"x":{"a":1,"b":2},"x":{}}'],
    ['a member twice in a list', '{"x":[{"a":":","a":2}]}'],
    ['a member named __proto__', '{"__proto__":{}}'],
    ['a member named __proto__, escaped', '{"x":[{"\\u005f_proto__":1}]}'],
    ['a member of 33 levels', `{"a":${'['.repeat(33)}${']'.repeat(33)}}`],
    ['half a character as a value', '{"a":"\\ud800"}'],
    ['half a character as a name', '{"\\udc00":1}'],
    ['a list', '[1]'],
    ['null', 'null'],
    ['text behind it', '{} {}'],
    ['a byte order mark', '\ufeff{}'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ reason: 'invalid_request' }))
  })

  test('bytes that are no UTF-8', () => {
    expect(() => readBody(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))).toThrow(
      'is not valid UTF-8',
    )
  })
})
