import type { PaymentRequired, Requirement } from '../../domain/x402.ts'
import { queryOf } from '../operation.ts'

/** The networks of which x402 v1 has names; its clients refuse a body that holds any other. */
const names = ['base', 'polygon', 'solana']

/** Whether a request asks to be answered as x402 v1 has it: nothing else tells its clients from others. */
export function asksForVersionOne({ url }: Request): boolean {
  return queryOf(url).get('x402Version') === '1'
}

/** The body of a 402 as x402 v1 has it. `caip2Of` names a network as v2 does. */
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
