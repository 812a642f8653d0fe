import type { Invoices } from '../../actors/invoices.ts'
import type { Prepared, Purchases } from '../../actors/purchases.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import type { ReadTransfer } from '../../domain/x402/forwarded-payment.ts'
import type { Token } from '../../domain/x402/requirements.ts'
import type { Egress } from '../egress/egress.ts'

export type Purchase = Prepared['purchase']
export type Attempt = Parameters<Purchases['prepare']>[0]

/** What the proxy depends on. */
export type ProxyParts = {
  readonly purchases: Purchases
  readonly invoices: Pick<Invoices, 'get'>
  readonly documents: Pick<Renderer, 'render'>
  readonly egress: Pick<Egress, 'forward'>
  /** USDC on the chains that invoices may name. */
  readonly tokens: readonly Token[]
  /** Reads what was signed on Solana. */
  readonly readTransfer: ReadTransfer
  /** Whether the chain has seen the payment by now; false where it cannot be asked. */
  readonly isTaken: (purchase: Purchase) => Promise<boolean>
  publicUrl(): string
  readonly log: { warn(line: object, message: string): void }
}
