import { addressKey, evmAddress, evmWord, type Network } from './network.ts'
import type { Payload, PayOption, Requirement } from './x402.ts'

/**
 * A signed payment before it is settled: an EIP-3009 authorization, or on Solana a transaction without its fee payer's signature. `nonce` tells it
 * from the payer's others; in lower case, as EVM addresses are.
 */
export type Authorization = {
  readonly network: Network
  readonly payer: string
  readonly nonce: string
  readonly validBefore: Date
  readonly payload: Payload
}

/** Names a payment for ever: whatever brings this authorization on chain, it is the same money. */
export function authorizationKey(network: Network, payer: string, nonce: string): string {
  return `${network}:authorization:${addressKey(payer)}:${nonce.toLowerCase()}`
}

/** Names a transfer that its payer made without one. */
export function transferKey(network: Network, { txHash, from }: Sent): string {
  return `${network}:transfer:${addressKey(txHash)}:${addressKey(from)}`
}

/** What one sender sent by one transaction: it pays invoices or buys something, never both. */
export type Sent = { readonly txHash: string; readonly from: string }

/** Names it on its chain. */
export function sentKey({ txHash, from }: Sent): string {
  return `${txHash}:${from}`
}

/** What a transfer on chain tells of the signed payment that it may be. */
export type PaymentTrace = Sent & {
  /** Of the authorizations it may have come by. */
  readonly keys: readonly string[]
  /** It may be any that its sender has signed: there transfers do not tell by which message they came, and it names no invoice. */
  readonly isAnyOfSender: boolean
}

/** The trace of a transfer whose payer named these invoices. */
export function traceOf(
  transfer: Sent & { readonly chain: Network; readonly references: readonly string[] },
  namedInvoiceIds: readonly string[],
): PaymentTrace {
  const { chain, txHash, from, references } = transfer
  return {
    txHash,
    from,
    keys: references.map((reference) => authorizationKey(chain, from, reference)),
    isAnyOfSender: chain === 'solana' && namedInvoiceIds.length === 0,
  }
}

/** The authorization in a payload for a network, or null where it has none of the right look. */
export function readAuthorization({ network }: PayOption, payload: Payload): Authorization | null {
  const { signature, authorization } = payload
  if (typeof authorization !== 'object' || authorization === null) return null
  const { from, to, value, validAfter, validBefore, nonce } = authorization as Payload
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

/** What can be said of a signed payment before it is settled. */
export type Verdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * What became of a settlement. `refused`: nothing was sent that could still pay. `unknown`: only the chain knows, later. `untaken`: nodes have
 * read it and none took it, so that it comes on chain if it is settled again, or if somebody who has read it brings it there.
 */
export type Settlement =
  | { readonly kind: 'settled'; readonly txHash: string }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'unknown' | 'untaken' }

/** A transfer that was made already, as the chain tells it. `nonces`: of the authorizations it may have come by. */
export type PaidTransfer = {
  readonly from: string
  readonly usdcBase: bigint
  readonly blockTimeMs: number
  readonly nonces: readonly string[]
}

/** Where signed payments are settled. Rejects with the chain's error where it cannot be asked. */
export type Facilitator = {
  /** Nothing is sent before `note` was called: a payment without a noted transaction is on its way nowhere. */
  readonly notesFirst: boolean
  verify(authorization: Authorization, requirement: Requirement): Promise<Verdict>
  /** Puts the payment on chain and waits for it; `note` is called with the hash of what is sent, where it is known. */
  settle(
    authorization: Authorization,
    requirement: Requirement,
    note: (txHash: string) => Promise<void>,
  ): Promise<Settlement>
}

/** To whom a payment was to go, and how much of it at least. */
export type Owed = { readonly recipient: string; readonly usdcBase: bigint }

/** A signed payment that somebody has claimed; `txHash`: of the transaction that was to settle it, where it is known. */
export type ClaimedAuthorization = Pick<Authorization, 'payer' | 'nonce' | 'validBefore'> & {
  readonly txHash: string | null
  readonly claimedAt: Date
}

/** What the paywall asks of the chain itself. */
export type PaymentReader = {
  /**
   * The transaction by which an authorization paid what is owed; `unused`: as yet; `unpaid`: it never will be, as the node that says so has got
   * past its end; `unknown` where it was used and cannot be found, or may yet be used; or `misused`: its payer has used it up otherwise, by a payment
   * to somebody else or of less, or by cancelling it.
   */
  settlementOf(
    signed: ClaimedAuthorization,
    owed: Owed,
  ): Promise<{ readonly txHash: string } | 'unused' | 'unpaid' | 'unknown' | 'misused'>
  /** The transfers of a transaction to an address, none if it failed; null where no node has such a transaction in a block. */
  transfersTo(recipient: string, txHash: string): Promise<readonly PaidTransfer[] | null>
}

const farFutureSeconds = 253_402_300_799

function isLike(value: unknown, look: RegExp): boolean {
  return typeof value === 'string' && look.test(value)
}
