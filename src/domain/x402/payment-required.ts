import { toDecimal, usdcScale } from '../money/money.ts'
import { caip2Of, type Network, networks } from '../network.ts'
import { identifierOffer } from './payment-identifier.ts'
import type { OwnRequirements } from './requirements.ts'

export type Resource = {
  readonly url: string
  readonly description: string
  readonly priceUsdcBase: bigint
}

export type PaymentOption = Omit<OwnRequirements, 'usdcBase'> & {
  /** Signed payments can be settled there. */
  readonly takesSigned: boolean
  /** Transfers already made can be read there. */
  readonly takesTransfers: boolean
}

/** `amount` is in base units of `asset`. */
export type AcceptsEntry = ReturnType<typeof entryOf>

/** The x402 v2 object; the plain form's members repeat the first entry. */
export type PaymentRequired = ReturnType<typeof paymentRequired>

const maxTimeoutSeconds = 120
const byTransferOnly =
  'Payment required, by a plain transfer only: no signed payment can be settled now'
const unnoticed =
  'Payment required, but do not pay: no payment would be noticed or settled on any network now'

/**
 * Solana first. Offers networks that settle signed payments, else those that read transfers;
 * without either it says so. `options` must not be empty.
 */
export function paymentRequired(
  resource: Resource,
  options: readonly PaymentOption[],
  problem?: string,
) {
  const sorted = options.toSorted((a, b) => place(a.network) - place(b.network))
  const signed = sorted.filter(({ takesSigned }) => takesSigned)
  const read = sorted.filter(({ takesTransfers }) => takesTransfers)
  const noticed = signed.length > 0 ? signed : read
  const offered = noticed.length > 0 ? noticed : sorted
  const reason =
    signed.length > 0 ? 'Payment required' : read.length > 0 ? byTransferOnly : unnoticed
  const [first] = offered
  if (!first) throw new Error('a payment requirement needs a network')
  const { url, description } = resource
  return {
    x402Version: 2 as const,
    error: problem ?? reason,
    resource: { url, description, mimeType: 'application/json' },
    accepts: offered.map((option) => entryOf(requirementsFor(resource, option))),
    price: toDecimal(resource.priceUsdcBase, usdcScale),
    token: first.asset,
    recipient: first.payTo,
    network: caip2Of(first.network),
    extensions: identifierOffer,
  }
}

/** What a resource costs on one network. */
export function requirementsFor(
  { priceUsdcBase }: Resource,
  { network, asset, payTo, extra }: PaymentOption,
): OwnRequirements {
  return { network, asset, payTo, usdcBase: priceUsdcBase, extra }
}

/** Requirements as x402 v2 writes them. */
export function entryOf({ network, asset, payTo, usdcBase, extra }: OwnRequirements) {
  return {
    scheme: 'exact' as const,
    network: caip2Of(network) as `${string}:${string}`,
    amount: `${usdcBase}`,
    asset,
    payTo,
    maxTimeoutSeconds,
    extra: { ...extra },
  }
}

function place(network: Network): number {
  return network === 'solana' ? -1 : networks.indexOf(network)
}
