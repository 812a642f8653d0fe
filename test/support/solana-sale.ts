import { Connection } from '@solana/web3.js'
import { type PaymentMessage, readPaymentMessage } from '../../src/chain/solana/message.ts'
import { solanaPaymentReader } from '../../src/chain/solana/payments.ts'
import { solanaRpc } from '../../src/chain/solana/solana.ts'
import { type RpcRelay, startRpcRelay } from './rpc-relay.ts'
import { type SolanaNode, startSolanaNode } from './solana-node.ts'
import { transferUsdc } from './solana-transfer.ts'

/** A node of Solana on which wallet 0 has paid wallet 1 for something sold. */
export type SolanaSale = {
  readonly node: SolanaNode
  readonly relay: RpcRelay
  /** The transaction that paid. */
  readonly txHash: string
  /** One that only gave the payer tokens. */
  readonly minted: string
  /** Reads payments at these URLs; by default at the relay's. */
  reader(...rpcUrls: string[]): ReturnType<typeof solanaPaymentReader>
  /** The payment in a transaction that the node has. */
  messageIn(signature: string): Promise<PaymentMessage>
  stop(): Promise<void>
}

export async function startSolanaSale(): Promise<SolanaSale> {
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
    txHash,
    minted,
    reader(...rpcUrls) {
      const rpc = solanaRpc({ rpcUrls: rpcUrls.length > 0 ? rpcUrls : [relay.url] })
      return solanaPaymentReader(rpc, { usdc: node.mint.toBase58() })
    },
    async messageIn(signature) {
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
