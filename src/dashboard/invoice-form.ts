import type { Detail } from '../domain/error.ts'
import { sharesOf, type TaxCategory } from '../domain/invoices/lines.ts'
import { lineOf, type RequestedLine } from '../domain/invoices/requested-line.ts'
import { minorScale, readDecimal, sumOf, toDecimal } from '../domain/money/money.ts'
import { isAddress, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { decimalIn } from './format.ts'
import {
  amountProblems,
  bodyOf,
  currencyOf,
  type Fields,
  minor,
  sentence,
  textsOf,
} from './forms.ts'

/** The VAT of a country, in percent, from a UTC day on, which may be to come. */
export type Rates = {
  readonly countryCode: string
  readonly country: string
  readonly standard: number
  readonly reduced: number
  readonly from: string
}

/** The body of `POST /api/invoices` for a filled-in form. Throws if the amount is not valid. */
export function invoiceOf(fields: Fields) {
  const { amount, currency: code, ...rest } = bodyOf(fields)
  const currency = currencyOf(code)
  if (textsOf(fields).has('amount'))
    return { ...rest, amount: minor('The amount', amount, currency), currency }
  return { ...rest, lines: linesIn(fields).map(sent), currency }
}

/** What is wrong with a new invoice's filled-in fields. */
export function invoiceProblems(fields: Fields): readonly Detail[] {
  const typed = textsOf(fields)
  const network = networks.find((one) => one === typed.get('chain'))
  const wallet = typed.get('seller/wallet')
  const isElsewhere = network && wallet && !isAddress(network, wallet)
  return [
    ...(typed.has('amount') ? amountProblems(typed, 'amount') : pricedOf(fields).problems),
    ...(isElsewhere
      ? [{ path: 'seller/wallet', message: `Enter an address on ${registry[network].label}.` }]
      : []),
  ]
}

/** Whether one line with nothing but an amount is typed, which needs no more of the parties. */
export function isFlat(fields: Fields): boolean {
  const [first, ...others] = linesIn(fields)
  if (!first) return true
  const isOne = first.quantitySource === '"1"' && first.unit === 'C62'
  return isOne && first.category === null && others.length === 0
}

export type Priced = ReturnType<typeof pricedOf>

/**
 * What the lines come to in minor units, by the service's own arithmetic. What is not valid counts
 * as nothing.
 */
export function pricedOf(fields: Fields, rates?: Rates) {
  const currency = currencyOf(textsOf(fields).get('currency'))
  const decimals = pricePlaces + minorScale(currency)
  const rules: Readonly<Record<string, string>> = {
    quantity: 'Enter a number above 0, with at most 6 decimals, such as 2.5.',
    unitPrice: `Enter a number, with at most ${decimals} decimals in ${currency}, such as 12.50.`,
  }
  const problems: Detail[] = []
  const lines = linesIn(fields).map((line, at) =>
    lineOf(
      line,
      {
        form: 'api',
        currency,
        taxCountry: rates?.countryCode ?? null,
        rateOf: (type) => (rates ? Math.round(rates[type] * 100) : null),
      },
      (member, message) =>
        problems.push({
          path: `lines/${at}/${member}`,
          message: rules[member] ?? sentence(message),
        }),
    ),
  )
  const shares = sharesOf(lines, new Map())
  const netUnits = sumOf(shares, ({ baseUnits }) => baseUnits)
  const totalUnits = netUnits + sumOf(shares, ({ taxUnits }) => taxUnits)
  return { currency, lines, problems, shares, netUnits, totalUnits }
}

/** The API takes decimals of minor units, of as many places. */
const pricePlaces = 6

function linesIn(fields: Fields): readonly RequestedLine[] {
  const typed = textsOf(fields)
  const scale = minorScale(currencyOf(typed.get('currency')))
  const lines: RequestedLine[] = []
  while (typed.has(`lines/${lines.length}/quantity`)) {
    const text = (name: string) => typed.get(`lines/${lines.length}/${name}`) ?? ''
    lines.push({
      description: text('description'),
      quantitySource: `"${decimalIn(text('quantity'))}"`,
      unitPriceSource: priceSource(typed.get('amount') ?? text('unitPrice'), scale),
      unit: text('unit') || null,
      category: (text('taxCategory') || null) as TaxCategory | null,
      taxRate: null,
      reason: text('taxExemptionReason') || null,
    })
  }
  return lines
}

/** People write whole units of the currency. */
function priceSource(price: string, scale: number): string {
  const units = readDecimal(`"${decimalIn(price)}"`, pricePlaces + scale)
  return typeof units === 'bigint' ? `"${toDecimal(units, pricePlaces)}"` : '""'
}

function sent({ description, unit, category, reason, ...line }: RequestedLine) {
  return {
    description,
    quantity: line.quantitySource.slice(1, -1),
    unitPrice: line.unitPriceSource.slice(1, -1),
    ...(unit && { unit }),
    ...(category && { taxCategory: category }),
    ...(reason && { taxExemptionReason: reason }),
  }
}
