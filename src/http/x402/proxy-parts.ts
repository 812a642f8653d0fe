import type { Invoices } from '../../actors/invoices.ts'
import type { Purchases } from '../../actors/purchases/purchases.ts'
import type { Renderer } from '../../documents/pdf/render.ts'
import type { ReadTransfer } from '../../domain/x402/forwarded-payment.ts'
import type { Token } from '../../domain/x402/requirements.ts'
import type { Egress } from '../egress/egress.ts'

export type ProxyParts = {
  readonly purchases: Purchases
  readonly invoices: Pick<Invoices, 'get'>
  readonly documents: Pick<Renderer, 'render'>
  readonly egress: Pick<Egress, 'forward'>
  /** USDC on the chains that invoices may name. */
  readonly tokens: readonly Token[]
  readonly readTransfer: ReadTransfer
  publicUrl(): string
  readonly log: { warn(line: object, message: string): void }
}
