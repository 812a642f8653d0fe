import { Elysia } from 'elysia'
import { qrOf } from '../../documents/qr.ts'
import { DomainError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/invoice.ts'
import { statusOf } from '../../domain/invoice-figures.ts'
import { toJson } from '../../domain/invoice-view.ts'
import type { Answer, Operations } from '../operation.ts'
import { pageBundle } from './bundle.ts'

/** What the pages need of storage; `app.ts` hands it over. */
export type PublicInvoices = { find(id: string): Promise<Invoice | undefined> }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The dashboard and the payment page: one script shows either. */
export function pageRoutes(operation: Operations, invoices: PublicInvoices) {
  return new Elysia()
    .get(
      '/dashboard',
      operation({ scope: null }, () => page('Quittance')),
    )
    .get(
      '/pay/:id',
      operation({ scope: null }, async ({ params }) => {
        await payable(params)
        return page('Payment · Quittance')
      }),
    )
    .get(
      '/pay/:id/status',
      operation({ scope: null }, async ({ params }) => ({
        status: 200,
        body: payableJson(await payable(params)),
        headers: { 'cache-control': 'no-store' },
      })),
    )
    .get(
      '/assets/:name',
      operation({ scope: null }, async ({ params }) => {
        const file = (await pageBundle()).files.get(params.name ?? '')
        if (!file) throw new DomainError('not_found', 'There is nothing at this path')
        return { status: 200, body: file.bytes, headers: assetHeaders(file.type) }
      }),
    )

  async function payable({ id = '' }: Readonly<Record<string, string>>): Promise<Invoice> {
    const invoice = uuid.test(id) ? await invoices.find(id) : undefined
    if (!invoice) throw new DomainError('not_found', 'No such invoice')
    return invoice
  }
}

/** What anybody who has the link may know: what is due, where, and whether it came. */
function payableJson(invoice: Invoice): string {
  const { terms, progress } = invoice
  const shown = JSON.parse(toJson(invoice, 'api'))
  const {
    chain,
    paymentAddress,
    amountDue,
    amountReceived,
    paymentUri,
    txHash = null,
  } = shown.paymentDetails
  return JSON.stringify({
    invoiceNumber: shown.invoiceNumber,
    status: statusOf(invoice.state, 'api'),
    description: terms.description,
    dueAt: terms.dueAt,
    chain,
    paymentAddress,
    amountDue,
    amountReceived,
    paymentUri,
    qr: qrOf(paymentUri),
    txHash,
    receiptId: progress.settlement?.receiptId ?? null,
  })
}

async function page(title: string): Promise<Answer> {
  const { script, style } = await pageBundle()
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/${style}">
</head>
<body>
<div id="root"></div>
<script type="module" src="/assets/${script}"></script>
</body>
</html>
`
  return { status: 200, body, headers: pageHeaders }
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

function assetHeaders(type: string) {
  return {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  }
}
