import type { PaymentRequired } from '../../domain/x402/paywall.ts'
import { queryOf } from '../request/request-url.ts'

/**
 * The networks that have names in x402 v1; its clients refuse a body with any other. They take the
 * first entry in USDC, also where they hold a key of EVM chains only, so Solana comes last; a
 * client with a key of Solana looks for that.
 */
const names = ['base', 'polygon', 'solana']

/**
 * Whether a request asks for an answer in the form of x402 v1; nothing else distinguishes clients
 * of that version.
 */
export function asksForVersionOne({ url }: Request): boolean {
  return queryOf(url).get('x402Version') === '1'
}

/** The body of a 402 as in x402 v1. `caip2Of` gives the CAIP-2 name of a network, as v2 uses. */
export function versionOne(
  { error, accepts, resource }: PaymentRequired,
  caip2Of: (network: string) => string,
): object {
  const { url, description, mimeType } = resource
  const entriesOf = (network: string) =>
    accepts
      .filter((one) => one.network === caip2Of(network))
      .map(({ amount, ...rest }) => {
        return { ...rest, network, maxAmountRequired: amount, resource: url, description, mimeType }
      })
  return { x402Version: 1, error, accepts: names.flatMap(entriesOf) }
}

/** What x402 v1 calls a network; its CAIP-2 name where that version has no name for it. */
export function nameInVersionOne(network: string, caip2Of: (network: string) => string): string {
  return names.includes(network) ? network : caip2Of(network)
}
