import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { noProfile } from '../../../src/domain/accounts/profile.ts'
import { fromText, toText } from '../../../src/domain/codec.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { breakdownOf, linesOf, type TaxCategory } from '../../../src/domain/invoices/lines.ts'
import type { Request } from '../../../src/domain/invoices/request.ts'
import type { RequestedLine } from '../../../src/domain/invoices/requested-line.ts'
import { terms as termsCodec } from '../../../src/domain/invoices/terms.ts'
import { currencies } from '../../../src/domain/money/currency.ts'
import { minorScale, toDecimal } from '../../../src/domain/money/money.ts'
import { builtIn } from '../../../src/domain/money/tax-rates.ts'
import { linedRequest, requestedLine, termsOf } from '../../support/lined.ts'

/** Everything that is wrong with a request, as `path: message`; its reason first. */
function refusal(request: Request, profile = noProfile): readonly string[] {
  try {
    termsOf(request, profile)
    return []
  } catch (error) {
    if (!(error instanceof DomainError) || !Array.isArray(error.details)) throw error
    return [error.reason, ...error.details.map(({ path, message }) => `${path}: ${message}`)]
  }
}

const pathsOf = (request: Request) => refusal(request).map((text) => text.split(':')[0])

describe('prices of lines', () => {
  test('two categories: each net rounded half up, tax once for each category and rate', () => {
    const made = termsOf(
      linedRequest([
        { description: 'Translation', quantitySource: '2.5', unit: 'HUR', unitPriceSource: '80' },
        { quantitySource: '3', unitPriceSource: '"0.335"', category: 'reduced', taxRate: 7 },
        { quantitySource: '1e1', unitPriceSource: '0.01', category: 'reduced' },
      ]),
    )
    expect(made).toMatchObject({
      submittedAmount: '201.11',
      scale: 2,
      subtotalUnits: 20_111n,
      totalUnits: 23_919n,
      tax: {
        countryCode: 'DE',
        rateBasisPoints: null,
        taxUnits: 3_808n,
        breakdown: [
          { category: 'standard', rateBasisPoints: 1_900, baseUnits: 20_000n, taxUnits: 3_800n },
          { category: 'reduced', rateBasisPoints: 700, baseUnits: 111n, taxUnits: 8n },
        ],
      },
    })
    expect(
      made.lines?.map(({ quantity, unit, unitPrice, netUnits }) => [
        quantity,
        unit,
        unitPrice,
        netUnits,
      ]),
    ).toEqual([
      ['2.5', 'HUR', '80', 20_000n],
      ['3', 'C62', '0.335', 101n],
      ['10', 'C62', '0.01', 10n],
    ])
  })

  test('tax is rounded on the sum, not line by line', () => {
    // 19 % of 0.02 is nothing; of ten times that it is 0.04.
    const made = termsOf(
      linedRequest(Array.from({ length: 10 }, () => ({ unitPriceSource: '0.02' }))),
    )
    expect(made.tax.taxUnits).toBe(4n)
  })

  test('in minor units a price may be a text with decimals', () => {
    const made = termsOf(
      linedRequest([{ quantitySource: '1000', unitPriceSource: '"0.0015"' }], { form: 'api' }),
    )
    expect(made.lines).toMatchObject([{ unitPrice: '0.000015', netUnits: 2n }])
    expect(made.submittedAmount).toBe('2')
  })

  test('a line may be free, the invoice may not', () => {
    expect(refusal(linedRequest([{}, { unitPriceSource: '0' }]))).toEqual([])
    expect(refusal(linedRequest([{ unitPriceSource: '0' }]))).toEqual([
      'invalid_amount',
      'amount: of all lines must be positive',
    ])
  })

  test.each<[string | null, string, 'v1' | 'api', string[]]>([
    [null, '12.5', 'v1', []],
    ['"12.50"', '12.5', 'v1', []],
    ['12.5', '12.5', 'v1', []],
    [
      '12.51',
      '12.5',
      'v1',
      ['invalid_amount', 'amount: must be 12.5, the sum of the lines, or left out'],
    ],
    [
      '12.500001',
      '12.5',
      'v1',
      ['invalid_amount', 'amount: must be 12.5, the sum of the lines, or left out'],
    ],
    ['1250', '1250', 'api', []],
    [
      '1251',
      '1250',
      'api',
      ['invalid_amount', 'amount: must be 1250, the sum of the lines, or left out'],
    ],
    ['"1250"', '1250', 'api', ['invalid_amount', 'amount: must be an integer, not a string']],
  ])('the amount %s beside one line at %s (%s)', (amountSource, unitPriceSource, form, wanted) => {
    expect(refusal(linedRequest([{ unitPriceSource }], { form, amountSource }))).toEqual(wanted)
  })

  test('the amount is repeated as it was sent', () => {
    const amountSource = '"100.00"'
    expect(termsOf(linedRequest([{}], { amountSource })).submittedAmount).toBe(amountSource)
  })

  const decimals = (most: bigint) =>
    fc
      .tuple(fc.bigInt({ min: 1n, max: most }), fc.integer({ min: 0, max: 6 }))
      .map(([units, places]) => toDecimal(units, places))
  const randomLine = fc.record({
    quantitySource: decimals(10n ** 7n),
    unitPriceSource: decimals(10n ** 8n).map((price) => `"${price}"`),
    category: fc.constantFrom<TaxCategory | null>(null, 'standard', 'reduced', 'zero', 'exempt'),
  })
  const random = fc.record({
    lines: fc.array(randomLine, { minLength: 1, maxLength: 12 }),
    currency: fc.constantFrom(...currencies),
    country: fc.constantFrom(...builtIn.keys()),
    form: fc.constantFrom('api' as const, 'v1' as const),
  })
  const withReason = (line: Partial<RequestedLine>) =>
    requestedLine({ ...line, reason: line.category === 'exempt' ? 'Article 132' : null })
  const atTwelve = (decimal: string) => {
    const [whole = '', fraction = ''] = decimal.split('.')
    return BigInt(whole + fraction.padEnd(12, '0'))
  }

  test('every figure follows from the lines, to the last unit, in every currency', () => {
    fc.assert(
      fc.property(random, ({ lines, currency, country, form }) => {
        const requested = lines.map(withReason)
        const request = linedRequest(requested, { currency, country, form })
        fc.pre(pathsOf(request).every((path) => path !== 'amount' && path !== 'invalid_amount'))
        const made = termsOf(request)
        const scale = minorScale(currency)
        const shift = form === 'api' ? 10n ** BigInt(scale) : 1n
        for (const [at, line] of linesOf(made).entries()) {
          const { quantitySource = '', unitPriceSource = '' } = lines[at] ?? {}
          const exact = atTwelve(quantitySource) * atTwelve(unitPriceSource.slice(1, -1))
          const unit = 10n ** BigInt(24 - scale) * shift
          expect(line.netUnits).toBe((2n * exact + unit) / (2n * unit))
          expect(atTwelve(line.unitPrice) * shift).toBe(atTwelve(unitPriceSource.slice(1, -1)))
        }
        const shares = breakdownOf(made)
        const sum = (units: readonly bigint[]) => units.reduce((a, b) => a + b, 0n)
        expect(sum(linesOf(made).map(({ netUnits }) => netUnits))).toBe(made.subtotalUnits)
        expect(sum(shares.map(({ baseUnits }) => baseUnits))).toBe(made.subtotalUnits)
        expect(sum(shares.map(({ taxUnits }) => taxUnits))).toBe(made.tax.taxUnits)
        expect(made.totalUnits).toBe(made.subtotalUnits + made.tax.taxUnits)
        for (const { baseUnits, rateBasisPoints, taxUnits } of shares)
          expect(taxUnits).toBe((baseUnits * BigInt(rateBasisPoints) + 5_000n) / 10_000n)
        expect(fromText(termsCodec, toText(termsCodec, made))).toEqual(made)
      }),
    )
  })

  test('the order of the lines changes no sum and no tax', () => {
    const shuffled = random.chain((wish) =>
      fc.record({
        wish: fc.constant(wish),
        lines: fc.shuffledSubarray(wish.lines, { minLength: wish.lines.length }),
      }),
    )
    const figures = (lines: readonly Partial<RequestedLine>[], over: Partial<Request>) => {
      const request = linedRequest(lines.map(withReason), over)
      if (refusal(request).length > 0) return refusal(request)[0]
      const { subtotalUnits, totalUnits, dueUsdcBase, tax } = termsOf(request)
      const shares = (tax.breakdown ?? []).map((share) => `${Object.values(share)}`).sort()
      return { subtotalUnits, totalUnits, dueUsdcBase, rate: tax.rateBasisPoints, shares }
    }
    fc.assert(
      fc.property(shuffled, ({ wish: { lines: first, ...over }, lines }) => {
        expect(figures(lines, over)).toEqual(figures(first, over))
      }),
    )
  })
})

