import { createHash, createPrivateKey, sign } from 'node:crypto'
import { base58, hex } from '@scure/base'
import { VersionedMessage } from '@solana/web3.js'
import type { Payload } from '../domain/x402.ts'
import type { Authorization } from '../domain/x402-payment.ts'
import { tokenProgram } from './solana-accounts.ts'

/** A signed payment on Solana, as x402 carries it: a transaction that only its fee payer has not signed yet. */
export type PaymentMessage = {
  /** The wallet that moves its tokens. */
  readonly payer: string
  /** Of the message: the blockhash it hangs on, then its own SHA-256, 64 hex digits each. */
  readonly nonce: string
}

/**
 * What a transaction (base64, as it goes over the wire) pays with; null where it is none or calls no token program. The message names the
 * payment, not its signatures: whoever signs it anew still moves the same money, and Solana takes a message once.
 */
export function readPaymentMessage(transaction: string): PaymentMessage | null {
  try {
    const message = messageIn(Buffer.from(transaction, 'base64'))
    const { staticAccountKeys, compiledInstructions, recentBlockhash } =
      VersionedMessage.deserialize(message)
    const transfer = compiledInstructions.find(({ programIdIndex }) =>
      tokenPrograms.includes(`${staticAccountKeys[programIdIndex]}`),
    )
    const payer = staticAccountKeys[transfer?.accountKeyIndexes[authorityAt] ?? -1]
    const hash = createHash('sha256').update(message).digest('hex')
    return payer
      ? {
          payer: payer.toBase58(),
          nonce: hex.encode(base58.decode(recentBlockhash)) + hash,
        }
      : null
  } catch {
    return null
  }
}

/** How long a message can be taken: 150 blocks, rarely more than a minute and a half. The chain itself is asked before any is given up. */
const lifetimeMs = 120_000

/** The payment in an x402 payload for Solana, received at `now`; null where it has none of the right look. */
export function solanaAuthorization({ transaction }: Payload, now: Date): Authorization | null {
  const isText = typeof transaction === 'string' && base64Look.test(transaction)
  const message = isText ? readPaymentMessage(transaction) : null
  const validBefore = new Date(now.getTime() + lifetimeMs)
  return message && { network: 'solana', ...message, validBefore, payload: { transaction } }
}

/**
 * Whether the account that pays the fee of a transaction (base64) does nothing else in it: it is named by no instruction. Its signature is
 * passed on to every program that is called with it, and such a program may spend what it has.
 */
export function paysFeeOnly(transaction: string): boolean {
  const message = messageIn(Buffer.from(transaction, 'base64'))
  const { compiledInstructions } = VersionedMessage.deserialize(message)
  return compiledInstructions.every(
    ({ programIdIndex, accountKeyIndexes }) =>
      ![programIdIndex, ...accountKeyIndexes].includes(feePayerAt),
  )
}

/** The blockhash in a nonce, in base58. */
export function blockhashOf(nonce: string): string {
  return base58.encode(hex.decode(nonce.slice(0, 64)))
}

/** A key that pays fees: its address, and its signature on a transaction whose first signer it is. */
export type FeePayer = {
  readonly address: string
  /** Answers the transaction in base64, and its signature in base58, by which Solana knows it. */
  cosign(transaction: string): { readonly signed: string; readonly txHash: string }
}

/** `privateKey`: the 64 bytes that wallets import (seed and public key), in base58. Throws where it is not. */
export function feePayer(privateKey: string): FeePayer {
  const bytes = base58.decode(privateKey)
  if (bytes.length !== 64) throw new Error('the key of a fee payer has 64 bytes')
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  const jwk = { kty: 'OKP', crv: 'Ed25519', d, x } as const
  const key = createPrivateKey({ key: jwk as object, format: 'jwk' })
  return {
    address: base58.encode(bytes.subarray(32)),
    cosign(transaction) {
      // Over the bytes as they came: written anew, they might no longer be what the payer signed.
      const wire = Buffer.from(transaction, 'base64')
      const signature = sign(null, messageIn(wire), key)
      wire.set(signature, 1)
      return { signed: wire.toString('base64'), txHash: base58.encode(signature) }
    },
  }
}

/** Behind the count of signatures (one byte, as there are few) and the signatures. */
function messageIn(wire: Uint8Array): Uint8Array {
  const [signatures = 0] = wire
  if (signatures < 1 || signatures > 12) throw new Error('no transaction')
  return wire.subarray(1 + signatures * 64)
}

/** A transaction has at most 1,232 bytes. */
const base64Look = /^[A-Za-z0-9+/]{4,1644}={0,2}$/
/** Of `transferChecked`: source, mint, destination, and then whose tokens they are. */
const authorityAt = 3
/** A message lists the account that pays its fee first. */
const feePayerAt = 0
const tokenPrograms: readonly string[] = [
  tokenProgram,
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]
