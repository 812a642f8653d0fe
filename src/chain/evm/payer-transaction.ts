import type { EvmPayment } from '../../domain/invoices/payer-transaction.ts'
import type { PaymentRequest } from '../../domain/invoices/request.ts'
import type { Network } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { topicOf, toQuantity } from './logs.ts'

type Paid = Pick<PaymentRequest, 'payTo' | 'usdcAddress' | 'dueUsdcBase' | 'reference'>

/** `transfer`, with the reference after its arguments, where the token does not look. */
export function evmPayment(network: Network, paid: Paid): EvmPayment {
  const { chainId, label, explorer, coin, publicRpcUrl } = registry[network]
  const amount = paid.dueUsdcBase.toString(16).padStart(64, '0')
  const id = toQuantity(chainId ?? 0)
  return {
    chainId: id,
    to: paid.usdcAddress,
    data: transferSelector + topicOf(paid.payTo).slice(2) + amount + paid.reference.slice(2),
    value: '0x0',
    chain: {
      chainId: id,
      chainName: label,
      rpcUrls: [publicRpcUrl],
      blockExplorerUrls: [new URL(explorer).origin],
      nativeCurrency: { name: coin, symbol: coin, decimals: 18 },
    },
  }
}

const transferSelector = '0xa9059cbb'
