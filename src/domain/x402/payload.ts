import { canonical, type Json } from '../canonical.ts'
import { invalidField } from '../error.ts'
import { sha256Hex } from '../hash.ts'
import { isObject, type JsonObject } from '../json-text.ts'
import {
  addressKey,
  evmAddress,
  evmWord,
  type InvoiceChain,
  isAnyAddress,
  isAnyTxHash,
} from '../network.ts'
import { chainNamed, type Demand, demandOf, isSame, type Token } from './requirements.ts'

/** A signed authorization to move USDC once (EIP-3009); sender and nonce identify it on chain. */
export type Authorization = {
  readonly from: string
  readonly nonce: string
}

/** A transfer of USDC on Solana, signed as a whole transaction by all but who pays its fee. */
export type SignedTransfer = {
  /** The wallet that moves its tokens. */
  readonly payer: string
  /** Identifies the signed message among the payer's others: Solana takes a message once. */
  readonly nonce: string
  readonly usdcBase: bigint
  /** Whether a wallet receives it. The message names only a token account, not whose it is. */
  isTo(wallet: string): boolean
}

/** Reads a transaction (base64); null where it is not one transfer of USDC, signed by its payer. */
export type ReadTransfer = (transaction: string) => SignedTransfer | null

/** A payment that is being forwarded. */
export type Proof = {
  /** Identifies the payment for ever: the same payment has the same key, however it is written. */
  readonly key: string
  /** The key under which the version before knew the payment; null: the same. */
  readonly formerKey: string | null
  /**
   * What it pays; null if it does not say: a transfer that was already made, or one signed on
   * Solana in version 1, which names no recipient's wallet.
   */
  readonly demand: Demand | null
  readonly authorization: Authorization | null
  /** The transfer that was signed on Solana; else null. */
  readonly transfer: SignedTransfer | null
  readonly payer: string | null
  /** Unix time in ms after which it is no longer valid; null if it does not say. */
  readonly validBeforeMs: number | null
  /** The transaction of a transfer already made; else null. */
  readonly txHash: string | null
}

/**
 * Reads the content of a `PAYMENT-SIGNATURE` or `X-PAYMENT` header (`header` names it): x402
 * version 1 or 2, or the specification's `{txHash, signature, payer}`. Errors: `invalid_request`
 * naming the header, also for a payment that differs from what it says it pays, and for one that
 * does not let itself be read where it must be: on Solana, and in version 1.
 */
export function proofOf(
  value: JsonObject,
  header: string,
  tokens: readonly Token[],
  readTransfer: ReadTransfer,
): Proof {
  refuseTwoInOne(value, header)
  if ('txHash' in value) return transferOf(value, header)
  const { payload } = value
  if (!isObject(payload)) throw invalidField(header, 'is not an x402 payment')
  const accepted = isObject(value.accepted) ? value.accepted : null
  const token = chainNamed((accepted ?? value).network, tokens)
  if (!token) throw invalidField(header, 'pays on a network that is not supported')
  // Version 1 has the network there, whatever stands in `accepted`.
  if (value.network !== undefined && chainNamed(value.network, tokens) !== token)
    throw differs(header)
  const asked = accepted && demandOf(accepted, tokens)
  if (accepted && !asked) throw invalidField(header, 'is not a payment in USDC')
  const keyOf = (text: string) => `payload:${token.chain}:${sha256Hex(text)}`
  const formerKey = keyOf(JSON.stringify(payload))
  if (token.chain === 'solana') {
    const { transaction } = payload
    const transfer = typeof transaction === 'string' ? readTransfer(transaction) : null
    if (!transfer) throw invalidField(header, 'is not one signed transfer of USDC that can be read')
    if (asked && !isPaidBy(transfer, asked)) throw differs(header)
    return {
      ...unread,
      key: `message:solana:${transfer.nonce}`,
      formerKey,
      demand: asked,
      transfer,
    }
  }
  if (isObject(payload.authorization))
    return authorized(payload.authorization, token, asked, header)
  if (isObject(payload.permit2Authorization))
    return {
      ...unread,
      formerKey,
      ...permitted(payload.permit2Authorization, token, asked, header),
    }
  // A payload that only its upstream can read; it is taken to pay what it says.
  if (!asked) throw invalidField(header, 'does not say what it pays')
  return { ...unread, key: keyOf(canonical(payload as Json)), formerKey, demand: asked }
}

/**
 * Refuses two payments in one header: it goes on as it came, and upstreams differ in which of them
 * they take, so what is counted and looked for here might not be what is paid.
 */