describe('numbers are read as they were written', () => {
  test.each<[Partial<RequestedLine>, string]>([
    [{ quantitySource: '0' }, 'lines/0/quantity: must be positive'],
    [{ quantitySource: '-1' }, 'lines/0/quantity: must be positive'],
    [{ quantitySource: '1.0000001' }, 'lines/0/quantity: must have at most 6 decimals'],
    // As floats these are 1 and 0.1.
    [
      { quantitySource: '1.00000000000000000001' },
      'lines/0/quantity: must have at most 6 decimals',
    ],
    [
      { unitPriceSource: '0.1000000000000000000001' },
      'lines/0/unitPrice: must have at most 6 decimals',
    ],
    [{ quantitySource: '"1e3"' }, 'lines/0/quantity: must be a decimal string such as "12.50"'],
    [{ quantitySource: 'true' }, 'lines/0/quantity: must be a number or a decimal string'],
    [{ quantitySource: '[1]' }, 'lines/0/quantity: must be a number or a decimal string'],
    [{ quantitySource: '1e400' }, 'lines/0/quantity: is too large'],
    [{ quantitySource: '9007199254740992' }, 'lines/0/quantity: is too large'],
    [{ unitPriceSource: '-0.01' }, 'lines/0/unitPrice: must not be negative'],
    [{ unitPriceSource: '9007199254740992' }, 'lines/0/unitPrice: is too large'],
    [
      { unit: 'PCS' },
      'lines/0/unit: must be a code of UN/ECE Recommendation 20, such as C62 (one) or HUR (hour)',
    ],
    [
      { unit: 'hur' },
      'lines/0/unit: must be a code of UN/ECE Recommendation 20, such as C62 (one) or HUR (hour)',
    ],
  ])('%j', (line, problem) => {
    expect(refusal(linedRequest([line]))).toEqual(['invalid_request', problem])
  })

  test('in minor units, a number is an integer', () => {
    const one = (unitPriceSource: string) =>
      refusal(linedRequest([{ unitPriceSource }], { form: 'api' }))
    expect([one('100.0'), one('1e2'), one('"12.5"')]).toEqual([[], [], []])
    expect(one('12.5')).toEqual([
      'invalid_request',
      'lines/0/unitPrice: must be an integer of minor units, or a decimal string of them such as "12.5"',
    ])
  })

  test('a sum beyond what JSON numbers hold is refused', () => {
    expect(
      refusal(linedRequest([{ quantitySource: '9007199254740', unitPriceSource: '100' }])),
    ).toEqual(['invalid_amount', 'amount: is too large'])
  })
})
