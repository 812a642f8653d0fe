import type { Seconded } from '../settlement/seconded.ts'
import type { PaymentKind } from '../x402/forwarded-payment.ts'
import type { Transaction } from './evidence.ts'

export type ForwardedMessage = {
  readonly payer: string
  /** Identifies the message among the payer's others. */
  readonly nonce: string
  /** As the upstream named it; tried first. */
  readonly txHash: string | null
  readonly firstForwardedAt: Date
  readonly forwardedAt: Date
}

/** A permission to take a payment, which a contract accepts once. */
export type Authorization = {
  readonly kind: Extract<PaymentKind, 'eip3009' | 'permit2'>
  readonly payer: string
  readonly nonce: string
}

/**
 * Rejects with `ChainError`: `lagging` where something is absent and no node has proven that it
 * knows the block `seen`.
 */
export type PurchaseReader = {
  readonly seconded: Seconded
  /** Null while it is not mined. With `seen` null, absence needs no proof. */
  transaction(txHash: string, payTo: string, seen: number | null): Promise<Transaction | null>
  /** Used or cancelled as of the block `seen`. */
  isUsed(authorization: Authorization, seen: number): Promise<boolean>
  /** The transaction that used an EIP-3009 authorization. */
  transactionUsing(
    authorization: Authorization,
    since: Date,
  ): Promise<{ readonly txHash: string; readonly blockNumber: number } | null>
  /**
   * Null once no transaction can execute the message any more, `waiting` while one may. Null needs
   * a node that has every block that could hold it.
   */
  transactionOf(message: ForwardedMessage): Promise<string | null | 'waiting'>
}
