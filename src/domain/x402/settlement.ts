import type { JsonObject } from '../json-text.ts'
import { caip2Of, type Network } from '../network.ts'
import type { PaymentOption } from './payment-required.ts'
import type { OwnRequirements } from './requirements.ts'
import type { Authorization, SignedPayment } from './signed-payment.ts'

/** The transfer that settled a payment. */
export type SettledBy = { readonly txHash: string; readonly position: number }

/** A payment that has arrived; `key` identifies it. */
export type SettledPayment = SettledBy & {
  readonly key: string
  readonly claimedAt: Date
  readonly network: Network
  readonly payer: string
}

/** x402's SettlementResponse; `name` is the network in the client's version. */
export function settlementResponse(
  { txHash: transaction, network, payer }: SettledPayment,
  name = caip2Of(network),
) {
  return { success: true, transaction, network: name, payer }
}

export type VerifyResult =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * - `refused`: nothing was sent that could still pay
 * - `failed`: what was sent failed in a block; somebody else may have brought the payment on chain
 * - `unknown`: only the chain will tell, later
 * - `untaken`: nodes have read but not accepted it; whoever has read it may still send it
 */
export type SettlementResult =
  | { readonly kind: 'settled'; readonly txHash: string }
  | { readonly kind: 'refused' | 'failed'; readonly problem: string }
  | { readonly kind: 'unknown' | 'untaken' }

/** Rejects with the chain's error if the chain cannot be reached. */
export type Facilitator = {
  /**
   * A payment without a noted transaction is not on its way: nothing is sent before `note`
   * resolves.
   */
  readonly notesFirst: boolean
  verify(payment: SignedPayment, requirements: OwnRequirements): Promise<VerifyResult>
  /**
   * `note` gets the hash of the transaction, if known. If it resolves to false, another process
   * settles the payment, and a facilitator that notes first sends nothing.
   */
  settle(
    payment: SignedPayment,
    requirements: OwnRequirements,
    note: (txHash: string) => Promise<boolean>,
  ): Promise<SettlementResult>
}

export type Owed = Pick<OwnRequirements, 'payTo' | 'asset' | 'usdcBase'>

export type Paid = Pick<Owed, 'payTo' | 'asset'>

/** `txHash`: the transaction to settle it, if known. */
export type ClaimedAuthorization = Pick<SignedPayment, 'payer' | 'nonce' | 'validBefore'> & {
  readonly txHash: string | null
  readonly claimedAt: Date
}

/** `settles`: the authorizations it may have settled; on Solana their payer may be a delegate. */
export type PaidTransfer = {
  /** Within its block on EVM chains, within its transaction on Solana. */
  readonly position: number
  readonly from: string
  readonly usdcBase: bigint
  readonly blockTimeMs: number
  readonly settles: readonly Authorization[]
}

/** Rejects if no node can answer. */
export type PaymentReader = {
  /**
   * - `{ txHash }`: the transaction that used it, perhaps to cancel it or to pay somebody else
   * - `unpaid`: it never will be used: a node has passed the end of its validity
   * - `unknown`: used by a transaction that cannot be found, or may yet be used
   */
  settlementOf(
    signed: ClaimedAuthorization,
    asset: string,
  ): Promise<{ readonly txHash: string } | 'unused' | 'unpaid' | 'unknown'>
  /** Empty if the transaction failed; null if no node has it in a block. */
  transfersTo(paid: Paid, txHash: string): Promise<readonly PaidTransfer[] | null>
}

/** One without a wallet may have open payments from before. */
export type PaymentNetwork = {
  readonly network: Network
  readonly facilitator: Facilitator | undefined
  readonly reader: PaymentReader | undefined
  /** Null: no wallet to pay to. A facilitator's terms may change. */
  option(): PaymentOption | null
  /** What is known to keep payments there from being settled, for operators; null: nothing. */
  lack(): string | null
  /** Null if the payload has no well-formed payment; on Solana also if its payer has not signed. */
  readPayment(payload: JsonObject): SignedPayment | null
  /** Whether the payer's key has signed it, whatever the payer holds. */
  isSignedByKey(payment: SignedPayment): Promise<boolean>
}
