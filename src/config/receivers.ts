import { type InvoiceChain, invoiceChains } from '../domain/network.ts'
import type { Config } from './config.ts'
import type { Secrets } from './secrets.ts'

/** A wallet of the service. `keyFile`: where its key is, if the service has generated it. */
export type Receiver = {
  readonly address: string
  readonly chains: readonly InvoiceChain[]
  readonly keyFile: string | null
}

/** Who is paid unless an account has its own wallet, in the order of chains. */
export function receiversOf(
  config: Config,
  { wallets, file }: Pick<Secrets, 'wallets' | 'file'>,
): readonly Receiver[] {
  const found = new Map<string, InvoiceChain[]>()
  for (const chain of invoiceChains) {
    const address = wallets[chain]
    if (address !== null) found.set(address, [...(found.get(address) ?? []), chain])
  }
  return [...found].map(([address, chains]) => {
    const isMade = chains.some((chain) => config.networks[chain].wallet === null)
    return { address, chains, keyFile: isMade ? file : null }
  })
}

/** The variables that name other wallets. */
export function walletVariables(chains: readonly InvoiceChain[]): string {
  return chains.map((chain) => `${chain.toUpperCase()}_WALLET`).join(', ')
}
