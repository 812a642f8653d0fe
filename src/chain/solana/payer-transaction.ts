import { hex } from '@scure/base'
import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js'
import { associatedProgram, systemProgram, tokenProgram } from '../../domain/address.ts'
import { DomainError } from '../../domain/error.ts'
import type { SolanaPayment } from '../../domain/invoices/payer-transaction.ts'
import type { Terms } from '../../domain/invoices/terms.ts'
import { usdcScale } from '../../domain/money/money.ts'
import { associatedTokenAccount } from './accounts.ts'
import { solanaRpc } from './solana.ts'

type Paid = Pick<Terms, 'payTo' | 'usdcAddress' | 'dueUsdcBase' | 'reference'>

/** Blockhashes are good for about a minute. */
const blockhashKeptMs = 5_000

/** Errors: `unavailable` where no node answers. */
export function solanaPayments(rpcUrls: readonly string[], steadyMs: () => number) {
  const rpc = rpcUrls.length > 0 ? solanaRpc({ rpcUrls }) : null
  const existing = new Set<string>()
  let blockhash = { text: '', untilMs: Number.NEGATIVE_INFINITY }

  /** A transfer by `payer`, who pays for it, with the invoice's reference as an account. */
  async function paymentBy(payer: string, paid: Paid): Promise<SolanaPayment> {
    const from = associatedTokenAccount(payer, paid.usdcAddress)
    const to = associatedTokenAccount(paid.payTo, paid.usdcAddress)
    const [recent, isThere] = await Promise.all([recentBlockhash(), hasAccount(to)]).catch(
      (error) => {
        const message = 'Solana does not answer; try again shortly'
        throw new DomainError('unavailable', message, { operatorText: String(error) })
      },
    )
    const transaction = new Transaction({
      feePayer: new PublicKey(payer),
      recentBlockhash: recent,
    })
    if (!isThere) transaction.add(opening(payer, to, paid))
    transaction.add(transfer(payer, from, to, paid))
    const unsigned = { requireAllSignatures: false, verifySignatures: false }
    return { transaction: transaction.serialize(unsigned).toString('base64') }
  }

  async function recentBlockhash(): Promise<string> {
    if (steadyMs() < blockhash.untilMs) return blockhash.text
    const [answer] = await ask('getLatestBlockhash', [{ commitment: 'confirmed' }])
    const text = (answer as { value: { blockhash: string } }).value.blockhash
    blockhash = { text, untilMs: steadyMs() + blockhashKeptMs }
    return text
  }

  async function hasAccount(address: string): Promise<boolean> {
    if (existing.has(address)) return true
    const [answer] = await ask('getAccountInfo', [address, { encoding: 'base64' }])
    const isThere = (answer as { value: unknown }).value !== null
    if (isThere) existing.add(address)
    return isThere
  }

  function ask(method: string, params: readonly unknown[]) {
    if (!rpc) throw new Error('SOLANA_RPC_URL is not set')
    return rpc.ask([{ method, params }])
  }

  return paymentBy
}

function transfer(payer: string, from: string, to: string, paid: Paid): TransactionInstruction {
  const data = Buffer.alloc(10)
  data.writeUInt8(transferCheckedTag, 0)
  data.writeBigUInt64LE(paid.dueUsdcBase, 1)
  data.writeUInt8(usdcScale, 9)
  const reference = new PublicKey(hex.decode(paid.reference.slice(2))).toBase58()
  const keys = [
    changed(from),
    read(paid.usdcAddress),
    changed(to),
    signed(payer, false),
    read(reference),
  ]
  return new TransactionInstruction({ programId: new PublicKey(tokenProgram), keys, data })
}

/** Opens the recipient's token account, unless somebody else has just done so. */
function opening(payer: string, to: string, { payTo, usdcAddress }: Paid): TransactionInstruction {
  const named = [payTo, usdcAddress, systemProgram, tokenProgram].map(read)
  const keys = [signed(payer, true), changed(to), ...named]
  const data = Buffer.of(createIdempotentTag)
  return new TransactionInstruction({ programId: new PublicKey(associatedProgram), keys, data })
}

function read(key: string) {
  return { pubkey: new PublicKey(key), isSigner: false, isWritable: false }
}

function changed(key: string) {
  return { ...read(key), isWritable: true }
}

function signed(key: string, isWritable: boolean) {
  return { ...read(key), isSigner: true, isWritable }
}

const transferCheckedTag = 12
const createIdempotentTag = 1
