import { isObject, type JsonObject } from '../json-text.ts'
import { addressKey, evmAddress, evmWord, type Network } from '../network.ts'
import type { Requirement } from './paywall.ts'

/** Identifies what a payer signed (an EIP-3009 authorization, a Solana message) on its network. */
export type Authorization = { readonly payer: string; readonly nonce: string }

/**
 * A signed payment before it is settled: an EIP-3009 authorization or, on Solana, a transaction
 * that lacks the fee payer's signature. EVM addresses and nonces are in lower case.
 */
export type SignedPayment = Authorization & {
  readonly network: Network
  readonly validBefore: Date
  readonly payload: JsonObject
}

/** Identifies a signed payment for ever, whichever transaction settles the authorization. */
export function authorizationKey(network: Network, payer: string, nonce: string): string {
  return `${network}:authorization:${addressKey(payer)}:${nonce.toLowerCase()}`
}

/** Identifies a transfer that its payer made directly, without an authorization. */
export function transferKey(network: Network, { txHash, from }: Sent): string {
  return `${network}:transfer:${addressKey(txHash)}:${addressKey(from)}`
}

/** What one sender sent in one transaction: it pays invoices or buys something, never both. */
export type Sent = { readonly txHash: string; readonly from: string }

/** Identifies a sender's transfers of one transaction, within a chain. */
export function sentKey({ txHash, from }: Sent): string {
  return `${txHash}:${from}`
}

/** The properties of a transfer on chain that link it to the signed payment it may settle. */
export type PaymentTrace = Sent & {
  /** Keys of the authorizations that it may settle. */
  readonly keys: readonly string[]
  /**
   * The payers of whose signed payments it may settle any: on this chain transfers do not show the
   * message they came by, and it names no invoice.
   */
  readonly payers: readonly string[]
}

/**
 * The trace of a transfer; `nonce` is that of the authorization that made it, `authority` is the
 * wallet that signed to move what is the sender's, `namedInvoiceIds` are the invoices its payer
 * named.
 */
export function traceOf(
  transfer: Sent & {
    readonly chain: Network
    readonly nonce?: string
    readonly authority?: string
  },
  namedInvoiceIds: readonly string[],
): PaymentTrace {
  const { chain, txHash, from, nonce, authority = from } = transfer
  return {
    txHash,
    from,
    keys: nonce === undefined ? [] : [authorizationKey(chain, from, nonce)],
    payers: chain === 'solana' && namedInvoiceIds.length === 0 ? [from, authority] : [],
  }
}

/** The authorization in a payload for a network, or null if it has none that is well-formed. */
export function readAuthorization(network: Network, payload: JsonObject): SignedPayment | null {
  const { signature, authorization } = payload
  if (!isObject(authorization)) return null
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const isWhole =
    isLike(signature, /^0x(?:[0-9a-fA-F]{2}){65,2048}$/) &&
    isLike(from, evmAddress) &&
    isLike(to, evmAddress) &&
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

/** The result of verifying a signed payment before it is settled. */
export type VerifyResult =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * The outcome of settling a payment:
 * - `refused`: nothing was sent that could still pay
 * - `failed`: what was sent has failed in a block, and cost its fee. Somebody else may have brought
 *   the payment on chain before
 * - `unknown`: only the chain will tell, later
 * - `untaken`: nodes have read the payment but none accepted it. It reaches the chain only if it is
 *   settled again, or if somebody who has read it sends it
 */
export type SettlementResult =
  | { readonly kind: 'settled'; readonly txHash: string }
  | { readonly kind: 'refused' | 'failed'; readonly problem: string }
  | { readonly kind: 'unknown' | 'untaken' }

/**
 * A transfer already on chain. `settles` are the authorizations it may have settled; on Solana
 * their payer may be a delegate of the one whose tokens were moved.
 */
export type PaidTransfer = {
  readonly from: string
  readonly usdcBase: bigint
  readonly blockTimeMs: number
  readonly settles: readonly Authorization[]
}

/** Settles signed payments. Rejects with the chain's error if the chain cannot be reached. */
export type Facilitator = {
  /**
   * Whether nothing is sent before `note` was called, so that a payment without a noted transaction
   * is not on its way.
   */
  readonly notesFirst: boolean
  verify(authorization: SignedPayment, requirement: Requirement): Promise<VerifyResult>
  /**
   * Puts the payment on chain and waits for it. `note` is called with the hash of the transaction
   * that is sent, if it is known. If it resolves to false, others see to the payment: a facilitator
   * that notes first sends nothing then.
   */
  settle(
    authorization: SignedPayment,
    requirement: Requirement,
    note: (txHash: string) => Promise<boolean>,
  ): Promise<SettlementResult>
}

/** The recipient of a payment, its token, and the least amount it must be. */
export type Owed = { readonly recipient: string; readonly token: string; readonly usdcBase: bigint }

/** A signed payment claimed for a purchase; `txHash`: the transaction to settle it, if known. */
export type ClaimedAuthorization = Pick<SignedPayment, 'payer' | 'nonce' | 'validBefore'> & {
  readonly txHash: string | null
  readonly claimedAt: Date
}

/** The chain queries of the paywall. */
export type PaymentReader = {
  /**
   * What became of an authorization, given what is owed:
   * - `{ txHash }`: the transaction by which it paid what is owed
   * - `unused`: not used so far
   * - `unpaid`: it never will be; the node that says so has passed the end of its validity
   * - `unknown`: it was used by a transaction that cannot be found, or may yet be used
   * - `misused`: its payer used it up otherwise, by paying somebody else or less, or by cancelling
   *   it
   */
  settlementOf(
    signed: ClaimedAuthorization,
    owed: Owed,
  ): Promise<{ readonly txHash: string } | 'unused' | 'unpaid' | 'unknown' | 'misused'>
  /**
   * The transfers of a transaction to an address, empty if it failed; null if no node has the
   * transaction in a block.
   */
  transfersTo(recipient: string, txHash: string): Promise<readonly PaidTransfer[] | null>
}

const farFutureSeconds = 253_402_300_799

function isLike(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
