import { expect, test } from 'bun:test'
import { isObject, unpacked } from '../../src/domain/json-text.ts'

const value = { txHash: '0x5e', note: 'ünïcode' }
const json = JSON.stringify(value)
const base64 = Buffer.from(json).toString('base64')

test('an object is read as JSON and in base64, with or without padding and room around it', () => {
  for (const text of [json, ` ${json}\n`, base64, ` ${base64}\n`, base64.replace(/=+$/, '')])
    expect(unpacked(text)).toEqual(value)
})

test('what is neither is undefined, and nothing throws', () => {
  for (const text of ['', ' ', '{', '%%%', '[]', 'rubbish', btoa('{"a":')])
    expect(unpacked(text)).toBeUndefined()
})

test('only what has members is an object', () => {
  expect([{}, [], null, 7, 'x', undefined].map(isObject)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})
