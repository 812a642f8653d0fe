import { describe, expect, test } from 'bun:test'
import { hashOf } from '../../../src/domain/hash.ts'
import { parseInstant } from '../../../src/domain/instant.ts'
import {
  canonicalText,
  endlessNumber,
  inexactInteger,
  isSignedWith,
} from '../../../src/domain/mandates/canonical.ts'
import { readBody } from '../../../src/http/request/json.ts'
import { signatureOf } from '../../support/mandate.ts'
import vectors from '../../vectors/mandate-hmac.json' with { type: 'json' }

type Vector = (typeof vectors.vectors)[number]

/**
 * The agreement in a request's JSON, read as the service does: terms by their source text, the
 * expiry normalised to UTC with milliseconds.
 */
function agreementOf({ input_json }: Vector) {
  const value = JSON.parse(input_json)
  const isData = input_json.includes('__proto__')
  const terms = isData
    ? '{"a":1,"__proto__":{"amount":999999}}'
    : (readBody(new TextEncoder().encode(input_json)).source('terms') ?? '')
  return {
    id: value.id,
    proposer: value.proposer_agent_id,
    counterparty: value.counterparty_agent_id,
    scope: value.scope,
    terms,
    expiresAt: parseInstant(value.expires_at)?.toISOString() ?? '',
  }
}

describe.each(vectors.vectors.map((vector) => [`${vector.id} ${vector.name}`, vector] as const))(
  '%s',
  (_, vector) => {
    const text = canonicalText(agreementOf(vector))

    test('has the canonical bytes, the hash and the signature that were agreed', () => {
      expect(text).toBe(vector.canonical)
      expect(Buffer.byteLength(text)).toBe(vector.canonical_utf8_bytes)
      expect(hashOf(text)).toBe(`0x${vector.canonical_sha256}`)
      expect(signatureOf(text, vector.secret)).toBe(vector.signature)
      expect(isSignedWith([vector.secret], text, vector.signature)).toBe(true)
    })

    test('is none of what it must not be mistaken for', () => {
      for (const wrong of vector.must_not_equal ?? []) {
        expect(text).not.toBe(wrong.canonical)
        expect(isSignedWith([vector.secret], text, wrong.signature)).toBe(false)
      }
    })

    test('has no number without end', () => {
      expect(endlessNumber(agreementOf(vector).terms)).toBeNull()
    })
  },
)

describe('a signature', () => {
  const text = 'signed'
  const right = signatureOf(text, 'secret')

  test('counts under each secret that does, in either case of its digits', () => {
    expect(isSignedWith(['secret'], text, right)).toBe(true)
    expect(isSignedWith(['secret'], text, right.toUpperCase())).toBe(true)
    expect(isSignedWith(['new', 'secret'], text, right)).toBe(true)
    expect(isSignedWith(['new'], text, right)).toBe(false)
    expect(isSignedWith([], text, right)).toBe(false)
  })

  test.each([
    ['one digit less', right.slice(1)],
    ['a digit more', `${right}0`],
    ['two digits more', `${right}00`],
    ['letters behind it', `${right}zz`],
    ['a prefix', `0x${right}`],
    ['a blank', ` ${right.slice(1)}`],
    ['a line break', `${right}\n`],
    ['base64', Buffer.from(right, 'hex').toString('base64')],
    ['nothing', ''],
    ['digits of another script', '٠'.repeat(64)],
  ])('does not count with %s', (_, wrong) => {
    expect(isSignedWith(['secret'], text, wrong)).toBe(false)
  })
})

describe('an integer that readers disagree on', () => {
  test.each([
    ['{"a":9007199254740992}', '9007199254740992'],
    ['{"a":[{"b":-9007199254740992}]}', '-9007199254740992'],
    ['{"a":100000000000000000000}', '100000000000000000000'],
    ['[1,2,9007199254740993 ]', '9007199254740993'],
    ['{"a":9007199254740993.0}', '9007199254740993.0'],
    ['{"\\"":"\\\\","a":9007199254740993}', '9007199254740993'],
  ])('is found in %s', (terms, token) => {
    expect(inexactInteger(terms)).toBe(token)
  })

  test.each([
    '{"a":9007199254740991,"b":-9007199254740991}',
    '{"a":1e21,"b":1e-7,"c":-0,"d":0.1}',
    '{"a":"9007199254740993"}',
    '{"9007199254740993":1}',
    '{"a":"\\"9007199254740993"}',
    '{}',
  ])('is not in %s', (terms) => {
    expect(inexactInteger(terms)).toBeNull()
  })

  test('is found fast, behind a long string full of escapes too', () => {
    const long = `{"a":"${'\\"'.repeat(32_000)}","b":9007199254740993}`
    expect(inexactInteger(long)).toBe('9007199254740993')
  })
})

describe('a number without end', () => {
  test.each(['1e400', '-1E+400', '1e131000'])('is found: %s', (token) => {
    expect(endlessNumber(`{"a":{"b":"1e400"},"c":[${token}]}`)).toBe(token)
  })
})
