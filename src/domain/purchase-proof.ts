import { createHash } from 'node:crypto'
import { invalidField } from './error.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { addressKey, evmAddress, evmWord, isAnyAddress, isAnyTxHash } from './network.ts'
import { chainNamed, type Demand, demandOf, isSame, type Token } from './purchase-demand.ts'

/** A signed authorization to move USDC once (EIP-3009); sender and nonce identify it on chain. */
export type Authorization = {
  readonly from: string
  readonly nonce: string
  /** Unix time in ms after which it is no longer valid. */
  readonly validBeforeMs: number
}

/** A payment that is being forwarded. */
export type Proof = {
  /** Identifies the payment for ever: the same payment has the same key, however it is written. */
  readonly key: string
  /** What it pays; null if it does not say. */
  readonly demand: Demand | null
  readonly authorization: Authorization | null
  readonly payer: string | null
  /** The transaction of a transfer already made; else null. */
  readonly txHash: string | null
}

/**
 * Reads the content of a `PAYMENT-SIGNATURE` or `X-PAYMENT` header (`header` names it): x402
 * version 1 or 2, or the specification's `{txHash, signature, payer}`. Errors: `invalid_request`
 * naming the header, also for a payment that differs from what it says it pays.
 */
export function proofOf(value: JsonObject, header: string, tokens: readonly Token[]): Proof {
  if ('txHash' in value) return transferOf(value, header)
  const { payload } = value
  if (!isObject(payload)) throw invalidField(header, 'is not an x402 payment')
  const accepted = isObject(value.accepted) ? value.accepted : null
  const token = chainNamed((accepted ?? value).network, tokens)
  if (!token) throw invalidField(header, 'pays on a network that is not supported')
  const asked = accepted && demandOf(accepted, tokens)
  if (accepted && !asked) throw invalidField(header, 'is not a payment in USDC')
  if (isObject(payload.authorization))
    return authorized(payload.authorization, token, asked, header)
  // A payload that only its network can read; it is taken to pay what it says.
  const hash = createHash('sha256').update(JSON.stringify(payload)).digest('hex')
  return {
    key: `payload:${token.chain}:${hash}`,
    demand: asked,
    authorization: null,
    payer: null,
    txHash: null,
  }
}

const digits = /^\d{1,16}$/

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
  if (asked && !isSame(asked, demand))
    throw invalidField(header, 'pays something else than it says')
  const validBeforeMs = Number(read(said.validBefore, digits, header)) * 1_000
  return {
    key: `eip3009:${chain}:${from}:${nonce}`,
    demand,
    authorization: { from, nonce, validBeforeMs },
    payer: from,
    txHash: null,
  }
}

function transferOf({ txHash, signature, payer }: JsonObject, header: string): Proof {
  const isHash = typeof txHash === 'string' && isAnyTxHash(txHash)
  const isSigned = typeof signature === 'string' && signature.length > 0
  const isPayer = typeof payer === 'string' && isAnyAddress(payer)
  if (!isHash || !isSigned || !isPayer)
    throw invalidField(header, 'needs txHash, signature and payer')
  const hash = addressKey(txHash)
  return {
    key: `transfer:${hash}`,
    demand: null,
    authorization: null,
    payer: addressKey(payer),
    txHash: hash,
  }
}

function read(value: unknown, look: RegExp, header: string): string {
  if (typeof value !== 'string' || !look.test(value))
    throw invalidField(header, 'holds an authorization that cannot be read')
  return value.toLowerCase()
}
