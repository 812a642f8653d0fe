import { Elysia } from 'elysia'
import type { Receipts } from '../../actors/receipts.ts'
import { wordsIn } from '../../documents/words/tables.ts'
import type { Words } from '../../documents/words/words.ts'
import { DomainError, noSuch } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import { invoiceChains } from '../../domain/network.ts'
import type { Answer, Operations } from '../operation.ts'
import { queryOf } from '../request/request-url.ts'
import { uncached } from '../response/envelope.ts'
import { languageFor } from '../response/language.ts'
import { invoicePdf, type PdfParts, pdfSeconds } from '../shared/document-file.ts'
import { pageBundle } from './bundle.ts'
import { dashboardPage, paymentPage } from './page.ts'
import { payableOf } from './payable.ts'
import { plainPayment } from './plain-payment.ts'
import { receiptPage } from './receipt-page.ts'
import { refusedPayment } from './refused-payment.ts'
import { type TransactionParts, transactionRoutes } from './transaction-routes.ts'

type PageParts = PdfParts &
  Pick<TransactionParts, 'transactions' | 'publicUrl'> & { readonly receipts: Receipts }

/** Content that is the same for everybody is not rate-limited, because payers share addresses. */
export function pageRoutes(operation: Operations, parts: PageParts) {
  const { publicInvoices: invoices } = parts
  const { accepts, ask } = invoices
  return new Elysia()
    .use(transactionRoutes(operation, forPayers, { ...parts, accepts, ask, find: payable }))
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
      operation({ scope: 'dashboard:read' }, () => uncached(invoiceChains.filter(accepts))),
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
      operation(forPayers, async ({ params }) =>
        uncached(await payableOf(await payable(params), invoices)),
      ),
    )
    .get(
      '/pay/:id/invoice.pdf',
      operation(
        { ...forPayers, maxSeconds: pdfSeconds, showRefusal: refusedPayment },
        async ({ params, request }) => {
          const invoice = await payable(params)
          // Payers do not use up the account's own places in line.
          const owner = `payers of ${invoice.accountId}`
          const answer = await invoicePdf(parts, forAnybody(invoice), request, owner)
          // What a tax office may object to is not for them, and the buyer is hidden on purpose.
          const { 'x-document-warnings': _, ...headers } = answer.headers ?? {}
          return { ...answer, headers }
        },
      ),
    )
    .get(
      '/pay/:id/receipt',
      operation({ ...forPayers, showRefusal: refusedPayment }, async ({ params, request }) => {
        const invoice = await payable(params)
        const { settlement } = invoice.progress
        const location = `/pay/${invoice.id}`
        if (!settlement) return { status: 302, body: null, headers: { location } }
        const receipt = await parts.receipts.find(settlement.receiptId)
        const words = wordsIn(languageFor(request, invoice))
        const shown = await payableOf(invoice, invoices)
        const show = queryOf(request.url).get('show')
        const settled = { payable: shown, invoice, settlement, receipt, show }
        return receiptPage(settled, words, parts.publicUrl())
      }),
    )
    .get(
      '/pay/:id/receipt/anchor',
      operation(forPayers, async ({ params }) => {
        const { settlement } = (await payable(params)).progress
        const facts = settlement && (await parts.receipts.anchorFacts(settlement.receiptId))
        return uncached(facts ?? {})
      }),
    )
    .get(
      '/pay/:id/logo',
      operation(forPayers, async ({ params }) => {
        const logo = await invoices.logoOf(await payable(params))
        if (!logo) throw noSuch('logo')
        return {
          status: 200,
          body: new Uint8Array(logo),
          headers: { ...assetHeaders('image/png'), 'cache-control': 'public, max-age=3600' },
        }
      }),
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

/**
 * The invoice without what says who buys, for what end: whoever is shown its id, by a link or a
 * receipt's claim, can open it.
 */
function forAnybody(invoice: Invoice): Invoice {
  const { poNumber: _order, buyerReference: _mark, ...terms } = invoice.terms
  const buyer = { name: null, email: null, address: null, vat: null }
  const hidden = { buyer, agentId: null, mandateId: null, payer: null, metadata: null }
  return { ...invoice, terms: { ...terms, ...hidden } }
}

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
