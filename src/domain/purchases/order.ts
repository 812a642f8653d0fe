import { invalidField } from '../error.ts'
import type { Fx, Request } from '../invoices/request.ts'
import type { Party, Terms } from '../invoices/terms.ts'
import { isDollar } from '../money/currency.ts'
import { minorScale, parseAmount, rateScale, usdcScale } from '../money/money.ts'
import type { PaymentRequirements } from '../x402/requirements.ts'

/** What a request says about the buyer and the books; null: nothing. */
export type Details = {
  readonly buyer: Party
  readonly country: string | null
  readonly poNumber: string | null
}

/** What is asked for, and what the upstream demands for it. */
export type Order = Details & {
  readonly method: string
  readonly url: URL
  /** Identifies the resource by method, URL and the request's body. */
  readonly resource: string
  readonly agentId: string | null
  readonly mandateId: string | null
  readonly options: readonly PaymentRequirements[]
  readonly description: string | null
  /** Of the demand; null if it was not read to its end. */
  readonly demandSha256: string | null
}

/** Requests the invoice of an order. Exactly the price in USDC is due; tax is only recorded. */
export function invoiceRequest(
  order: Omit<Order, 'options' | 'demandSha256' | 'resource'>,
  { network: chain, payTo, usdcBase }: PaymentRequirements,
  mandateHash: string | null,
): Request {
  const { method, url, description, buyer, country, agentId, mandateId, poNumber } = order
  const seller = { name: url.host, email: null, address: null, vat: null, wallet: payTo }
  const about = { x402: { method, url: url.href }, ...(poNumber !== null && { poNumber }) }
  return {
    form: 'api',
    amountSource: `${usdcBase}`,
    currency: 'USDC',
    chain,
    country,
    buyer,
    seller,
    description: description ?? `${method} ${url.origin}${url.pathname}`.slice(0, 4_000),
    agentId,
    mandateId,
    payer: null,
    dueAt: null,
    metadata: JSON.stringify(about),
    purchase: { payTo, poNumber, mandateHash },
  }
}

/** The details of a purchase's invoice with those of the paying request, which win. */
export function detailsWith(terms: Terms, said: Details): Details {
  const { buyer, tax, poNumber = null } = terms
  const { name, email, address, vat } = said.buyer
  return {
    buyer: {
      name: name ?? buyer.name,
      email: email ?? buyer.email,
      address: address ?? buyer.address,
      vat: vat ?? buyer.vat,
    },
    country: said.country ?? tax.countryCode,
    poNumber: said.poNumber ?? poNumber,
  }
}

/** The price of the cheapest option, of at least one. */
export function cheapest(options: readonly PaymentRequirements[]): bigint {
  const prices = options.map(({ usdcBase }) => usdcBase)
  return prices.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n
}

/**
 * In the smallest unit of a budget's currency, rounded up: many small payments must not slip
 * through. Errors: `invalid_request` for a currency without an exchange rate.
 */
export function costMinor(usdcBase: bigint, currency: string, fx: Fx): bigint {
  const rate = isDollar(currency) ? '1' : fx.rates[currency]
  if (rate === undefined)
    throw invalidField('X-Agent-Id', `no exchange rate is configured for this budget's ${currency}`)
  const numerator = usdcBase * 10n ** BigInt(minorScale(currency) + rateScale)
  const denominator = parseAmount(rate, rateScale) * 10n ** BigInt(usdcScale)
  return (numerator + denominator - 1n) / denominator
}
