import { toAmount, usdcScale } from '../money/money.ts'
import { registry } from '../registry.ts'
import type { Terms } from './terms.ts'

/** The payment URI (EIP-681 or Solana Pay) for what is due now; the stored one may ask for more. */
export function paymentLink(
  { paymentUri, dueUsdcBase }: Pick<Terms, 'paymentUri' | 'dueUsdcBase'>,
  usdcBase: bigint,
): string {
  if (usdcBase === dueUsdcBase) return paymentUri
  return paymentUri
    .replace(/(?<=[?&]uint256=)\d+/, `${usdcBase}`)
    .replace(/(?<=[?&]amount=)[\d.]+/, toAmount(usdcBase, usdcScale))
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
