import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import {
  Connection,
  type Keypair,
  PublicKey,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import type { SolanaNode } from './solana-node.ts'

const usdcDecimals = 6
const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

/** Sends USDC with a memo, as a wallet does; answers the signature without waiting for the confirmation. */
export function transferOnSolana(
  { url, mint }: SolanaNode,
  payer: Keypair,
  { to, usdcBase, reference }: { to: string; usdcBase: bigint; reference: string },
): Promise<string> {
  const [from, owner] = [payer.publicKey, new PublicKey(to)]
  const source = getAssociatedTokenAddressSync(mint, from)
  const target = getAssociatedTokenAddressSync(mint, owner)
  const transaction = new Transaction().add(
    createAssociatedTokenAccountIdempotentInstruction(from, target, owner, mint),
    createTransferCheckedInstruction(source, mint, target, from, usdcBase, usdcDecimals),
    new TransactionInstruction({ programId: memo, keys: [], data: Buffer.from(reference) }),
  )
  return new Connection(url, 'confirmed').sendTransaction(transaction, [payer])
}
