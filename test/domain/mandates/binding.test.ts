import { describe, expect, test } from 'bun:test'
import { admit, type Bindable } from '../../../src/domain/mandates/binding.ts'
import { capOf, warningsOf } from '../../../src/domain/mandates/cap.ts'
import { anExpiry, noon, someMandateId } from '../../support/mandate.ts'

const mandate = (over: Partial<Bindable> = {}): Bindable => ({
  id: someMandateId,
  hash: `0x${'07'.repeat(32)}`,
  state: 'signed_by_both',
  expiresAt: anExpiry,
  terms: '{"amount":50,"currency":"USDC"}',
  boundMicro: 0n,
  at: noon,
  ...over,
})
const payment = (amountMicro: bigint, currency = 'USDC') => ({ currency, amountMicro })

function outcomeOf(bound: Bindable | undefined, paid = payment(1n)): string {
  try {
    admit(bound, paid)
    return 'admitted'
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

describe('a cap', () => {
  test.each([
    ['{"amount":50,"currency":"USDC"}', 50_000_000n],
    ['{"amount":"0.000001","currency":"USD"}', 1n],
    ['{"amount":1.5e2,"currency":"EUR"}', 150_000_000n],
    ['{"amount":9007199254740991,"currency":"KRW"}', 9_007_199_254_740_991_000_000n],
    ['{"amount":"25000000000.5","currency":"VND"}', 25_000_000_000_500_000n],
    ['{"amount":1e30,"currency":"USD"}', 10n ** 36n],
    ['{"amount":50}', null],
    ['{"currency":"USDC"}', null],
    ['{}', null],
  ])('of %s', (terms, amountMicro) => {
    expect(capOf(terms).amountMicro).toBe(amountMicro)
  })
})

describe('terms are warned of', () => {
  test.each([
    ['{"amount":"5,00","currency":"USDC"}', ['amount_unreadable']],
    ['{"amount":"5 USDC","currency":"USDC"}', ['amount_unreadable']],
    ['{"amount":{"max":5},"currency":"USDC"}', ['amount_unreadable']],
    ['{"amount":-1,"currency":"USDC"}', ['amount_unreadable']],
    ['{"amount":null,"currency":"USDC"}', ['amount_unreadable']],
    ['{"amount":5}', ['amount_without_currency']],
    ['{"amount":"much"}', ['amount_unreadable', 'amount_without_currency']],
    ['{"amount":5,"currency":"usdc"}', ['currency_unknown']],
    ['{"currency":{"toString":0}}', ['currency_unknown']],
  ])('%s', (terms, codes) => {
    expect<readonly string[]>(warningsOf(terms)).toEqual(codes)
  })

  test.each([
    '{}',
    '{"currency":"EUR"}',
    '{"amount":"50.00","currency":"USD"}',
    '{"Amount":"much"}',
  ])('but not %s', (terms) => {
    expect(warningsOf(terms)).toEqual([])
  })
})

describe('a payment is admitted', () => {
  test('up to the cap, to the last millionth', () => {
    const bound = mandate({ boundMicro: 49_999_999n })
    expect(outcomeOf(bound, payment(1n))).toBe('admitted')
    expect(outcomeOf(bound, payment(2n))).toBe('mandate_limit_exceeded')
  })

  test('and beyond it refused with the numbers, as decimals of the mandate’s currency', () => {
    const bound = mandate({ boundMicro: 49_999_999n, terms: '{"amount":50,"currency":"USD"}' })
    const details = {
      ...{ term: 'amount', limit: '50.00', used: '49.999999' },
      ...{ requested: '0.50', remaining: '0.000001', currency: 'USD' },
    }
    expect(() => admit(bound, payment(500_000n))).toThrow(expect.objectContaining({ details }))
  })

  test('without a cap, whatever it is', () => {
    expect(outcomeOf(mandate({ terms: '{}' }), payment(10n ** 20n, 'JPY'))).toBe('admitted')
  })

  test('in dollars of either kind', () => {
    expect(outcomeOf(mandate(), payment(1n, 'USD'))).toBe('admitted')
    expect(outcomeOf(mandate({ terms: '{"currency":"USD"}' }))).toBe('admitted')
  })

  test('to a mandate in progress', () => {
    expect(outcomeOf(mandate({ state: 'in_progress' }))).toBe('admitted')
  })
})

describe('a payment is refused', () => {
  test.each(['proposed', 'signed_by_proposer', 'completed', 'disputed', 'expired'] as const)(
    'by a mandate that is %s',
    (state) => {
      expect(outcomeOf(mandate({ state }))).toBe('mandate_not_active')
    },
  )

  test('by a mandate that is over, or none', () => {
    expect(outcomeOf(mandate({ at: new Date(anExpiry) }))).toBe('mandate_not_active')
    expect(outcomeOf(undefined)).toBe('mandate_not_active')
  })

  test('in another currency', () => {
    expect(outcomeOf(mandate(), payment(1n, 'EUR'))).toBe('mandate_currency_mismatch')
  })

  test.each(['5', 'null', '{}', '["USDC"]', '{"toString":0}', '[[{"toString":0}]]', '""'])(
    'whatever its currency, where the mandate names %s, which is none',
    (currency) => {
      const terms = `{"amount":50,"currency":${currency}}`
      expect(outcomeOf(mandate({ terms }))).toBe('mandate_currency_mismatch')
    },
  )

  test.each(['"much"', '-1', '0', '1.0000001', '{}', 'null'])(
    'where the cap is %s, which is no amount, with the numbers there are',
    (amount) => {
      const bound = mandate({ terms: `{"amount":${amount},"currency":"USDC"}`, boundMicro: 7n })
      expect(outcomeOf(bound)).toBe('mandate_limit_exceeded')
      const details = {
        ...{ term: 'amount', limit: null, used: '0.000007' },
        ...{ requested: '0.50', remaining: null, currency: 'USDC' },
      }
      expect(() => admit(bound, payment(500_000n))).toThrow(expect.objectContaining({ details }))
    },
  )
})
