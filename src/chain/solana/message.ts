import { createPrivateKey, sign } from 'node:crypto'
import { base58, hex } from '@scure/base'
import { VersionedMessage } from '@solana/web3.js'
import { systemProgram, tokenProgram } from '../../domain/address.ts'
import { sha256Hex } from '../../domain/hash.ts'
import type { JsonObject } from '../../domain/json-text.ts'
import type { SignedTransfer } from '../../domain/x402/forwarded-payment.ts'
import type { SignedPayment } from '../../domain/x402/signed-payment.ts'
import { isEd25519 } from '../facilitator/payer-signature.ts'
import { associatedTokenAccount } from './accounts.ts'

/** A payment as x402 carries it: a transaction signed by all but its fee payer. */
export type PaymentMessage = {
  readonly payer: string
  /** Recent blockhash and SHA-256 of the message, 64 hex digits each. */
  readonly nonce: string
}

/** The message identifies a payment: Solana accepts it once, whatever its signatures. */
export function readPaymentMessage(transaction: string): PaymentMessage | null {
  const opened = open(transaction)
  return opened && paymentIn(opened)
}

/**
 * Null unless the transaction only transfers USDC once, and its payer has signed it. One with a
 * durable nonce could be sent for ever.
 */
export function readSignedTransfer(transaction: string, usdc: string): SignedTransfer | null {
  const opened = base64Form.test(transaction) ? open(transaction) : null
  const payment = opened && paymentIn(opened)
  if (!payment) return null
  const [call, ...others] = tokenCallsIn(opened)
  if (!call || others.length > 0 || isDurable(opened)) return null
  const { program, accounts, data } = call
  const [, mint, to] = accounts
  const isTransfer = data[0] === transferCheckedTag && data.length >= 9
  if (program !== tokenProgram || mint !== usdc || !isTransfer) return null
  if (!isSignedBy(payment.payer, opened)) return null
  return {
    ...payment,
    usdcBase: new DataView(data.buffer, data.byteOffset).getBigUint64(1, true),
    isTo: (wallet) => associatedTokenAccount(wallet, usdc) === to,
  }
}

type Opened = {
  readonly wire: Uint8Array
  readonly bytes: Uint8Array
  readonly message: VersionedMessage
}

function open(transaction: string): Opened | null {
  const wire = Buffer.from(transaction, 'base64')
  try {
    const bytes = messageIn(wire)
    return { wire, bytes, message: VersionedMessage.deserialize(bytes) }
  } catch {
    return null
  }
}

function paymentIn(opened: Opened): PaymentMessage | null {
  const { bytes, message } = opened
  const [payer] = tokenCallsIn(opened).map(({ accounts }) => accounts[authorityAt])
  const hash = sha256Hex(bytes)
  const blockhash = hex.encode(base58.decode(message.recentBlockhash))
  return payer ? { payer, nonce: blockhash + hash } : null
}

function isSignedBy(address: string, { wire, bytes, message }: Opened): boolean {
  const { header, staticAccountKeys } = message
  const signers = staticAccountKeys.slice(0, header.numRequiredSignatures)
  const at = signers.findIndex((key) => key.toBase58() === address)
  if (at < 0 || wire[0] !== signers.length) return false
  return isEd25519(bytes, wire.subarray(1 + at * 64, 1 + (at + 1) * 64), address)
}

function tokenCallsIn({ message: { staticAccountKeys, compiledInstructions } }: Opened) {
  const keys = staticAccountKeys.map(String)
  return compiledInstructions
    .map(({ programIdIndex, accountKeyIndexes, data }) => ({
      program: `${keys[programIdIndex]}`,
      accounts: accountKeyIndexes.map((index) => keys[index]),
      data,
    }))
    .filter(({ program }) => tokenPrograms.includes(program))
}

function isDurable({ message: { staticAccountKeys, compiledInstructions } }: Opened): boolean {
  const [first] = compiledInstructions
  const program = staticAccountKeys[first?.programIdIndex ?? -1]
  return program?.toBase58() === systemProgram && first?.data[0] === advanceNonceTag
}

/** How long a message may stay valid: 150 blocks, rarely more than a minute and a half. */
export const lifetimeMs = 120_000

/** Null unless its payer has signed it: anybody could otherwise block what others pay. */
export function solanaAuthorization({ transaction }: JsonObject, now: Date): SignedPayment | null {
  const isText = typeof transaction === 'string' && base64Form.test(transaction)
  const opened = isText ? open(transaction) : null
  const message = opened && paymentIn(opened)
  if (!message || !isSignedBy(message.payer, opened)) return null
  const validBefore = new Date(now.getTime() + lifetimeMs)
  return { network: 'solana', ...message, validBefore, payload: { transaction } }
}

export function feePayerIn(transaction: string): string {
  const message = messageIn(Buffer.from(transaction, 'base64'))
  return `${VersionedMessage.deserialize(message).staticAccountKeys[feePayerAt]}`
}

/** A program called with the fee payer's account gets its signature, and could spend its funds. */
export function paysFeeOnly(transaction: string): boolean {
  const message = messageIn(Buffer.from(transaction, 'base64'))
  const { compiledInstructions } = VersionedMessage.deserialize(message)
  return compiledInstructions.every(
    ({ programIdIndex, accountKeyIndexes }) =>
      ![programIdIndex, ...accountKeyIndexes].includes(feePayerAt),
  )
}

export function blockhashOf(nonce: string): string {
  return base58.encode(hex.decode(nonce.slice(0, 64)))
}

export type FeePayer = ReturnType<typeof feePayer>

/** `privateKey`: the 64 bytes that wallets import, in base58. Throws where it is not that. */
export function feePayer(privateKey: string) {
  const bytes = base58.decode(privateKey)
  if (bytes.length !== 64) throw new Error('the key of a fee payer has 64 bytes')
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  const jwk = { kty: 'OKP', crv: 'Ed25519', d, x } as const
  const key = createPrivateKey({ key: jwk as object, format: 'jwk' })
  return {
    address: base58.encode(bytes.subarray(32)),
    /** `signed` is in base64; `txHash`, the signature, in base58. */
    cosign(transaction: string) {
      // Signs the bytes as they came: serialised anew, they might not be what the payer signed.
      const wire = Buffer.from(transaction, 'base64')
      const signature = sign(null, messageIn(wire), key)
      wire.set(signature, 1)
      return { signed: wire.toString('base64'), txHash: base58.encode(signature) }
    },
  }
}

/** The message follows the number of signatures (1 to 12, one byte) and the signatures. */
function messageIn(wire: Uint8Array): Uint8Array {
  const [signatures = 0] = wire
  if (signatures < 1 || signatures > 12) throw new Error('no transaction')
  return wire.subarray(1 + signatures * 64)
}

/** A transaction has at most 1,232 bytes. */
const base64Form = /^[A-Za-z0-9+/]{4,1644}={0,2}$/
/** The accounts of `transferChecked` are source, mint, destination and owner. */
const authorityAt = 3
const transferCheckedTag = 12
const advanceNonceTag = 4
const feePayerAt = 0
const tokenPrograms: readonly string[] = [
  tokenProgram,
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]
