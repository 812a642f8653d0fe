import type { Profile } from '../accounts/profile.ts'
import { type Detail, invalidDetails } from '../error.ts'
import { invalidAmount, minorScale, sumOf, toDecimal, usdcScale } from '../money/money.ts'
import type { RateRow } from '../money/tax-rates.ts'
import { problemsOf, type Role } from '../vat/preconditions.ts'
import { type Line, sharesOf, type TaxCategory } from './lines.ts'
import type { Request } from './request.ts'
import { lineOf, type Pricing, type RequestedLine } from './requested-line.ts'
import { partiesWithLines } from './seller.ts'
import { submittedAmount } from './submitted-amount.ts'
import type { Terms } from './terms.ts'

/** What depends on whether an invoice has lines. */
export type Priced = Pick<
  Terms,
  | 'submittedAmount'
  | 'scale'
  | 'minorScale'
  | 'subtotalUnits'
  | 'tax'
  | 'buyer'
  | 'seller'
  | 'lines'
>

const mostDetails = 20

/**
 * Prices an invoice by its lines: nets are rounded line by line, tax once for each category and
 * rate. Errors: `invalid_request` with everything that is wrong with lines and parties;
 * `invalid_amount` for an amount that is not the sum of the nets.
 */
export function linedForm(
  request: Request,
  requested: readonly RequestedLine[],
  taxRates: RateRow | null,
  profile: Profile,
): Priced {
  const problems: Detail[] = []
  const lines = linesOf(request, requested, taxRates, problems)
  const reasons = reasonsOf(requested, lines, problems)
  const parties = partiesOf(request, lines, profile, problems)
  if (problems.length > 0) throw invalidDetails(firstOf(problems))
  const breakdown = sharesOf(lines, reasons)
  const scale = minorScale(request.currency)
  const subtotalUnits = sumOf(lines, ({ netUnits }) => netUnits)
  const rates = new Set(breakdown.map(({ rateBasisPoints }) => rateBasisPoints))
  const [rateBasisPoints = 0] = rates
  return {
    submittedAmount: submittedOf(request, subtotalUnits, scale),
    scale,
    subtotalUnits,
    tax: {
      countryCode: request.country,
      rateBasisPoints: rates.size === 1 ? rateBasisPoints : null,
      taxUnits: sumOf(breakdown, ({ taxUnits }) => taxUnits),
      breakdown,
    },
    ...parties,
    lines,
  }
}

function linesOf(
  { form, currency, country }: Request,
  requested: readonly RequestedLine[],
  rates: RateRow | null,
  problems: Detail[],
): readonly Line[] {
  const rateOf: Pricing['rateOf'] = (type) =>
    rates && (type === 'reduced' ? rates.reducedBasisPoints : rates.standardBasisPoints)
  const isRated = ({ category }: RequestedLine) => category === 'standard' || category === 'reduced'
  if (!rates && requested.some(isRated))
    problems.push({ path: 'taxCountry', message: 'is required for lines at a rate of VAT' })
  const pricing = { form, currency, taxCountry: country, rateOf }
  return requested.map((line, at) =>
    lineOf(line, pricing, (member, message) =>
      problems.push({ path: `lines/${at}/${member}`, message }),
    ),
  )
}

/** EN 16931 has one reason for a whole category. */
function reasonsOf(
  requested: readonly RequestedLine[],
  lines: readonly Line[],
  problems: Detail[],
): ReadonlyMap<TaxCategory, string> {
  const reasons = new Map<TaxCategory, string>()
  const refuse = (at: number, message: string) =>
    problems.push({ path: `lines/${at}/taxExemptionReason`, message })
  lines.forEach(({ category }, at) => {
    const reason = requested[at]?.reason ?? null
    if (reason === null) return
    const first = reasons.get(category) ?? reason
    if (first !== reason) refuse(at, `must be the same on all lines that are ${category}`)
    reasons.set(category, first)
  })
  const exemptAt = lines.findIndex(({ category }) => category === 'exempt')
  if (exemptAt >= 0 && !reasons.has('exempt'))
    refuse(exemptAt, 'is required with taxCategory exempt: a text or a VATEX code')
  return reasons
}

function partiesOf(
  request: Request,
  lines: readonly Line[],
  profile: Profile,
  problems: Detail[],
): Pick<Terms, 'buyer' | 'seller'> {
  const categories = lines.map(({ category }) => category)
  const isOutside = categories.every((category) => category === 'outside_scope')
  const parties = partiesWithLines(request, profile, isOutside)
  const taxed = { ...parties, taxCountry: request.country, categories }
  problems.push(...problemsOf({ ...taxed, path: (role, member) => pathOf(request, role, member) }))
  return parties
}

/** Only the form with parties as objects has a wallet. */
function pathOf({ seller }: Request, role: Role, member: string): string {
  if (seller.wallet !== null) return `${role}/${member}`
  return `${role}${member.charAt(0).toUpperCase()}${member.slice(1)}`
}

/** The sum of the lines, as the request writes it if it has an amount. */
function submittedOf(request: Request, subtotalUnits: bigint, scale: number): string {
  const total = request.form === 'api' ? `${subtotalUnits}` : toDecimal(subtotalUnits, scale)
  if (subtotalUnits === 0n) throw invalidAmount('of all lines must be positive')
  if (request.amountSource === null) return total
  const submitted = submittedAmount(request)
  const microOf = (units: bigint, scale: number) => units * 10n ** BigInt(usdcScale - scale)
  if (microOf(submitted.subtotalUnits, submitted.scale) !== microOf(subtotalUnits, scale))
    throw invalidAmount(`must be ${total}, the sum of the lines, or left out`)
  return submitted.submittedAmount
}

/** The first problem of each member. */
function firstOf(problems: readonly Detail[]): readonly Detail[] {
  const byPath = new Map<string, Detail>()
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem)
  return [...byPath.values()].slice(0, mostDetails)
}
