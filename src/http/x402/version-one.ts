import { caip2Of, type Network, networks } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import type { PaymentRequired } from '../../domain/x402/payment-required.ts'

/**
 * The networks that x402 v1 names; its clients refuse others. Solana comes last, because they take
 * the first entry even if they hold only a key for EVM chains.
 */
const named = networks
  .flatMap((network) => {
    const { x402V1Name: name } = registry[network]
    return name === null ? [] : [{ network, caip2: caip2Of(network), name }]
  })
  .toSorted((a, b) => Number(a.network === 'solana') - Number(b.network === 'solana'))

export function versionOne({ error, accepts, resource }: PaymentRequired): object {
  const { url, description, mimeType } = resource
  const entries = named.flatMap(({ caip2, name: network }) =>
    accepts
      .filter((one) => one.network === caip2)
      .map(({ amount, ...rest }) => {
        return { ...rest, network, maxAmountRequired: amount, resource: url, description, mimeType }
      }),
  )
  return { x402Version: 1, error, accepts: entries }
}

/** What x402 v1 calls a network; its CAIP-2 name where that version has no name for it. */
export function nameInVersionOne(network: Network): string {
  return registry[network].x402V1Name ?? caip2Of(network)
}
