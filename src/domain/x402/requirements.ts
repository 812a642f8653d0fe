import { addressProblem } from '../address.ts'
import { isObject, type JsonObject, unpacked } from '../json-text.ts'
import { maxUnits, parseAmount, usdcScale } from '../money/money.ts'
import { addressKey, type Network } from '../network.ts'

/** One way to pay for a resource, in USDC. */
export type PaymentRequirements = {
  readonly network: Network
  readonly payTo: string
  readonly usdcBase: bigint
}

/** `extra` is what payers need to sign: on Solana the fee payer. */
export type OwnRequirements = PaymentRequirements & {
  /** The address of USDC. */
  readonly asset: string
  readonly extra: Readonly<Record<string, unknown>>
}

/** `names` are those of x402: CAIP-2 in version 2, a word in version 1. */
export type Token = {
  readonly network: Network
  readonly names: readonly string[]
  readonly usdcAddress: string
  /** Its EIP-712 domain; null on Solana. */
  readonly domain: { readonly name: string; readonly version: string } | null
}

/** The `PAYMENT-REQUIRED` header and the body. */
export type Unpaid = { readonly header: string | null; readonly body: string }

export type Offer = {
  /** In USDC on known networks, in the upstream's order. */
  readonly accepts: readonly PaymentRequirements[]
  /** All options as they are named, readable or not. */
  readonly options: readonly OfferedOption[]
  readonly description: string | null
  readonly error: string | null
}

/** A name is null where it is no text. */
export type OfferedOption = Readonly<Record<'scheme' | 'network' | 'asset' | 'name', string | null>>

/**
 * Reads a 402 of version 2 (header in base64), version 1 (body) or the plain form (header). Leaves
 * out options that are unreadable or not `exact` USDC.
 */
export function offerOf({ header, body }: Unpaid, tokens: readonly Token[]): Offer {
  const said = (header !== null && readJson(header)) || readJson(body) || {}
  const options = Array.isArray(said.accepts) ? said.accepts.filter(isObject) : null
  const plain = 'price' in said ? { ...said, scheme: 'exact', asset: said.token } : null
  const accepts = options
    ? options.map((option) => requirementsIn(option, tokens))
    : [plainRequirements(said, tokens)]
  const { description } = isObject(said.resource) ? said.resource : (options?.[0] ?? {})
  return {
    accepts: accepts.filter((one) => one !== null),
    options: (options ?? (plain ? [plain] : [])).map(namesIn),
    description: textIn(description),
    error: textIn(said.error),
  }
}

function namesIn({ scheme, network, asset, extra }: JsonObject): OfferedOption {
  const name = isObject(extra) ? extra.name : null
  return {
    scheme: textIn(scheme),
    network: textIn(network),
    asset: textIn(asset),
    name: textIn(name),
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Null: not `exact` USDC on a known network, moved by the token itself. */
export function requirementsIn(
  option: JsonObject,
  tokens: readonly Token[],
): PaymentRequirements | null {
  const token = usdcIn(option.network, option.asset, tokens)
  const usdcBase = unitsOf(option.amount ?? option.maxAmountRequired)
  if (option.scheme !== 'exact' || !token || usdcBase === null) return null
  if (!isByToken(option.extra, token)) return null
  return requirementsOf(token, option.payTo, usdcBase)
}

/**
 * Whether the token itself is to move the money. Circle Gateway offers `exact` USDC, too, but takes
 * a signature for a contract of its own, which settles later and leaves no trace of ours on chain.
 */
function isByToken(extra: unknown, { domain, usdcAddress }: Token): boolean {
  if (domain === null || extra === undefined || extra === null) return true
  if (!isObject(extra)) return false
  const { name = domain.name, version = domain.version } = extra
  const { verifyingContract = usdcAddress, assetTransferMethod = 'eip3009' } = extra
  return (
    name === domain.name &&
    version === domain.version &&
    (assetTransferMethod === 'eip3009' || assetTransferMethod === 'permit2') &&
    typeof verifyingContract === 'string' &&
    addressKey(verifyingContract) === addressKey(usdcAddress)
  )
}

/** Whether both ask for the same payment. */
export function isSame(one: PaymentRequirements, other: PaymentRequirements): boolean {
  return (
    one.network === other.network && one.payTo === other.payTo && one.usdcBase === other.usdcBase
  )
}

/** Finds USDC by the network's name in either version. */
export function tokenOn(name: unknown, tokens: readonly Token[]): Token | undefined {
  return tokens.find(({ names }) => names.some((known) => known === name))
}

function readJson(text: string): JsonObject | null {
  const value = unpacked(text)
  return isObject(value) ? value : null
}

function plainRequirements(said: JsonObject, tokens: readonly Token[]): PaymentRequirements | null {
  const token = usdcIn(said.network, said.token, tokens)
  const usdcBase = priceOf(said.price)
  return token && usdcBase !== null ? requirementsOf(token, said.recipient, usdcBase) : null
}

function requirementsOf(
  { network, usdcAddress }: Token,
  payTo: unknown,
  usdcBase: bigint,
): PaymentRequirements | null {
  return typeof payTo === 'string' && addressProblem(network, payTo, { usdcAddress }) === null
    ? { network, payTo: addressKey(payTo), usdcBase }
    : null
}

function usdcIn(network: unknown, asset: unknown, tokens: readonly Token[]): Token | undefined {
  const token = tokenOn(network, tokens)
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

/** `0.01`, `"0.01"` or `"$0.01"`. */
function priceOf(price: unknown): bigint | null {
  const text = typeof price === 'number' ? `${price}` : price
  if (typeof text !== 'string') return null
  try {
    return parseAmount(text.replace(/^\$/, ''), usdcScale)
  } catch {
    return null
  }
}
