import { addressProblem } from '../address.ts'
import { isObject, type JsonObject } from '../json-text.ts'
import { addressKey, evmWord, type Network } from '../network.ts'

/** What a payer signed: an EIP-3009 authorization or a Solana message. */
export type Authorization = { readonly payer: string; readonly nonce: string }

/**
 * EVM addresses and nonces are in lower case; a Solana transaction lacks the fee payer's signature.
 */
export type SignedPayment = Authorization & {
  readonly network: Network
  readonly validBefore: Date
  readonly payload: JsonObject
}

/** Identifies a payment, whichever transaction settles it. */
export function authorizationKey(network: Network, { payer, nonce }: Authorization): string {
  return `${network}:authorization:${addressKey(payer)}:${nonce.toLowerCase()}`
}

/** Null if the payload has no well-formed authorization. */
export function readAuthorization(network: Network, payload: JsonObject): SignedPayment | null {
  const { signature, authorization } = payload
  if (!isObject(authorization)) return null
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const isWhole =
    isLike(signature, /^0x(?:[0-9a-fA-F]{2}){65,2048}$/) &&
    [from, to].every((one) => addressProblem(network, `${one}`) === null) &&
    isLike(nonce, evmWord) &&
    [value, validAfter, validBefore].every((number) => isLike(number, /^\d{1,39}$/))
  if (!isWhole) return null
  const latestSeconds = Math.min(Number(validBefore), farFutureSeconds)
  return {
    network,
    payer: addressKey(`${from}`),
    nonce: `${nonce}`.toLowerCase(),
    validBefore: new Date(latestSeconds * 1000),
    payload: { signature, authorization: { from, to, value, validAfter, validBefore, nonce } },
  }
}

const farFutureSeconds = 253_402_300_799

function isLike(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
