import { describe, expect, test } from 'bun:test'
import { noProfile, type Profile } from '../../../src/domain/accounts/profile.ts'
import { DomainError } from '../../../src/domain/error.ts'
import { type TaxCategory, taxCategories } from '../../../src/domain/invoices/lines.ts'
import type { Request } from '../../../src/domain/invoices/request.ts'
import type { RequestedLine } from '../../../src/domain/invoices/requested-line.ts'
import { unitCodes } from '../../../src/domain/invoices/units.ts'
import { isExemptionCode } from '../../../src/domain/vat/exemptions.ts'
import { linedRequest, termsOf } from '../../support/lined.ts'

const ids = { DE: 'DE123456788', AT: 'ATU12345675', XI: 'XI123456782', CH: 'CHE-123.456.788' }
const base = linedRequest([{}])

type Given = Pick<Request, 'country'> & {
  readonly seller: Partial<Request['seller']>
  readonly buyer: Partial<Request['buyer']>
}

function requestOf(lines: readonly Partial<RequestedLine>[], over: Partial<Given> = {}): Request {
  const { seller = {}, buyer = {}, ...rest } = over
  return linedRequest(lines, {
    ...rest,
    seller: { ...base.seller, ...seller },
    buyer: { ...base.buyer, ...buyer },
  })
}

/** `path: message` of everything that is wrong. */
function problems(request: Request, profile = noProfile): readonly string[] {
  try {
    termsOf(request, profile)
    return []
  } catch (error) {
    if (!(error instanceof DomainError) || !Array.isArray(error.details)) throw error
    expect(error.reason).toBe('invalid_request')
    return error.details.map(({ path, message }) => `${path}: ${message}`)
  }
}

const paths = (request: Request, profile?: Profile) =>
  problems(request, profile).map((text) => text.split(':')[0])

const noVat = { vat: null }
const fits: Readonly<Record<TaxCategory, Request>> = {
  standard: requestOf([{ category: 'standard' }]),
  reduced: requestOf([{ category: 'reduced' }]),
  zero: requestOf([{ category: 'zero' }], { country: null }),
  exempt: requestOf([{ category: 'exempt', reason: 'Article 132' }], { country: null }),
  reverse_charge: requestOf([{ category: 'reverse_charge' }], { buyer: { vat: ids.AT } }),
  intra_community: requestOf([{ category: 'intra_community' }], { buyer: { vat: ids.AT } }),
  export: requestOf([{ category: 'export' }], { buyer: { country: 'CH' } }),
  outside_scope: requestOf([{ category: 'outside_scope' }], {
    country: null,
    seller: { ...noVat, country: 'DE' },
  }),
}

describe('tax categories', () => {
  test.each([...taxCategories])('%s stands with what EN 16931 requires of it', (category) => {
    const { tax, lines } = termsOf(fits[category])
    expect([tax.breakdown?.map((share) => share.category), lines?.[0]?.category]).toEqual([
      [category],
      category,
    ])
  })

  test('without one it is standard where a tax country is given, else outside_scope', () => {
    expect(termsOf(requestOf([{}])).tax.breakdown).toMatchObject([{ category: 'standard' }])
    const outside = requestOf([{}], { country: null, seller: { ...noVat, country: 'DE' } })
    expect(termsOf(outside).tax).toMatchObject({
      countryCode: null,
      rateBasisPoints: 0,
      taxUnits: 0n,
      breakdown: [{ category: 'outside_scope', reason: null }],
    })
  })

  test.each([
    ['the reduced rate of Denmark', 'DK', 'reduced'],
    ['the standard rate of the United States', 'US', 'standard'],
  ] as const)('%s, which is 0 %%, is the category zero', (_, country, category) => {
    expect(termsOf(requestOf([{ category, taxRate: 0 }], { country })).tax).toMatchObject({
      rateBasisPoints: 0,
      breakdown: [{ category: 'zero', rateBasisPoints: 0 }],
    })
  })

  test('one reason holds for a whole category, and a code is kept as a code', () => {
    const lines = [
      { category: 'exempt', reason: 'VATEX-EU-132-1I' },
      { category: 'exempt' },
      { category: 'standard' },
    ] as const
    expect(termsOf(requestOf(lines)).tax.breakdown).toMatchObject([
      { category: 'exempt', baseUnits: 20_000n, reason: 'VATEX-EU-132-1I' },
      { category: 'standard', reason: null },
    ])
  })
})

