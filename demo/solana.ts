import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import { Connection, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js'
import { startSolanaNode } from '../test/support/solana-node.ts'
import { type DemoChain, payersUsdcBase } from './chain.ts'

/** Half of mainnet's. */
const slotMs = 200
/** Slots until a block is final, as on mainnet. */
const finalizedLag = 32
const usdcDecimals = 6
const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

export function startSolanaChain(): DemoChain {
  const node = startSolanaNode({ finalizedLag })
  const payer = node.wallet(1)
  const connection = new Connection(node.url, 'confirmed')
  const clock = setInterval(() => node.advance(1), slotMs)
  return {
    chain: 'solana',
    url: node.url,
    async pay({ to, usdcBase, reference }) {
      node.mintTo(payer.publicKey, payersUsdcBase)
      const [from, owner] = [payer.publicKey, new PublicKey(to)]
      const source = getAssociatedTokenAddressSync(node.mint, from)
      const target = getAssociatedTokenAddressSync(node.mint, owner)
      const transaction = new Transaction().add(
        createAssociatedTokenAccountIdempotentInstruction(from, target, owner, node.mint),
        createTransferCheckedInstruction(source, node.mint, target, from, usdcBase, usdcDecimals),
        new TransactionInstruction({ programId: memo, keys: [], data: Buffer.from(reference) }),
      )
      // Without waiting for its confirmation, which web3.js hears of by a websocket only.
      return connection.sendTransaction(transaction, [payer])
    },
    async stop() {
      clearInterval(clock)
      await node.stop()
    },
  }
}
