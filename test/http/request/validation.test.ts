import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { emailLook } from '../../../src/domain/email.ts'
import { check, line } from '../../../src/http/request/validation.ts'

const Named = Type.Object({ name: line(256), note: Type.Optional(line(10)) })

function refusal(value: unknown): string | null {
  try {
    check(Named, value)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe('the length of a text', () => {
  test('counts characters, as the document says, not UTF-16 units', () => {
    expect(refusal({ name: '🧾'.repeat(256) })).toBeNull()
    expect(refusal({ name: '🧾'.repeat(257) })).toStartWith('name: must be a text of 1 to 256')
  })

  test('hides no other fault of the same text, or of another one', () => {
    expect(refusal({ name: `${'🧾'.repeat(200)}\u0000` })).toStartWith('name: ')
    expect(refusal({ name: '🧾'.repeat(200), note: '' })).toStartWith('note: ')
  })
})

test('a text of one line has no control character of either set, as a terminal obeys both', () => {
  for (const control of ['\0', '\n', '\u001b', '\u007f', '\u0085', '\u009b']) {
    expect(refusal({ name: `Ada${control}King` })).toEndWith('without control characters')
  }
  expect(refusal({ name: 'Ada\u00a0King' })).toBeNull()
})

test('what is missing is named', () => {
  expect(refusal({})).toBe('name: is required')
})

test('an email address has no control character in any of its parts, for NUL cannot be stored', () => {
  const looks = (text: string) => emailLook.test(text)
  expect(looks('ada.king+x@mail.example.co.uk')).toBe(true)
  for (const control of ['\0', '\u0001', '\n', '\u001f', '\u007f', '\u0085']) {
    const [name, host, top] = [`a${control}b@c.de`, `a@b${control}c.de`, `a@bc.d${control}e`]
    expect([name, host, top].filter(looks)).toEqual([])
  }
})
