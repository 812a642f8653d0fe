import { isObject, unpacked } from './json-text.ts'
import { toDecimal, usdcScale } from './money.ts'
import { type Network, networks } from './network.ts'

/** What is sold: its absolute URL and its price in USDC base units. */
export type Resource = {
  readonly url: string
  readonly description: string
  readonly priceUsdcBase: bigint
}

/** Where one network is paid: our address, the token, and its EIP-712 domain (or, on Solana, who pays the fee). */
export type PayOption = {
  readonly network: Network
  readonly caip2: string
  readonly recipient: string
  readonly token: string
  readonly extra: Readonly<Record<string, unknown>>
  /** Whether somebody can settle signed payments there. */
  readonly takesSigned: boolean
  /** Whether the chain can be asked for transfers that were made already. */
  readonly takesTransfers: boolean
}

/** One entry of `accepts`, as x402 v2 has it. `amount` is in base units of `asset`. */
export type Requirement = {
  readonly scheme: 'exact'
  readonly network: `${string}:${string}`
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Record<string, unknown>
}

/** The x402 v2 object, with the four members of the plain form on top: what the first entry of `accepts` says, or where transfers are taken. */
export type PaymentRequired = {
  readonly x402Version: 2
  readonly error: string
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: string
  }
  readonly accepts: readonly Requirement[]
  /** Decimal USDC. */
  readonly price: string
  readonly token: string
  readonly recipient: string
  readonly network: string
}

/**
 * What somebody sent as payment. `signed`: a payment still to be settled (x402 v1 or v2), `network` as it was written. `transfer`: one
 * that is on chain already. `unreadable`: neither.
 */
export type Proof =
  | { readonly kind: 'signed'; readonly network: string; readonly payload: Payload }
  | {
      readonly kind: 'transfer'
      readonly txHash: string
      readonly signature: string
      readonly payer: string
    }
  | { readonly kind: 'unreadable' }

export type Payload = Readonly<Record<string, unknown>>

/** What an admitted payment was: named for ever by `key`, which its proof claimed at `claimedAt`, settled by `txHash`. */
export type Payment = {
  readonly key: string
  readonly claimedAt: Date
  readonly network: Network
  readonly payer: string
  readonly txHash: string
}

/** An answer as it is kept for whoever sends the same proof again. `body` is JSON text. */
export type Delivered = { readonly status: number; readonly body: string }

/**
 * What became of a proof. `delivered`: paid now, or (`repeat`) before, with the first answer. `conflict`: it has bought something else.
 * `refused`: not paid. `settling`: a copy of it is being settled now. `pending`: perhaps paid. The last two are not final: send the same
 * proof again to learn how it ended.
 */
export type Admission =
  | {
      readonly kind: 'delivered' | 'repeat'
      readonly payment: Payment
      readonly answer: Delivered
    }
  | { readonly kind: 'conflict' | 'settling' }
  | { readonly kind: 'refused'; readonly demand: PaymentRequired }
  | { readonly kind: 'pending'; readonly network: Network; readonly txHash: string | null }

/** Sells things for x402 payments. */
export type Paywall = {
  /** What must be paid. Errors: `unavailable` where no network is configured to be paid on. */
  demand(resource: Resource): PaymentRequired
  /**
   * Verifies, claims, settles, and only then calls `deliver`, whose answer is kept. `requestHash` names what is bought: the same proof for
   * another request is a conflict. `deliver` must be repeatable by `payment.key`: after a crash it is called again, with the same `key` and
   * `claimedAt`, whenever the proof is sent again.
   */
  admit(
    resource: Resource,
    proof: Proof,
    requestHash: string,
    deliver: (payment: Payment) => Promise<Delivered>,
  ): Promise<Admission>
}

const maxTimeoutSeconds = 120
const unnoticed =
  'Payment required, but do not pay: no network is watched here, so no payment would be noticed'

/**
 * The payment requirement of a resource, Solana first, then the EVM networks in their order: those where signed payments are settled, or,
 * without any, those where transfers are read. Without any of these either it says that it cannot be paid now. `options` has at least one.
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

/** The option a proof's network means: by CAIP-2 (v2) or by name (v1). */
export function optionFor(network: string, options: readonly PayOption[]): PayOption | undefined {
  return options.find((option) => option.caip2 === network || option.network === network)
}

/** Where a proof may stand, in the order in which they are looked at; null or undefined: not there. */
export type ProofSources = {
  readonly paymentSignature: string | null
  readonly xPayment: string | null
  readonly bodyPayment: unknown
}

/** The first proof there is, or null. Each may be JSON or base64 of it, in the body also an object, in any of the three forms. */
export function readProof({ paymentSignature, xPayment, bodyPayment }: ProofSources): Proof | null {
  const sent = paymentSignature ?? xPayment ?? bodyPayment ?? null
  return sent === null ? null : proofOf(unpacked(sent))
}

function proofOf(value: unknown): Proof {
  if (!isObject(value)) return { kind: 'unreadable' }
  const { txHash, signature, payer, payload } = value
  if (isText(txHash) && isText(signature) && isText(payer)) {
    return { kind: 'transfer', txHash, signature, payer }
  }
  const { scheme, network } = isObject(value.accepted) ? value.accepted : value
  return isObject(payload) && scheme === 'exact' && isText(network)
    ? { kind: 'signed', network, payload }
    : { kind: 'unreadable' }
}

const mostCharacters = 8_192

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= mostCharacters
}

function place(network: Network): number {
  return network === 'solana' ? -1 : networks.indexOf(network)
}
