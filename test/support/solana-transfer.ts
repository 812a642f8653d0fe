import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import {
  type Connection,
  type Keypair,
  PublicKey,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'

const usdcDecimals = 6
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

type Payment = {
  readonly mint: PublicKey
  readonly to: string
  readonly usdcBase: bigint
  readonly memo: string
}

/**
 * As a wallet app does, with the reference as memo. Answers the signature without waiting: web3.js
 * learns of confirmations over a websocket. Sent `unchecked`, one that fails does so on chain.
 */
export async function transferUsdc(
  connection: Connection,
  payer: Keypair,
  payment: Payment & { readonly unchecked?: boolean },
): Promise<string> {
  const { unchecked: skipPreflight = false } = payment
  const transaction = await signedTransfer(connection, payer, payment)
  return connection.sendRawTransaction(transaction, { skipPreflight })
}

export async function signedTransfer(
  connection: Connection,
  payer: Keypair,
  payment: Payment,
): Promise<Buffer> {
  const { mint, usdcBase } = payment
  const [from, owner] = [payer.publicKey, new PublicKey(payment.to)]
  const source = getAssociatedTokenAddressSync(mint, from)
  const target = getAssociatedTokenAddressSync(mint, owner)
  const transaction = new Transaction().add(
    createAssociatedTokenAccountIdempotentInstruction(from, target, owner, mint),
    createTransferCheckedInstruction(source, mint, target, from, usdcBase, usdcDecimals),
    memo(payment.memo),
  )
  // web3.js caches its own for half a minute, however many slots pass.
  const { blockhash } = await connection.getLatestBlockhash()
  transaction.feePayer = from
  transaction.recentBlockhash = blockhash
  transaction.sign(payer)
  return transaction.serialize()
}

export function memo(text: string): TransactionInstruction {
  return new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(text) })
}
