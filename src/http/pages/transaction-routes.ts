import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { clean } from '../../documents/texts.ts'
import { addressIn } from '../../domain/address.ts'
import { DomainError } from '../../domain/error.ts'
import { leftUsdcBase } from '../../domain/invoices/balance.ts'
import { numberOf } from '../../domain/invoices/figures.ts'
import { acceptsTransfer, type Invoice } from '../../domain/invoices/invoice.ts'
import type { EvmPayment, SolanaPayment } from '../../domain/invoices/payer-transaction.ts'
import { registry } from '../../domain/registry.ts'
import { type Operations, type Options, unparsed } from '../operation.ts'
import { uncached } from '../response/envelope.ts'

export type PayerTransactions = {
  evm(invoice: Invoice, usdcBase: bigint): EvmPayment
  /** Errors: `unavailable`. */
  solana(invoice: Invoice, usdcBase: bigint, payer: string): Promise<SolanaPayment>
}

export type TransactionParts = {
  readonly transactions: PayerTransactions
  readonly publicUrl: () => string
  accepts(chain: Invoice['terms']['chain']): boolean
  find(params: Readonly<Record<string, string>>): Promise<Invoice>
  /** What its payers are asked for. */
  ask(invoice: Invoice): Promise<{ readonly usdcBase: bigint }>
}

const Payer = Type.Object({
  account: Type.Optional(Type.String({ description: 'must be the address of the paying wallet' })),
})

/**
 * What a wallet signs to pay an invoice, so that pages need no chain libraries. On Solana it speaks
 * Solana Pay's transaction requests.
 */
export function transactionRoutes(
  operation: Operations,
  forPayers: Omit<Options, 'body'>,
  parts: TransactionParts,
) {
  const { transactions, publicUrl, accepts, find, ask } = parts
  return new Elysia()
    .get(
      '/pay/icon.svg',
      operation({ scope: null, isPublic: true }, () => ({
        status: 200,
        body: icon,
        headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
      })),
    )
    .get(
      '/pay/:id/transaction',
      operation(forPayers, async ({ params }) => {
        const { terms } = await find(params)
        const label = clean(terms.seller.name ?? '') || 'Quittance'
        return uncached({ label, icon: `${publicUrl()}/pay/icon.svg` })
      }),
    )
    .post(
      '/pay/:id/transaction',
      operation({ ...forPayers, body: Payer, isBodyOptional: true }, async ({ params, body }) => {
        const invoice = await find(params)
        const { chain } = invoice.terms
        if (!acceptsTransfer(invoice) || leftUsdcBase(invoice) <= 0n)
          throw new DomainError('invalid_state', 'This invoice takes no payment any more')
        if (!accepts(chain)) {
          const message = `Payments on ${registry[chain].label} cannot be seen at the moment`
          throw new DomainError('unavailable', `${message}; try again later`)
        }
        const { account } = body.value as Static<typeof Payer>
        const isEvm = registry[chain].kind === 'evm'
        const payer = isEvm ? '' : addressIn('account', chain, account ?? '', { signs: true })
        // A wallet that drops the reference still pays this invoice.
        const { usdcBase } = await ask(invoice)
        if (isEvm) return uncached(transactions.evm(invoice, usdcBase))
        const made = await transactions.solana(invoice, usdcBase, payer)
        return uncached({ ...made, message: numberOf(invoice, 'api') })
      }),
      unparsed,
    )
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#1f6f54"/>' +
  '<path d="M32 14a18 18 0 1 0 11 32l6 6 4-4-6-6A18 18 0 0 0 32 14Zm0 6a12 12 0 1 1 0 24 12 12 0 0 1 0-24Z" fill="#fff"/></svg>'
