import { base58, hex } from '@scure/base'
import { toAmount, usdcScale } from '../money/money.ts'
import { registry } from '../registry.ts'
import type { Terms } from './terms.ts'

/**
 * The URI that a wallet opens to pay this much: EIP-681, or Solana Pay with the reference also as a
 * memo.
 */
export function paymentLink(
  { payTo, reference, ...token }: Pick<Terms, 'chain' | 'usdcAddress' | 'payTo' | 'reference'>,
  usdcBase: bigint,
): string {
  const link = transferLink(token, { to: payTo, usdcBase })
  if (registry[token.chain].kind === 'evm') return link
  return `${link}&reference=${base58.encode(hex.decode(reference.slice(2)))}&memo=${reference}`
}

/** The URI of a transfer that pays no invoice: EIP-681 or Solana Pay. */
export function transferLink(
  { chain, usdcAddress }: Pick<Terms, 'chain' | 'usdcAddress'>,
  { to, usdcBase }: { readonly to: string; readonly usdcBase: bigint },
): string {
  const { kind, chainId } = registry[chain]
  return kind === 'evm'
    ? `ethereum:${usdcAddress}@${chainId}/transfer?address=${to}&uint256=${usdcBase}`
    : `solana:${to}?amount=${toAmount(usdcBase, usdcScale)}&spl-token=${usdcAddress}`
}
