import type { Hex } from 'viem'
import type { InvoiceChain } from '../src/domain/network.ts'
import { registry } from '../src/domain/registry.ts'
import { type EvmNode, startEvmNode } from '../test/support/evm-node.ts'
import { type DemoChain, payersUsdcBase } from './chain.ts'

type EvmName = Exclude<InvoiceChain, 'solana'>

/** An EVM chain of the demo. Its `node` also carries the anchor contract. */
export type DemoEvmChain = DemoChain & { readonly node: EvmNode }

/** Shorter than the real ones, except Arbitrum's. */
const blockTimeSeconds = (chain: EvmName) => (chain === 'arbitrum' ? 0.25 : 1)

export async function startEvmChain(chain: EvmName): Promise<DemoEvmChain> {
  const { chainId, usdcAddress, gasless } = registry[chain]
  const node = await startEvmNode({
    chainId: chainId ?? 0,
    blockTimeSeconds: blockTimeSeconds(chain),
    usdcAddress: usdcAddress as Hex,
    isGasless: gasless,
  })
  const { address: payer, privateKey: payerKey } = node.wallet(1)
  return {
    chain,
    url: node.url,
    node,
    // Account 7 anchors, and account 9 mints.
    facilitator: { FACILITATOR_EVM_PRIVATE_KEY: node.wallet(6).privateKey },
    payerKey,
    async pay(payment) {
      await node.mint(payer, payersUsdcBase)
      return node.transfer({ from: payer, ...payment })
    },
    stop: node.stop,
  }
}
