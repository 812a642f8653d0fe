import { invalidField } from '../error.ts'
import type { Fx, Request } from '../invoices/request.ts'
import type { Party } from '../invoices/terms.ts'
import { isDollar } from '../money/currency.ts'
import { minorScale, parseAmount, rateScale, usdcScale } from '../money/money.ts'
import type { PaymentRequirements } from '../x402/requirements.ts'

export type Order = {
  readonly requirements: PaymentRequirements
  readonly method: string
  readonly url: URL
  readonly description: string | null
  readonly buyer: Party
  readonly country: string | null
  readonly agentId: string | null
  readonly mandateId: string | null
  readonly poNumber: string | null
  /** Of the demand; null if it was not read to its end. */
  readonly demandSha256: string | null
}

/** Exactly the price in USDC is due; tax is recorded on top but not paid. */
export function invoiceRequest(order: Order): Request {
  const { requirements, method, url, description, buyer, country, agentId, mandateId, poNumber } =
    order
  const seller = {
    name: url.host,
    email: null,
    address: null,
    vat: null,
    wallet: requirements.payTo,
  }
  const about = { x402: { method, url: url.href }, ...(poNumber !== null && { poNumber }) }
  return {
    form: 'api',
    amountSource: `${requirements.usdcBase}`,
    currency: 'USDC',
    chain: requirements.network,
    country,
    buyer,
    seller,
    description: description ?? `${method} ${url.origin}${url.pathname}`.slice(0, 4_000),
    agentId,
    mandateId,
    payer: null,
    dueAt: null,
    metadata: JSON.stringify(about),
    purchase: { payTo: requirements.payTo, poNumber },
  }
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
