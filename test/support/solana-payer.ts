import { sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import type { Keypair } from '@solana/web3.js'
import { x402Client } from '@x402/core/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { payerStatement } from '../../src/domain/settlement/payer-statement.ts'

/** The official client. */
export async function solanaClient(url: string, { secretKey }: Keypair): Promise<x402Client> {
  const signer = await createKeyPairSignerFromBytes(secretKey)
  return new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl: url }))
}

/** Claims a transfer that is already on chain. */
export function transferProof(payer: Keypair, resource: string, txHash: string) {
  const statement = payerStatement({ subject: { resource }, chain: 'solana', txHash })
  const key = {
    format: 'der',
    type: 'pkcs8',
    key: Buffer.concat([ed25519Prefix, payer.secretKey.subarray(0, 32)]),
  } as const
  const signature = base58.encode(sign(null, Buffer.from(statement), key))
  return { txHash, signature, payer: payer.publicKey.toBase58() }
}

const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
