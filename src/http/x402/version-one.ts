import type { PaymentRequired, Requirement } from '../../domain/x402.ts'
import { queryOf } from '../request-url.ts'

/** The networks that have names in x402 v1; its clients refuse a body with any other. */
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
  const entryOf = ({ network: caip2, amount, ...rest }: Requirement) => {
    const network = names.find((name) => caip2Of(name) === caip2)
    if (!network) return []
    const { url, description, mimeType } = resource
    return { ...rest, network, maxAmountRequired: amount, resource: url, description, mimeType }
  }
  return { x402Version: 1, error, accepts: accepts.flatMap(entryOf) }
}
