import { type Static, Type } from '@sinclair/typebox'
import type { Purchases } from '../../actors/purchases/purchases.ts'
import { addressIn } from '../../domain/address.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Request as InvoiceRequest } from '../../domain/invoices/request.ts'
import { toJson, toSummary } from '../../domain/invoices/view.ts'
import { type Answer, type Operations, unparsed } from '../operation.ts'
import type { Body } from '../request/json.ts'
import { line, meant, minorAmount } from '../request/validation.ts'
import { bare } from '../response/envelope.ts'
import { getMinorInvoice, listMinorInvoices } from '../shared/invoice-docs.ts'
import {
  address,
  buyerEmail,
  country,
  countryOf,
  currency,
  name,
  party,
  purpose,
  sharedFields,
  sharedRequest,
  type Taxes,
  vat,
} from '../shared/invoice-fields.ts'
import { type InvoiceParts, invoiceRoutes as routesOf } from '../shared/invoice-routes.ts'
import { amountFields } from '../shared/line-fields.ts'
import * as Docs from './docs.ts'
import { readTimeline, timelineDocs } from './invoice-timeline.ts'

const CreateInvoice = Type.Object({
  ...amountFields('api', minorAmount()),
  currency: currency(),
  ...sharedFields,
  description: purpose(),
  buyer: meant(
    Type.Object(
      {
        companyName: name('buyer'),
        email: buyerEmail(),
        address: address('buyer'),
        vat: vat('buyer'),
        country: country('buyer'),
      },
      { description: 'must be an object with companyName and email' },
    ),
    'The payer.',
  ),
  seller: meant(
    Type.Object(
      {
        name: Type.Optional(name('seller')),
        wallet: meant(
          line(64),
          'The wallet of the seller on `chain`, shown on the invoice. Payments always go to `paymentDetails.paymentAddress`.',
        ),
        address: address('seller'),
        vat: vat('seller'),
        country: country('seller'),
      },
      { description: 'must be an object with wallet' },
    ),
    'The payee, as documents show it.',
  ),
})

const route = '/api/invoices'

/** `/api/invoices`: minor units, and the form with buyer and seller; answers are not wrapped. */
export function invoiceRoutes(
  operation: Operations,
  parts: InvoiceParts & { readonly purchases: Pick<Purchases, 'voidInvoice'> },
) {
  const { invoices, purchases, accepts } = parts
  const shown = (invoice: Invoice): Answer => ({
    status: 200,
    body: toJson(invoice, 'api', accepts(invoice.terms.chain)),
  })
  return routesOf(operation, parts, {
    route,
    form: 'api',
    body: CreateInvoice,
    docs: { create: Docs.createInvoice, get: getMinorInvoice, list: listMinorInvoices },
    request,
    envelope: bare,
    item: toSummary,
  })
    .post(
      `${route}/:id/send`,
      operation(
        { scope: 'invoices:write', docs: Docs.sendInvoice },
        async ({ principal, params }) => {
          // The actor does not know owners.
          const { id } = await invoices.get(principal.accountId, params.id ?? '')
          return shown(await invoices.execute(id, { kind: 'send' }))
        },
      ),
      unparsed,
    )
    .post(
      `${route}/:id/void`,
      operation(
        { scope: 'invoices:write', docs: Docs.voidInvoice },
        async ({ principal, params }) =>
          shown(await purchases.voidInvoice(principal.accountId, params.id ?? '')),
      ),
      unparsed,
    )
    .get(
      `${route}/:id/timeline`,
      operation({ scope: 'invoices:read', docs: timelineDocs }, (call) =>
        readTimeline(invoices, call),
      ),
    )
}

function request(body: Body, taxes: Taxes): InvoiceRequest {
  const { buyer, seller, description, currency } = body.value as Static<typeof CreateInvoice>
  const shared = sharedRequest(body, taxes)
  addressIn('seller/wallet', shared.chain, seller.wallet)
  return {
    form: 'api',
    currency,
    ...shared,
    buyer: {
      ...party(buyer.companyName, buyer.email, buyer.address, buyer.vat),
      ...countryOf(buyer.country),
    },
    // Shown to the buyer as it was sent; the address to pay is `paymentDetails.paymentAddress`.
    seller: {
      ...party(seller.name, undefined, seller.address, seller.vat),
      ...countryOf(seller.country),
      wallet: seller.wallet,
    },
    description: description ?? null,
  }
}
