import { isAnyTxHash, networks } from '../../domain/network.ts'
import { type ChainRow, registry } from '../../domain/registry.ts'
import { short } from '../format.ts'

export function chainName(chain: string): string {
  return rowOf(chain)?.label ?? chain
}

export function PaymentLink({ chain, txHash }: { chain: string; txHash: string }) {
  return <Transaction explorer={rowOf(chain)?.explorer} txHash={txHash} />
}

export function AnchorLink({ chainId, txHash }: { chainId: number; txHash: string }) {
  const row = Object.values(registry).find((one) => one.chainId === chainId)
  return <Transaction explorer={row?.explorer} txHash={txHash} />
}

function rowOf(chain: string): ChainRow | undefined {
  const network = networks.find((one) => one === chain)
  return network && registry[network]
}

/** Nobody sends what is minted. */
export function Sender({ from }: { from: string | null }) {
  return from === null ? 'a mint' : <code title={from}>{short(from)}</code>
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
