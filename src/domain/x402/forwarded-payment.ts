import { addressProblem, networkLike } from '../address.ts'
import { canonical, type Json } from '../canonical.ts'
import { invalidField } from '../error.ts'
import { sha256Hex } from '../hash.ts'
import { isObject, type JsonObject } from '../json-text.ts'
import { addressKey, evmWord, isAnyTxHash, type Network } from '../network.ts'
import { readPayload } from './payload.ts'
import {
  isSame,
  type PaymentRequirements,
  requirementsIn,
  type Token,
  tokenOn,
} from './requirements.ts'

/** Signed as a whole transaction by all but its fee payer. */
export type SignedTransfer = {
  readonly payer: string
  /** Identifies the signed message among the payer's others. */
  readonly nonce: string
  readonly usdcBase: bigint
  /** The message names only a token account, not its owner. */
  isTo(wallet: string): boolean
}

/** Reads base64; null unless it is one signed transfer of USDC. */
export type ReadTransfer = (transaction: string) => SignedTransfer | null

/** `made`: a transfer made before; `opaque`: only its upstream can read it. */
export type PaymentKind = 'eip3009' | 'permit2' | 'message' | 'made' | 'opaque'

/** A payment that an agent sends with a request. */
export type ForwardedPayment = {
  /** The same however the payment is written. */
  readonly key: string
  readonly kind: PaymentKind
  /** Null if it does not say: a transfer already made, or a message in version 1. */
  readonly requirements: PaymentRequirements | null
  /** Signed on Solana. */
  readonly transfer: SignedTransfer | null
  readonly payer: string | null
  /** Of EIP-3009 and Permit2, as 32 bytes. */
  readonly nonce: string | null
  /** Unix time in ms; null if it does not say. */
  readonly validBeforeMs: number | null
  /** Of a transfer already made. */
  readonly made: { readonly txHash: string; readonly signature: string } | null
}

/**
 * Reads the header named `header`. Errors: `invalid_request` for a payment that contradicts itself
 * or, on Solana and in version 1, cannot be read.
 */
export function readForwarded(
  value: JsonObject,
  header: string,
  tokens: readonly Token[],
  readTransfer: ReadTransfer,
): ForwardedPayment {
  refuseTwoInOne(value, header)
  if ('txHash' in value) return readMade(value, header)
  const sent = readPayload(value)
  if (sent?.kind !== 'signed') throw invalidField(header, 'is not an x402 payment')
  const { payload, accepted } = sent
  const token = tokenOn(sent.network, tokens)
  if (!token) throw invalidField(header, 'pays on a network that is not supported')
  if (value.network !== undefined && tokenOn(value.network, tokens) !== token)
    throw contradictory(header)
  const requirements = accepted && requirementsIn(accepted, tokens)
  if (accepted && !requirements)
    throw invalidField(header, 'is not a payment in USDC that the token itself moves')
  if (token.network === 'solana') {
    const { transaction } = payload
    const transfer = typeof transaction === 'string' ? readTransfer(transaction) : null
    if (!transfer) throw invalidField(header, 'is not one readable signed transfer of USDC')
    if (requirements && !isPaidBy(transfer, requirements)) throw contradictory(header)
    const { payer, nonce } = transfer
    return {
      ...unread,
      kind: 'message',
      key: `message:solana:${nonce}`,
      requirements,
      transfer,
      payer,
    }
  }
  if (isObject(payload.authorization))
    return readEip3009(payload.authorization, token, requirements, header)
  if (isObject(payload.permit2Authorization))
    return readPermit2(payload.permit2Authorization, token, requirements, header)
  // Only its upstream can read this payload.
  if (!requirements) throw invalidField(header, 'does not say what it pays')
  const key = `payload:${token.network}:${sha256Hex(canonical(payload as Json))}`
  return { ...unread, key, requirements }
}

/** Upstreams differ in which of two payments they take, so we could count the wrong one. */
function refuseTwoInOne({ txHash, payload }: JsonObject, header: string): void {
  const { authorization, permit2Authorization } = isObject(payload) ? payload : {}
  const isTwo = (one: unknown, other: unknown) => one !== undefined && other !== undefined
  if (isTwo(txHash, payload) || isTwo(authorization, permit2Authorization))
    throw invalidField(header, 'holds two payments')
}

/**
 * Where a payment names no wallet, only the first `readRecipients` are tried: each takes computing.
 */
