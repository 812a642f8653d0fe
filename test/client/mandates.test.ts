import { describe, expect, test } from 'bun:test'
import { canonicalMandate, mandateHash, signMandate } from '@quittance/client/mandates'
import vectors from '../vectors/mandate-hmac.json' with { type: 'json' }

describe.each(vectors.vectors.map((vector) => [`${vector.id} ${vector.name}`, vector] as const))(
  '%s',
  (_, vector) => {
    const agreement = JSON.parse(vector.input_json)

    test('has the agreed canonical text, hash and signature', async () => {
      expect(canonicalMandate(agreement)).toBe(vector.canonical)
      expect(await mandateHash(agreement)).toBe(`0x${vector.canonical_sha256}`)
      expect(await signMandate(agreement, vector.secret)).toBe(vector.signature)
    })
  },
)

test('terms are signed as JSON transmits them', () => {
  const agreement = JSON.parse(vectors.vectors[0]?.input_json ?? '')
  const terms = { due: new Date(0), note: undefined }
  expect(canonicalMandate({ ...agreement, terms })).toContain(
    '"terms":{"due":"1970-01-01T00:00:00.000Z"}',
  )
})
