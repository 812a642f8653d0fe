import { Elysia } from 'elysia'
import type { PublicInvoices } from '../../actors/public-invoices.ts'
import { wordsIn } from '../../documents/words/tables.ts'
import type { Words } from '../../documents/words/words.ts'
import { DomainError, noSuch } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { invoiceChains } from '../../domain/network.ts'
import type { Answer, Operations } from '../operation.ts'
import { languageFor } from '../response/language.ts'
import { pageBundle } from './bundle.ts'
import { dashboardPage, paymentPage } from './page.ts'
import { payableOf } from './payable.ts'
import { plainPayment } from './plain-payment.ts'
import { refusedPayment } from './refused-payment.ts'
import { type TransactionParts, transactionRoutes } from './transaction-routes.ts'

/** Content that is the same for everybody is not rate-limited, because payers share addresses. */
export function pageRoutes(
  operation: Operations,
  invoices: PublicInvoices,
  parts: Pick<TransactionParts, 'transactions' | 'publicUrl'>,
) {
  const { accepts } = invoices
  return new Elysia()
    .use(transactionRoutes(operation, forPayers, { ...parts, accepts, find: payable }))
    .get(
      '/',
      operation({ scope: null, isPublic: true }, () => ({
        status: 302,
        body: null,
        headers: { location: '/dashboard' },
      })),
    )
    .get('/dashboard', operation({ scope: null, isPublic: true }, dashboardPage))
    .get(
      '/dashboard/chains',
      operation({ scope: 'dashboard:read' }, () => ({
        status: 200,
        body: JSON.stringify(invoiceChains.filter(accepts)),
        headers: { 'cache-control': 'no-store' },
      })),
    )
    .get(
      '/pay/:id',
      operation({ ...forPayers, showRefusal: refusedPayment }, async ({ params, request }) => {
        const invoice = await payable(params)
        const words = wordsIn(languageFor(request, invoice))
        return pageOf(await payableOf(invoice, invoices), words)
      }),
    )
    .get(
      '/pay/:id/status',
      operation(forPayers, async ({ params }) => ({
        status: 200,
        body: JSON.stringify(await payableOf(await payable(params), invoices)),
        headers: { 'cache-control': 'no-store' },
      })),
    )
    .get(
      '/assets/:name',
      operation({ scope: null, isPublic: true }, async ({ params }) => {
        const file = (await pageBundle()).files.get(params.name ?? '')
        if (!file) throw new DomainError('not_found', 'There is nothing at this path')
        return { status: 200, body: file.bytes, headers: assetHeaders(file.type) }
      }),
    )

  async function payable({ id = '' }: Readonly<Record<string, string>>): Promise<Invoice> {
    const invoice = isUuid(id) ? await invoices.find(id) : undefined
    if (!invoice) throw noSuch('invoice')
    return invoice
  }
}

/** An allowance of their own: payers share addresses, and an open page polls six times a minute. */
const forPayers = {
  scope: null,
  // An invoice must not be findable because somebody has posted its link.
  headers: { 'x-robots-tag': 'noindex' },
  keylessAllowance: { name: 'pay', perMinute: 1_000, perDay: null },
} as const

function pageOf(payable: Payable, words: Words): Promise<Answer> {
  const { amountAsked, amountDue, invoiceNumber } = payable
  const asked = words.amount(amountAsked ?? amountDue, 'USDC')
  const title = `${asked}, ${invoiceNumber} · Quittance`
  return paymentPage(words, title, plainPayment(payable, words))
}

function assetHeaders(type: string) {
  return {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  }
}
