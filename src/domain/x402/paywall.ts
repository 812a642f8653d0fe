import { toDecimal, usdcScale } from '../money/money.ts'
import { type Network, networks } from '../network.ts'
import type { PaymentPayload } from './payload.ts'

/** What is sold: its absolute URL and its price in USDC base units. */
export type Resource = {
  readonly url: string
  readonly description: string
  readonly priceUsdcBase: bigint
}

/** Payment on one network: our address, the token, its EIP-712 domain (Solana: the fee payer). */
export type PayOption = {
  readonly network: Network
  readonly caip2: string
  readonly recipient: string
  readonly token: string
  readonly extra: Readonly<Record<string, unknown>>
  /** Whether signed payments can be settled on this network. */
  readonly takesSigned: boolean
  /** Whether the chain can be asked for transfers already made. */
  readonly takesTransfers: boolean
}

/** One entry of `accepts` in x402 v2. `amount` is in base units of `asset`. */
export type Requirement = {
  readonly scheme: 'exact'
  readonly network: `${string}:${string}`
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Record<string, unknown>
}

/**
 * The x402 v2 object plus the four top-level members of the plain form, which repeat the first
 * entry of `accepts`.
 */
export type PaymentRequired = {
  readonly x402Version: 2
  readonly error: string
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: string
  }
  readonly accepts: readonly Requirement[]
  /** The price in decimal USDC. */
  readonly price: string
  readonly token: string
  readonly recipient: string
  readonly network: string
}

/**
 * An admitted payment: `key` identifies it for ever, its proof was claimed at `claimedAt`, and
 * `txHash` settled it.
 */
export type SettledPayment = {
  readonly key: string
  readonly claimedAt: Date
  readonly network: Network
  readonly payer: string
  readonly txHash: string
}

/** An answer, stored for repeats of the same proof. `body` is JSON text. */
export type Delivered = { readonly status: number; readonly body: string }

/**
 * The outcome of a proof:
 * - `delivered`: paid now
 * - `repeat`: paid before; `answer` is the first answer
 * - `conflict`: the proof has bought something else
 * - `refused`: not paid
 * - `settling`: a copy of the proof is being settled now
 * - `pending`: possibly paid
 *
 * `settling` and `pending` are not final: send the same proof again to learn the outcome.
 */
export type Admission =
  | {
      readonly kind: 'delivered' | 'repeat'
      readonly payment: SettledPayment
      readonly answer: Delivered
    }
  | { readonly kind: 'conflict' | 'settling' }
  | { readonly kind: 'refused'; readonly required: PaymentRequired }
  | { readonly kind: 'pending'; readonly network: Network; readonly txHash: string | null }

export type Hashes = readonly [string, ...string[]]

/** Sells resources for x402 payments. */
export type Paywall = {
  /** The payment requirement of a resource. Errors: `unavailable` if no network is configured. */
  required(resource: Resource): PaymentRequired
  /**
   * Verifies, claims and settles a payment, and only then calls `deliver`, whose answer is stored.
   * `requestHashes` identify what is bought: the same proof for another request is a conflict. The
   * first is kept with the claim; by the others, versions before may have kept the same request.
   * `deliver` must be idempotent by `payment.key`: after a crash it is called again, with the same
   * `key` and `claimedAt`, whenever the proof is sent again.
   */
  admit(
    resource: Resource,
    sent: PaymentPayload | 'unreadable',
    requestHashes: Hashes,
    deliver: (payment: SettledPayment) => Promise<Delivered>,
  ): Promise<Admission>
}

const maxTimeoutSeconds = 120
const unnoticed =
  'Payment required, but do not pay: no network is watched here, so no payment would be noticed'

/**
 * The payment requirement of a resource: Solana first, then the EVM networks in their order. It
 * offers the networks where signed payments are settled, else those where transfers are read.
 * Without either, it says that it cannot be paid now. `options` must not be empty.
 */
export function requirementFor(
  resource: Resource,
  options: readonly PayOption[],
  problem?: string,
): PaymentRequired {
  const sorted = options.toSorted((a, b) => place(a.network) - place(b.network))
  const signed = sorted.filter(({ takesSigned }) => takesSigned)
  const read = sorted.filter(({ takesTransfers }) => takesTransfers)
  const noticed = signed.length > 0 ? signed : read
  const offered = noticed.length > 0 ? noticed : sorted
  const [first] = offered
  if (!first) throw new Error('a payment requirement needs a network')
  const error = problem ?? (noticed.length > 0 ? 'Payment required' : unnoticed)
  return {
    x402Version: 2,
    error,
    resource: {
      url: resource.url,
      description: resource.description,
      mimeType: 'application/json',
    },
    accepts: offered.map((option) => acceptFor(resource, option)),
    price: toDecimal(resource.priceUsdcBase, usdcScale),
    token: first.token,
    recipient: first.recipient,
    network: first.caip2,
  }
}

/** The entry of `accepts` for one network. */
export function acceptFor({ priceUsdcBase }: Resource, option: PayOption): Requirement {
  return {
    scheme: 'exact',
    network: option.caip2 as Requirement['network'],
    amount: `${priceUsdcBase}`,
    asset: option.token,
    payTo: option.recipient,
    maxTimeoutSeconds,
    extra: { ...option.extra },
  }
}

function place(network: Network): number {
  return network === 'solana' ? -1 : networks.indexOf(network)
}