describe('who is on an invoice with lines', () => {
  const profile = { ...noProfile, name: 'Grace GmbH', country: 'DE', vat: ids.DE }

  test.each<[string, Partial<Given>, Profile, (string | undefined)[]]>([
    ['what is given', { seller: { country: 'FR' } }, profile, ['FR', 'AT']],
    [
      'else the profile',
      { seller: noVat },
      { ...profile, name: 'Grace', vat: ids.AT },
      ['DE', 'AT'],
    ],
    [
      'else the VAT id',
      { buyer: { country: undefined, vat: ids.CH } as never },
      noProfile,
      ['DE', 'CH'],
    ],
  ])('their countries are %s', (_, over, profile, wanted) => {
    const { seller, buyer } = termsOf(requestOf([{}], over), profile)
    expect([seller.country, buyer.country]).toEqual(wanted)
  })

  test('outside the scope of VAT a VAT id of the profile is left out', () => {
    const outside = requestOf([{}], { country: null, seller: { name: null, ...noVat } })
    expect(termsOf(outside, profile).seller).toMatchObject({
      name: 'Grace GmbH',
      vat: null,
      country: 'DE',
    })
    const taxNumber = { ...profile, vat: '12/345/67890' }
    expect(termsOf(outside, taxNumber).seller.vat).toBe('12/345/67890')
  })

  test('in the flat form neither profile nor VAT id says a country', () => {
    const { lines: _, ...flat } = requestOf([{}], { buyer: { country: 'AT', vat: ids.AT } })
    const { seller, buyer } = termsOf({ ...flat, amountSource: '1' }, profile)
    expect([Object.hasOwn(seller, 'country'), buyer.country]).toEqual([false, 'AT'])
  })
})

