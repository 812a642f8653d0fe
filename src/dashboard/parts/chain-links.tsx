import { chains } from '../../documents/pdf/explorers.ts'
import { isAnyTxHash } from '../../domain/network.ts'
import { short } from '../format.ts'

/** Block explorers of the chains that receipts are anchored on, by chain id. */
const explorers: Readonly<Record<number, string>> = {
  8453: chains.base.explorer,
  137: chains.polygon.explorer,
  42161: chains.arbitrum.explorer,
  1187947933: chains.skale.explorer,
}

/** The display name of a chain. */
export function chainName(chain: string): string {
  return Object.hasOwn(chains, chain) ? chains[chain as keyof typeof chains].name : chain
}

/** A payment's transaction, linked to a block explorer. */
export function PaymentLink({ chain, txHash }: { chain: string; txHash: string }) {
  const explorer = Object.hasOwn(chains, chain) && chains[chain as keyof typeof chains].explorer
  return <Transaction explorer={explorer || undefined} txHash={txHash} />
}

/** An anchor's transaction, linked to the block explorer of its chain. */
export function AnchorLink({ chainId, txHash }: { chainId: number; txHash: string }) {
  return <Transaction explorer={explorers[chainId]} txHash={txHash} />
}

function Transaction({ explorer, txHash }: { explorer: string | undefined; txHash: string }) {
  const code = <code title={txHash}>{short(txHash)}</code>
  if (!explorer || !isAnyTxHash(txHash)) return code
  return (
    <a href={explorer + txHash} target="_blank" rel="noreferrer">
      {code}
    </a>
  )
}
