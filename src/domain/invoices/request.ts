import { noProfile, type Profile } from '../accounts/profile.ts'
import { invalidField } from '../error.ts'
import { isDollar, requireCurrency } from '../money/currency.ts'
import { invalidAmount, maxUnits, minorScale, type Rate, toDueUsdcBase } from '../money/money.ts'
import * as Tax from '../money/tax.ts'
import { type RateRow, requireRates, type TaxTable } from '../money/tax-rates.ts'
import type { Network } from '../network.ts'
import { noName } from '../vat/preconditions.ts'
import { linedForm, type Priced } from './lined.ts'
import type { RequestedLine } from './requested-line.ts'
import { completed } from './seller.ts'
import { submittedAmount } from './submitted-amount.ts'
import type { Form, Party, Terms } from './terms.ts'

/**
 * A request checked by its schema. `amountSource` is the JSON text of the amount; null, which only
 * lines allow: their sum.
 */
export type Request = {
  readonly form: Form
  readonly amountSource: string | null
  /** Absent in the flat form. */
  readonly lines?: readonly RequestedLine[]
  readonly buyerReference?: string
  readonly currency: string
  readonly chain: Network
  readonly country: string | null
  readonly buyer: Party
  readonly seller: Party & { readonly wallet: string | null }
  readonly description: string | null
  readonly agentId: string | null
  readonly mandateId: string | null
  readonly payer: string | null
  readonly dueAt: string | null
  readonly metadata: string | null
  /** Bought through the proxy: its seller names the price, and tax never changes what is due. */
  readonly purchase?: {
    readonly payTo: string
    readonly poNumber: string | null
    readonly mandateHash: string | null
  }
}

/** Where an invoice on a chain is to be paid. */
export type Payee = {
  readonly payTo: string
  readonly usdcAddress: string
  readonly reference: string
  /** Set where `payTo` belongs to this invoice alone. */
  readonly depositIndex?: number
}

/** Exchange rates to USD. */
export type Fx = {
  readonly rates: Readonly<Record<string, string>>
  readonly source: string
  readonly asOf: string
}

/** What an invoice of a UTC day (`2026-05-01`) is converted and taxed at. */
export type Rates = { readonly day: string; readonly fx: Fx; readonly taxTable: TaxTable }

/**
 * The terms of a new invoice. Errors: `invalid_request` for an unknown currency or country, or a
 * currency or day without a rate, and for lines that do not fit; `invalid_amount` for one that is
 * inexact, too large or too small, or not the sum of the lines.
 */
export function fromRequest(
  request: Request,
  payee: Payee,
  { day, fx, taxTable }: Rates,
  profile: Profile = noProfile,
): Terms {
  const { country, lines } = request
  const currency = requireCurrency(request.currency)
  const taxRates = country === null ? null : requireRates(taxTable, country, day, 'taxCountry')
  const priced = lines
    ? linedForm(request, lines, taxRates, profile)
    : flatForm(request, taxRates, profile)
  const { scale, subtotalUnits, tax } = priced
  const totalUnits = subtotalUnits + tax.taxUnits
  const rate = isDollar(currency) ? null : rateOf(currency, fx)
  const dueUnits = request.purchase ? subtotalUnits : totalUnits
  const dueUsdcBase = toDueUsdcBase(dueUnits, scale, rate?.rate ?? null)
  if (totalUnits > maxUnits || dueUsdcBase > maxUnits) throw invalidAmount('is too large')
  if (dueUsdcBase === 0n) throw invalidAmount('comes to less than one millionth of a USDC')
  // SQL that counts taxes reads only what stands before `totalUnits`.
  return {
    form: request.form,
    submittedAmount: priced.submittedAmount,
    currency,
    scale,
    ...(priced.minorScale !== undefined && { minorScale: priced.minorScale }),
    subtotalUnits,
    tax,
    totalUnits,
    dueUsdcBase,
    fx: rate,
    chain: request.chain,
    payTo: payee.payTo,
    usdcAddress: payee.usdcAddress,
    reference: payee.reference,
    buyer: priced.buyer,
    seller: priced.seller,
    description: request.description,
    ...(priced.lines && { lines: priced.lines }),
    ...(request.buyerReference !== undefined && { buyerReference: request.buyerReference }),
    agentId: request.agentId,
    mandateId: request.mandateId,
    mandateHash: request.purchase?.mandateHash ?? null,
    payer: request.payer,
    dueAt: request.dueAt,
    metadata: request.metadata,
    ...(request.purchase && { isPurchase: true }),
    ...(request.purchase?.poNumber && { poNumber: request.purchase.poNumber }),
    ...(payee.depositIndex !== undefined && { depositIndex: payee.depositIndex }),
  }
}

function flatForm(request: Request, taxRates: RateRow | null, profile: Profile): Priced {
  const amount = submittedAmount(request)
  const { scale, subtotalUnits } = amount
  const ownScale = minorScale(request.currency)
  return {
    submittedAmount: amount.submittedAmount,
    scale,
    ...(scale > ownScale && { minorScale: ownScale }),
    subtotalUnits,
    tax: Tax.forAmount(subtotalUnits, taxRates),
    buyer: request.buyer,
    seller: sellerOf(request, profile),
  }
}

/** The seller of a purchase is somebody else than the account. */
function sellerOf({ seller, purchase }: Request, profile: Profile): Request['seller'] {
  if (purchase) return seller
  const named = completed(seller, profile)
  // The form that takes a wallet has always needed a name.
  if (seller.wallet !== null && named.name === null) throw invalidField('seller/name', noName)
  return named
}

/** Errors: `invalid_request` for a due date that has passed. */
export function refuseOverdue({ dueAt }: Request, now: Date): void {
  if (dueAt !== null && Date.parse(dueAt) <= now.getTime())
    throw invalidField('dueAt', 'must lie in the future')
}

function rateOf(currency: string, fx: Fx): Rate {
  const rate = Object.hasOwn(fx.rates, currency) ? fx.rates[currency] : undefined
  if (rate === undefined) {
    throw invalidField(
      'currency',
      `no exchange rate is configured for ${currency}; use ${['USD', 'USDC', ...Object.keys(fx.rates)].join(', ')}. Operators configure rates with FX_SOURCE=ecb, or with FX_RATES and FX_RATES_AS_OF`,
    )
  }
  return { rate, source: fx.source, asOf: fx.asOf }
}