export function requirementsPaid(
  { requirements, transfer }: ForwardedPayment,
  offered: readonly PaymentRequirements[],
): PaymentRequirements | undefined {
  if (requirements) return offered.find((one) => isSame(one, requirements))
  if (!transfer) return undefined
  const likely = offered.filter((one) => isAsMuch(transfer, one)).slice(0, readRecipients)
  return likely.find(({ payTo }) => transfer.isTo(payTo))
}

const readRecipients = 50

function isPaidBy(transfer: SignedTransfer, requirements: PaymentRequirements): boolean {
  return isAsMuch(transfer, requirements) && transfer.isTo(requirements.payTo)
}

function isAsMuch({ usdcBase }: SignedTransfer, requirements: PaymentRequirements): boolean {
  return requirements.network === 'solana' && requirements.usdcBase === usdcBase
}

const unread = {
  kind: 'opaque',
  requirements: null,
  transfer: null,
  payer: null,
  nonce: null,
  validBeforeMs: null,
  made: null,
} as const

const digits = /^\d{1,16}$/
/** A deadline may be the largest number of an EVM chain. */
const longDigits = /^\d{1,78}$/

function readEip3009(
  { from, to, nonce, value, validBefore }: JsonObject,
  { network }: Token,
  accepted: PaymentRequirements | null,
  header: string,
): ForwardedPayment {
  const payer = readAddress(from, network, header)
  const payTo = readAddress(to, network, header)
  const word = read(nonce, evmWord, header)
  const requirements = { network, payTo, usdcBase: BigInt(read(value, digits, header)) }
  if (accepted && !isSame(accepted, requirements)) throw contradictory(header)
  const validBeforeMs = Number(read(validBefore, digits, header)) * 1_000
  const key = `eip3009:${network}:${payer}:${word}`
  return { ...unread, kind: 'eip3009', key, requirements, payer, nonce: word, validBeforeMs }
}

/** Upstreams read a number of an EVM chain in either form. */
const anyNumber = /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i

/** Permit2 takes a nonce of a payer once, whatever is signed with it. */
function readPermit2(
  { from, permitted, nonce, deadline, witness }: JsonObject,
  { network, usdcAddress }: Token,
  accepted: PaymentRequirements | null,
  header: string,
): ForwardedPayment {
  const payer = readAddress(from, network, header)
  const { token, amount } = isObject(permitted) ? permitted : {}
  const payTo = readAddress(isObject(witness) ? witness.to : null, network, header)
  const requirements = { network, payTo, usdcBase: BigInt(read(amount, digits, header)) }
  const isUsdc = typeof token === 'string' && addressKey(token) === addressKey(usdcAddress)
  if (!isUsdc || (accepted && !isSame(accepted, requirements))) throw contradictory(header)
  const number = BigInt(read(nonce, anyNumber, header))
  const word = `0x${number.toString(16).padStart(64, '0')}`
  if (!evmWord.test(word)) throw invalidField(header, 'holds a nonce that is too large')
  const key = `permit2:${network}:${payer}:${number}`
  const validBeforeMs = Number(read(deadline, longDigits, header)) * 1_000
  return { ...unread, kind: 'permit2', key, requirements, payer, nonce: word, validBeforeMs }
}

function contradictory(header: string) {
  return invalidField(header, 'pays something else than it says')
}

/** Others may have sent theirs by the same transaction. */
function readMade({ txHash, signature, payer }: JsonObject, header: string): ForwardedPayment {
  const isHash = typeof txHash === 'string' && isAnyTxHash(txHash)
  const isSigned = typeof signature === 'string' && signature.length > 0
  if (!isHash || !isSigned || typeof payer !== 'string')
    throw invalidField(header, 'needs txHash, signature and payer')
  const [hash, from] = [addressKey(txHash), readAddress(payer, networkLike(txHash), header)]
  const made = { txHash: hash, signature }
  return { ...unread, kind: 'made', key: `transfer:${hash}:${from}`, payer: from, made }
}

function readAddress(value: unknown, network: Network, header: string): string {
  const text = typeof value === 'string' ? value : ''
  const problem = addressProblem(network, text)
  if (problem !== null) throw invalidField(header, `holds an address that ${problem}`)
  return addressKey(text)
}

function read(value: unknown, pattern: RegExp, header: string): string {
  if (typeof value !== 'string' || !pattern.test(value))
    throw invalidField(header, 'holds an authorization that cannot be read')
  return value.toLowerCase()
}