function refuseTwoInOne({ txHash, payload }: JsonObject, header: string): void {
  const { authorization, permit2Authorization } = isObject(payload) ? payload : {}
  const isTwo = (one: unknown, other: unknown) => one !== undefined && other !== undefined
  if (isTwo(txHash, payload) || isTwo(authorization, permit2Authorization))
    throw invalidField(header, 'holds two payments')
}

/**
 * Which of these demands a payment pays, as far as it says. Where it names no recipient's wallet,
 * only the first `readRecipients` that may be meant are tried: to tell takes some computing.
 */
export function demandPaid(
  { demand, transfer }: Proof,
  offered: readonly Demand[],
): Demand | undefined {
  if (demand) return offered.find((one) => isSame(one, demand))
  if (!transfer) return undefined
  const likely = offered.filter((one) => isAsMuch(transfer, one)).slice(0, readRecipients)
  return likely.find(({ payTo }) => transfer.isTo(payTo))
}

/** How many wallets a payment is compared with that does not say whose account it pays. */
export const readRecipients = 50

function isPaidBy(transfer: SignedTransfer, demand: Demand): boolean {
  return isAsMuch(transfer, demand) && transfer.isTo(demand.payTo)
}

function isAsMuch({ usdcBase }: SignedTransfer, demand: Demand): boolean {
  return demand.chain === 'solana' && demand.usdcBase === usdcBase
}

/** A proof of which nothing has been read. */
const unread = {
  formerKey: null,
  demand: null,
  authorization: null,
  transfer: null,
  payer: null,
  validBeforeMs: null,
  txHash: null,
} as const

const digits = /^\d{1,16}$/
/** Of a deadline that is for ever: the largest number of an EVM chain. */
const longDigits = /^\d{1,78}$/

function authorized(
  said: JsonObject,
  { chain }: Token,
  asked: Demand | null,
  header: string,
): Proof {
  const from = read(said.from, evmAddress, header)
  const payTo = read(said.to, evmAddress, header)
  const nonce = read(said.nonce, evmWord, header)
  const demand = { chain, payTo, usdcBase: BigInt(read(said.value, digits, header)) }
  if (asked && !isSame(asked, demand)) throw differs(header)
  const validBeforeMs = Number(read(said.validBefore, digits, header)) * 1_000
  return {
    ...unread,
    key: eip3009Key(chain, { from, nonce }),
    demand,
    authorization: { from, nonce },
    payer: from,
    validBeforeMs,
  }
}

/** The key of a payment by EIP-3009 on a chain. */
export function eip3009Key(chain: InvoiceChain, { from, nonce }: Authorization): string {
  return `eip3009:${chain}:${from}:${nonce}`
}

/** Upstreams read a number of an EVM chain in either form. */
const anyNumber = /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i

/**
 * What Permit2 may move: whose USDC, how much, to whom and until when. It takes a nonce of a payer
 * once, whatever is signed with it.
 */
function permitted(
  { from, permitted, nonce, deadline, witness }: JsonObject,
  { chain, usdcAddress }: Token,
  asked: Demand | null,
  header: string,
) {
  const payer = read(from, evmAddress, header)
  const { token, amount } = isObject(permitted) ? permitted : {}
  const payTo = read(isObject(witness) ? witness.to : null, evmAddress, header)
  const demand = { chain, payTo, usdcBase: BigInt(read(amount, digits, header)) }
  const isUsdc = read(token, evmAddress, header) === addressKey(usdcAddress)
  if (!isUsdc || (asked && !isSame(asked, demand))) throw differs(header)
  const key = `permit2:${chain}:${payer}:${BigInt(read(nonce, anyNumber, header))}`
  return { key, demand, payer, validBeforeMs: Number(read(deadline, longDigits, header)) * 1_000 }
}

function differs(header: string) {
  return invalidField(header, 'pays something else than it says')
}

/** A transfer that was made. Others may have sent theirs by the same transaction. */
function transferOf({ txHash, signature, payer }: JsonObject, header: string): Proof {
  const isHash = typeof txHash === 'string' && isAnyTxHash(txHash)
  const isSigned = typeof signature === 'string' && signature.length > 0
  const isPayer = typeof payer === 'string' && isAnyAddress(payer)
  if (!isHash || !isSigned || !isPayer)
    throw invalidField(header, 'needs txHash, signature and payer')
  const [hash, from] = [addressKey(txHash), addressKey(payer)]
  const formerKey = `transfer:${hash}`
  return { ...unread, key: `${formerKey}:${from}`, formerKey, payer: from, txHash: hash }
}

function read(value: unknown, look: RegExp, header: string): string {
  if (typeof value !== 'string' || !look.test(value))
    throw invalidField(header, 'holds an authorization that cannot be read')
  return value.toLowerCase()
}
