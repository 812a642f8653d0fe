import { startSolanaNode } from '../test/support/solana-node.ts'
import { transferOnSolana } from '../test/support/solana-transfer.ts'
import { type DemoChain, payersUsdcBase } from './chain.ts'

/** Half of mainnet's. */
const slotMs = 200
/** Slots until a block is final, as on mainnet. */
const finalizedLag = 32

export function startSolanaChain(): DemoChain {
  const node = startSolanaNode({ finalizedLag })
  const payer = node.wallet(1)
  const clock = setInterval(() => node.advance(1), slotMs)
  return {
    chain: 'solana',
    url: node.url,
    async pay(payment) {
      node.mintTo(payer.publicKey, payersUsdcBase)
      return transferOnSolana(node, payer, payment)
    },
    async stop() {
      clearInterval(clock)
      await node.stop()
    },
  }
}
