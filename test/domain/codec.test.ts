import { describe, expect, test } from 'bun:test'
import { fromText, toText } from '../../src/domain/codec.ts'
import { newProgress, progress } from '../../src/domain/invoices/progress.ts'
import { terms as codec } from '../../src/domain/invoices/terms.ts'
import { payment, terms } from '../support/invoice.ts'

const full = terms({
  fx: { rate: '1.08', source: 'ECB', asOf: '2026-01-01' },
  isPurchase: true,
  depositIndex: 7,
})

/** The stored text of `full` with one member set, or removed where `value` is undefined. */
function stored(name: string, value?: unknown): string {
  return JSON.stringify({ ...JSON.parse(toText(codec, full)), [name]: value })
}

describe('an invoice’s row', () => {
  test('reads as it was written', () => {
    expect(fromText(codec, toText(codec, full))).toEqual(full)
    const paid = {
      ...newProgress,
      payments: [
        payment({ usdcBase: 2n ** 60n }),
        payment({ blockTime: '2026-05-01T12:00:00.000Z' }),
      ],
    }
    expect(fromText(progress, toText(progress, paid))).toEqual(paid)
  })

  test.each([
    'fx',
    'description',
    'agentId',
    'mandateId',
    'mandateHash',
    'payer',
    'dueAt',
    'metadata',
  ])('that was written before it had %s reads as null there', (name) =>
    expect(fromText(codec, stored(name))).toEqual({ ...full, [name]: null }),
  )

  test.each(['isPurchase', 'poNumber', 'depositIndex'] as const)('may lack %s', (name) => {
    const { [name]: _, ...rest } = full
    expect(fromText(codec, stored(name))).toEqual(rest as typeof full)
  })

  test.each([
    ['currency', undefined, 'currency: is not a string'],
    ['scale', '6', 'scale: is not a number'],
    ['form', 'v2', 'form: is none of api, v1'],
    ['buyer', null, 'buyer: is not an object'],
    ['tax', { rateBasisPoints: 0, taxUnits: 0 }, 'tax: taxUnits: is not a string'],
  ])('with a wrong %s is refused, naming it', (name, value, problem) => {
    expect(() => fromText(codec, stored(name, value))).toThrow(problem)
  })
})
