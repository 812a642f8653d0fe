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

/** A demand of x402. */
export type Offer = {
  /** In USDC on known networks, in the upstream's order. */
  readonly accepts: readonly PaymentRequirements[]
  /** All options as they are named, readable or not. */
  readonly options: readonly OfferedOption[]
  readonly description: string | null
  readonly error: string | null
}

/** A name is null where it is no text; `unsupported` are the members that stand in the way. */
export type OfferedOption = Readonly<
  Record<'scheme' | 'network' | 'asset' | 'name', string | null>
> & { readonly unsupported: readonly Member[] }

type Member = 'scheme' | 'network' | 'asset' | 'amount' | 'payTo' | 'extra'

/**
 * Reads a 402 of version 2 (header in base64), version 1 (body) or the plain form (header). Null:
 * it is no demand of x402.
 */
export function offerOf({ header, body }: Unpaid, tokens: readonly Token[]): Offer | null {
  const said = [header ?? '', body].map(readJson).find((one) => one && isDemand(one))
  if (!said) return null
  const options = Array.isArray(said.accepts) ? said.accepts.filter(isObject) : [plainOption(said)]
  const read = options.map((option) => readOption(option, tokens))
  const { description } = isObject(said.resource) ? said.resource : (options[0] ?? {})
  return {
    accepts: read.flatMap(({ requirements }) => requirements ?? []),
    options: options.map((option, at) => ({
      ...namesIn(option),
      unsupported: read[at]?.unsupported ?? [],
    })),
    description: textIn(description),
    error: textIn(said.error),
  }
}

function isDemand({ accepts, price, recipient, x402Version }: JsonObject): boolean {
  if (Array.isArray(accepts)) return accepts.length > 0 || x402Version !== undefined
  return price !== undefined && recipient !== undefined
}

/** The form with `price`, `token`, `recipient` and `network`, as an option. */
function plainOption({ price, token, recipient, network }: JsonObject): JsonObject {
  const amount = priceOf(price)
  return { scheme: 'exact', network, asset: token, amount: `${amount}`, payTo: recipient }
}

function namesIn({ scheme, network, asset, extra }: JsonObject) {
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
  return readOption(option, tokens).requirements
}

function readOption(option: JsonObject, tokens: readonly Token[]) {
  const token = tokenOn(option.network, tokens)
  const usdcBase = unitsOf(option.amount ?? option.maxAmountRequired)
  const { payTo } = option
  const fits: Record<Member, boolean> = {
    scheme: option.scheme === 'exact',
    network: token !== undefined,
    asset: token === undefined || isUsdc(option.asset, token),
    amount: usdcBase !== null,
    payTo: token === undefined || isPayable(payTo, token),
    extra: token === undefined || isByToken(option.extra, token),
  }
  const unsupported = (Object.keys(fits) as Member[]).filter((member) => !fits[member])
  const requirements =
    token && usdcBase !== null && unsupported.length === 0
      ? { network: token.network, payTo: addressKey(String(payTo)), usdcBase }
      : null
  return { requirements, unsupported }
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

function isPayable(payTo: unknown, { network, usdcAddress }: Token): boolean {
  return typeof payTo === 'string' && addressProblem(network, payTo, { usdcAddress }) === null
}

function isUsdc(asset: unknown, { usdcAddress }: Token): boolean {
  if (typeof asset !== 'string') return false
  return asset.toUpperCase() === 'USDC' || addressKey(asset) === addressKey(usdcAddress)
}

/** Some servers write the integer as a number. */
function unitsOf(amount: unknown): bigint | null {
  const text = typeof amount === 'number' ? `${amount}` : amount
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null
  const units = BigInt(text)
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
