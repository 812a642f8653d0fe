import { isObject, type JsonObject, unpacked } from '../json-text.ts'
import { maxUnits, parseAmount, usdcScale } from '../money/money.ts'
import { addressKey, type InvoiceChain, isAddress } from '../network.ts'

/** USDC on one chain, and the chain's names in x402: CAIP-2 in version 2, a word in version 1. */
export type Token = {
  readonly chain: InvoiceChain
  readonly names: readonly string[]
  readonly usdcAddress: string
}

/** What a resource demands for access: `usdcBase` at `payTo`. */
export type Demand = {
  readonly chain: InvoiceChain
  readonly payTo: string
  readonly usdcBase: bigint
}

/** A 402 response: its `PAYMENT-REQUIRED` header and its body. */
export type Unpaid = { readonly header: string | null; readonly body: string }

/** What a 402 says. */
export type Offer = {
  /** The payment options in USDC on known chains, in the upstream's order. */
  readonly demands: readonly Demand[]
  /** What is paid for. */
  readonly description: string | null
  /** Why the request was not answered otherwise. */
  readonly error: string | null
}

/**
 * Reads a 402 in any of its three forms:
 * - version 2: a header, in base64
 * - the specification's own: a header with `price`, `token`, `recipient`, `network` as plain JSON
 * - version 1: the body
 *
 * Options that cannot be read, or are not `exact` USDC, are left out.
 */
export function offerOf({ header, body }: Unpaid, tokens: readonly Token[]): Offer {
  const said = (header !== null && readJson(header)) || readJson(body) || {}
  const accepts = Array.isArray(said.accepts) ? said.accepts.filter(isObject) : null
  const demands = accepts
    ? accepts.map((option) => demandOf(option, tokens))
    : [plainDemand(said, tokens)]
  const { description } = isObject(said.resource) ? said.resource : (accepts?.[0] ?? {})
  return {
    demands: demands.filter((demand) => demand !== null),
    description: textIn(description),
    error: textIn(said.error),
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** One entry of `accepts`, of either version; null: not `exact` USDC on a known chain. */
export function demandOf(option: JsonObject, tokens: readonly Token[]): Demand | null {
  const token = tokenOf(option.network, option.asset, tokens)
  const usdcBase = unitsOf(option.amount ?? option.maxAmountRequired)
  if (option.scheme !== 'exact' || !token || usdcBase === null) return null
  return demand(token, option.payTo, usdcBase)
}

/** Whether two demands ask for the same payment. */
export function isSame(one: Demand, other: Demand): boolean {
  return one.chain === other.chain && one.payTo === other.payTo && one.usdcBase === other.usdcBase
}

/** The token of the chain with this name, in either version of x402. */
export function chainNamed(name: unknown, tokens: readonly Token[]): Token | undefined {
  return tokens.find(({ names }) => names.some((known) => known === name))
}

function readJson(text: string): JsonObject | null {
  const value = unpacked(text)
  return isObject(value) ? value : null
}

function plainDemand(said: JsonObject, tokens: readonly Token[]): Demand | null {
  const token = tokenOf(said.network, said.token, tokens)
  const usdcBase = priceOf(said.price)
  return token && usdcBase !== null ? demand(token, said.recipient, usdcBase) : null
}

function demand({ chain }: Token, payTo: unknown, usdcBase: bigint): Demand | null {
  return typeof payTo === 'string' && isAddress(chain, payTo)
    ? { chain, payTo: addressKey(payTo), usdcBase }
    : null
}

function tokenOf(network: unknown, asset: unknown, tokens: readonly Token[]): Token | undefined {
  const token = chainNamed(network, tokens)
  if (!token || typeof asset !== 'string') return undefined
  const isUsdc =
    asset.toUpperCase() === 'USDC' || addressKey(asset) === addressKey(token.usdcAddress)
  return isUsdc ? token : undefined
}

function unitsOf(amount: unknown): bigint | null {
  if (typeof amount !== 'string' || !/^[1-9]\d{0,15}$/.test(amount)) return null
  const units = BigInt(amount)
  return units <= maxUnits ? units : null
}

/** A price in USDC: `0.01`, `"0.01"` or `"$0.01"`. */
function priceOf(price: unknown): bigint | null {
  const text = typeof price === 'number' ? `${price}` : price
  if (typeof text !== 'string') return null
  try {
    return parseAmount(text.replace(/^\$/, ''), usdcScale)
  } catch {
    return null
  }
}