describe('refused, by the name of the field', () => {
  const K = { category: 'intra_community' } as const
  const exempt = (reason: string | null) => ({ category: 'exempt', reason }) as const

  test.each<[string, Request, string[]]>([
    ['no seller name', requestOf([{}], { seller: { name: null } }), ['sellerName']],
    ['no country of the seller', requestOf([{}], { seller: { vat: '12/345' } }), ['sellerCountry']],
    [
      'no country of the buyer',
      requestOf([{}], { buyer: { country: undefined } as never }),
      ['buyerCountry'],
    ],
    [
      'a rate without a tax country',
      requestOf([{ category: 'reduced' }], { country: null }),
      ['taxCountry'],
    ],
    ['another rate', requestOf([{ taxRate: 7 }]), ['lines/0/taxRate']],
    [
      'a rate beside another category',
      requestOf([{ category: 'zero', taxRate: 0 }]),
      ['lines/0/taxRate'],
    ],
    ...(['standard', 'reduced', 'zero'] as const).map((category): [string, Request, string[]] => [
      `no VAT id of the seller, ${category}`,
      requestOf([{ category }], { seller: { ...noVat, country: 'DE' } }),
      ['sellerVat'],
    ]),
    [
      'no VAT id of the seller, exempt',
      requestOf([exempt('Art. 132')], { seller: { ...noVat, country: 'DE' } }),
      ['sellerVat'],
    ],
    [
      'no VAT ids, reverse charge',
      requestOf([{ category: 'reverse_charge' }], { seller: { ...noVat, country: 'DE' } }),
      ['sellerVat', 'buyerVat'],
    ],
    [
      'a tax number, export',
      requestOf([{ category: 'export' }], { seller: { vat: '12/345', country: 'DE' } }),
      ['sellerVat'],
    ],
    [
      'no VAT ids, intra-community',
      requestOf([K], { seller: { ...noVat, country: 'DE' } }),
      ['sellerVat', 'buyerVat'],
    ],
    ['one country, intra-community', requestOf([K], { buyer: { vat: ids.DE } }), ['buyerVat']],
    [
      'a buyer outside the EU, intra-community',
      requestOf([K], { buyer: { vat: ids.CH } }),
      ['buyerVat'],
    ],
    [
      'a seller outside the EU, intra-community',
      requestOf([K], { seller: { vat: ids.CH }, buyer: { vat: ids.AT } }),
      ['sellerVat'],
    ],
    [
      'export at home',
      requestOf([{}, { category: 'export' }], { buyer: { country: 'DE' } }),
      ['lines/1/taxCategory'],
    ],
    [
      'VAT ids outside the scope',
      requestOf([{}], { country: null, buyer: { vat: ids.AT } }),
      ['sellerVat', 'buyerVat'],
    ],
    [
      'outside the scope beside another',
      requestOf([{}, { category: 'outside_scope' }]),
      ['lines/1/taxCategory'],
    ],
    ['exempt without a reason', requestOf([{}, exempt(null)]), ['lines/1/taxExemptionReason']],
    [
      'two reasons',
      requestOf([exempt('Art. 132'), exempt('Art. 135')]),
      ['lines/1/taxExemptionReason'],
    ],
    ['an unknown code', requestOf([exempt('VATEX-EU-999')]), ['lines/0/taxExemptionReason']],
    [
      'the code of another category',
      requestOf([exempt('VATEX-EU-AE')]),
      ['lines/0/taxExemptionReason'],
    ],
    ['a reason at a rate', requestOf([{ reason: 'Why not' }]), ['lines/0/taxExemptionReason']],
  ])('%s', (_, request, wanted) => {
    expect(paths(request)).toEqual(wanted)
  })

  test('everything at once, the first problem of each field, twenty at most', () => {
    const wrong = { quantitySource: '0', unitPriceSource: '-1', unit: 'PCS', taxRate: 1 }
    const request = requestOf([wrong, wrong], { seller: { name: null, vat: null } })
    expect(paths(request)).toEqual([
      ...[0, 1].flatMap((at) =>
        ['quantity', 'unitPrice', 'unit', 'taxRate'].map((name) => `lines/${at}/${name}`),
      ),
      'sellerName',
      'sellerCountry',
      'sellerVat',
    ])
    expect(paths(requestOf(Array(100).fill(wrong)))).toHaveLength(20)
  })

  test('in the form with parties as objects, by their paths', () => {
    const seller = { ...base.seller, name: null, vat: null, wallet: '0x' }
    expect(paths(linedRequest([{}], { seller }))).toEqual([
      'seller/name',
      'seller/country',
      'seller/vat',
    ])
  })

  test('goods from Northern Ireland count as the EU’s', () => {
    const { XI: vat } = ids
    expect(problems(requestOf([K], { seller: { vat }, buyer: { vat: ids.AT } }))).toEqual([])
  })
})

test('units and exemption codes are those of the code lists of EN 16931', async () => {
  const lists = await Bun.file(
    new URL(import.meta.resolve('@e-invoice-eu/core/dist/e-invoice-eu.esm.js')),
  ).text()
  const enumAt = (end: number) => {
    const list = lists.slice(lists.lastIndexOf('enum: [', end), end)
    return [...list.matchAll(/'([^']+)'/g)].map(([, code = '']) => code)
  }
  const vatexAt = lists.indexOf('vatex: {')
  const vatex = enumAt(lists.indexOf(']', vatexAt))
  expect([...unitCodes].toSorted()).toEqual(enumAt(vatexAt).toSorted())
  expect(vatex.length).toBeGreaterThan(50)
  for (const code of vatex) expect(isExemptionCode(code)).toBe(true)
  const special = ['VATEX-EU-AE', 'VATEX-EU-IC', 'VATEX-EU-G', 'VATEX-EU-O']
  for (const reason of vatex.filter((code) => !special.includes(code)))
    expect(problems(requestOf([{ category: 'exempt', reason }]))).toEqual([])
})
