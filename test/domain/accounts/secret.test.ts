import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { derive, keyFrom, open, seal } from '../../../src/domain/accounts/secret.ts'

const bytes = randomBytes(32)
const key = keyFrom(bytes.toString('hex'))
const sealed = seal('whsec_Zoë', key, randomBytes(12))

/** A key with a different id; one in 256 random keys has the same. */
function otherKey() {
  for (;;) {
    const other = keyFrom(randomBytes(32).toString('hex'))
    if (other.id !== key.id) return other
  }
}

describe('opened', () => {
  test('what was sealed', () => {
    expect(open(sealed, key)).toBe('whsec_Zoë')
  })

  test('under the same key written as base64', () => {
    expect(open(sealed, keyFrom(bytes.toString('base64')))).toBe('whsec_Zoë')
  })
})

describe('refused', () => {
  test('another key, by name', () => {
    expect(() => open(sealed, otherKey())).toThrow('sealed under another SECRETS_KEY')
  })

  test('a change of any byte', () => {
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed)
      changed[at]! ^= 1
      expect(() => open(changed, key)).toThrow()
    }
  })

  test('a tag cut short', () => {
    for (let length = 0; length < sealed.length; length++)
      expect(() => open(sealed.slice(0, length), key)).toThrow()
  })

  test('keys that are not 32 bytes as hex or base64', () => {
    const wrong = ['', 'secret', 'ab'.repeat(31), 'zz'.repeat(32), `${'A'.repeat(42)}!=`]
    for (const text of wrong) expect(() => keyFrom(text)).toThrow('SECRETS_KEY')
  })

  test('a nonce of another length', () => {
    expect(() => seal('x', key, randomBytes(11))).toThrow('a nonce is 12 bytes')
  })
})

describe('derived', () => {
  test('keys of two purposes differ, and one purpose has one key', () => {
    expect(derive(key, 'a')).toEqual(derive(key, 'a'))
    expect(derive(key, 'a')).not.toEqual(derive(key, 'b'))
    expect(derive(key, 'a')).toHaveLength(32)
  })
})
