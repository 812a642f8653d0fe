import { Elysia } from 'elysia'
import { DomainError } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Invoice } from '../../domain/invoice.ts'
import type { Payable } from '../../domain/payable.ts'
import type { Answer, Operations } from '../operation.ts'
import { pageBundle } from './bundle.ts'
import { type PublicInvoices, payableOf } from './payable.ts'
import { plainPayment } from './plain-payment.ts'

/**
 * The pages of the dashboard and of payments, both shown by one script. Content that is the same
 * for everybody is not counted by the rate limits, because payers share addresses.
 */
export function pageRoutes(operation: Operations, invoices: PublicInvoices) {
  return new Elysia()
    .get(
      '/dashboard',
      operation({ scope: null, isFree: true }, () => page('Quittance', needsScript)),
    )
    .get(
      '/pay/:id',
      operation({ scope: null }, async ({ params, request }) => {
        const invoice = await find(params)
        if (invoice) return paymentPage(await payableOf(invoice, invoices))
        // Programs get the usual error; a person gets a page that says the same.
        if (!wantsPage(request)) throw noInvoice()
        return { ...(await page('Payment · Quittance', '<p>No such invoice</p>')), status: 404 }
      }),
    )
    .get(
      '/pay/:id/status',
      operation({ scope: null }, async ({ params }) => ({
        status: 200,
        body: JSON.stringify(await payableOf(await payable(params), invoices)),
        headers: { 'cache-control': 'no-store' },
      })),
    )
    .get(
      '/assets/:name',
      operation({ scope: null, isFree: true }, async ({ params }) => {
        const file = (await pageBundle()).files.get(params.name ?? '')
        if (!file) throw new DomainError('not_found', 'There is nothing at this path')
        return { status: 200, body: file.bytes, headers: assetHeaders(file.type) }
      }),
    )

  async function find({ id = '' }: Readonly<Record<string, string>>): Promise<Invoice | undefined> {
    return isUuid(id) ? invoices.find(id) : undefined
  }

  async function payable(params: Readonly<Record<string, string>>): Promise<Invoice> {
    const invoice = await find(params)
    if (!invoice) throw noInvoice()
    return invoice
  }
}

function noInvoice(): DomainError {
  return new DomainError('not_found', 'No such invoice')
}

function wantsPage({ headers }: Request): boolean {
  return headers.get('accept')?.includes('text/html') ?? false
}

const needsScript = '<p>This page needs JavaScript.</p>'

function paymentPage(payable: Payable): Promise<Answer> {
  const { amountRemaining, amountDue, invoiceNumber } = payable
  const title = `${amountRemaining ?? amountDue} USDC, ${invoiceNumber} · Quittance`
  return page(title, plainPayment(payable))
}

/** A page; `plain` is shown where its script does not run. */
async function page(title: string, plain: string): Promise<Answer> {
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
<noscript>${plain}</noscript>
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
