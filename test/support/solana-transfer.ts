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
 * Pays USDC to a wallet as a wallet app does. The payee's token account is created if needed, and
 * the memo carries the reference. Answers the signature without waiting for confirmation: web3.js
 * learns of confirmations only over a websocket. One that fails is refused, unless it is sent
 * `unchecked`: then it fails on the chain.
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

/** The transaction that `transferUsdc` sends. */
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
  // Not web3.js's own blockhash, which it caches for half a minute however many slots pass.
  const { blockhash } = await connection.getLatestBlockhash()
  transaction.feePayer = from
  transaction.recentBlockhash = blockhash
  transaction.sign(payer)
  return transaction.serialize()
}

export function memo(text: string): TransactionInstruction {
  return new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(text) })
}
