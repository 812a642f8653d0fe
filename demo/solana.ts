import { base58 } from '@scure/base'
import { Connection } from '@solana/web3.js'
import { startSolanaNode } from '../test/support/solana-node.ts'
import { transferUsdc } from '../test/support/solana-transfer.ts'
import { type DemoChain, payersUsdcBase } from './chain.ts'

/** Half of mainnet's slot time. */
const slotMs = 200
/** Slots until a block is final, as on mainnet. */
const finalizedLag = 32

export function startSolanaChain(): DemoChain {
  const node = startSolanaNode({ finalizedLag })
  const payer = node.wallet(1)
  const connection = new Connection(node.url, 'confirmed')
  const clock = setInterval(() => node.advance(1), slotMs)
  return {
    chain: 'solana',
    url: node.url,
    facilitator: { FACILITATOR_SVM_PRIVATE_KEY: base58.encode(node.wallet(2).secretKey) },
    payerKey: base58.encode(payer.secretKey),
    async pay({ to, usdcBase, reference }) {
      node.mintTo(payer.publicKey, payersUsdcBase)
      return transferUsdc(connection, payer, { mint: node.mint, to, usdcBase, memo: reference })
    },
    async stop() {
      clearInterval(clock)
      await node.stop()
    },
  }
}
