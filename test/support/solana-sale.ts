import { Connection } from '@solana/web3.js'
import { type PaymentMessage, readPaymentMessage } from '../../src/chain/solana/message.ts'
import { solanaPaymentReader } from '../../src/chain/solana/payments.ts'
import { solanaRpc } from '../../src/chain/solana/solana.ts'
import { startRpcRelay } from './rpc-relay.ts'
import { startSolanaNode } from './solana-node.ts'
import { transferUsdc } from './solana-transfer.ts'

/** A node of Solana on which wallet 0 has paid wallet 1 for something sold. */
export type SolanaSale = Awaited<ReturnType<typeof startSolanaSale>>

export async function startSolanaSale() {
  const node = startSolanaNode()
  const relay = startRpcRelay(node.url)
  const to = node.wallet(1).publicKey.toBase58()
  const order = { mint: node.mint, to, usdcBase: 1_000n, memo: 'what is sold' }
  node.mintTo(node.wallet(0).publicKey, 600n)
  const minted = node.mintTo(node.wallet(0).publicKey, 400n)
  const txHash = await transferUsdc(new Connection(node.url), node.wallet(0), order)
  node.advance(5)

  return {
    node,
    relay,
    /** The transaction that paid. */
    txHash,
    /** One that only gave the payer tokens. */
    minted,
    /** Reads payments at these URLs; by default at the relay's. */
    reader(...rpcUrls: string[]) {
      const rpc = solanaRpc({ rpcUrls: rpcUrls.length > 0 ? rpcUrls : [relay.url] })
      return solanaPaymentReader(rpc)
    },
    async messageIn(signature: string) {
      const options = { encoding: 'base64', maxSupportedTransactionVersion: 1 }
      const calls = [{ method: 'getTransaction', params: [signature, options] }]
      const [shown] = await solanaRpc({ rpcUrls: [node.url] }).ask(calls)
      const { transaction } = shown as { transaction: [string, string] }
      return readPaymentMessage(transaction[0]) as PaymentMessage
    },
    async stop() {
      await relay.stop()
      await node.stop()
    },
  }
}
