import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { canonical } from '../../src/domain/canonical.ts'
import * as Receipt from '../../src/domain/receipts/receipt.ts'
import {
  refundAddressStatement,
  refundWalletStatement,
} from '../../src/domain/settlement/payer-statement.ts'
import type { Operation } from '../../src/http/operation.ts'
import { pageBundle } from '../../src/http/pages/bundle.ts'
import { allRoutes } from '../../src/http/server.ts'
import { issueKey } from '../../src/operator/accounts.ts'
import { recordAnchored } from './anchoring.ts'
import { anInvoice, type TestApp, testWallet } from './app.ts'
import { aTxHash, heldTransfer, signedClaim } from './claims.ts'
import { credited, payInvoice } from './credit-notes.ts'
import { after, payment } from './invoice.ts'
import { aMandate } from './mandates.ts'
import { square, svgUrl } from './pictures.ts'

/** How to call a route. The default body is the example of its documentation. */
export type Example = {
  /** Creates what the path refers to, for the app's account, and answers its id. */
  readonly of?: () => Promise<string>
  /** Query strings to try. */
  readonly queries?: readonly string[]
  /** The error code for another account's resource; absent: `NOT_FOUND`. */
  readonly missing?: string
  /** The caller chooses the name, so a name used by another account is free. */
  readonly isOwnName?: true
  /** The route reaches across accounts and requires the scope for that. */
  readonly isForOperators?: true
  /** The answer never ends. */
  readonly isEndless?: true
  /** The route is open to anybody who pays. */
  readonly isPaid?: true
}

export const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** Every route with its scope and documentation. A HEAD equals the GET of the same path. */
export const routes = allRoutes()
  .filter(({ method, path }) => path !== '/*' && method !== 'HEAD')
  .map(({ method, path, handler }) => {
    const { scope = null, docs } = (handler as Partial<Operation>).options ?? {}
    return { method, path, scope, docs }
  })

/** An example of each route of `app`, and its body for what the example has created. */
export function routeExamples(app: TestApp, upstream: URL) {
  const bodies = new Map<string, object>()
  const invoice = { of: () => anInvoice(app) }
  const lists = (failed: string) => ({ queries: ['', '?limit=1', `?status=${failed}`] })
  const creditNote = { of: aCreditNote }
  const webhook = { of: aWebhook }
  const mandate = { of: anAgreement, missing: 'mandate_not_found' }
  const target = { queries: [`?url=${encodeURIComponent(upstream.href)}`] }
  const paid = { isPaid: true } as const

  // One line for each route.
  const examples: Readonly<Record<string, Example>> = {
    'GET /healthz': {},
    'GET /readyz': {},
    'GET /metrics': {},
    'GET /admin/queues': { isForOperators: true },
    'GET /admin/queues/*': { isForOperators: true },
    'GET /openapi.json': {},
    'GET /docs': {},
    'GET /docs/scalar.js': {},
    'GET /': {},
    'GET /dashboard': {},
    'GET /dashboard/events': { isEndless: true },
    'GET /dashboard/chains': {},
    'GET /dashboard/session': {},
    'POST /dashboard/session': {},
    'DELETE /dashboard/session': {},
    'GET /pay/:id': invoice,
    'GET /pay/:id/status': invoice,
    'GET /pay/:id/transaction': invoice,
    'POST /pay/:id/transaction': invoice,
    'GET /pay/icon.svg': {},
    'GET /pay/:id/invoice.pdf': invoice,
    'GET /pay/:id/receipt': invoice,
    'GET /pay/:id/receipt/anchor': invoice,
    'GET /pay/:id/logo': { of: anInvoiceWithLogo },
    'GET /assets/:name': { of: async () => (await pageBundle()).script },
    'POST /v1/invoices': {},
    'GET /v1/invoices': lists('FAILED'),
    'GET /v1/invoices/:id': invoice,
    'POST /api/invoices': {},
    'GET /api/invoices': lists('failed'),
    'GET /api/invoices/:id': invoice,
    'GET /api/invoices/:id/timeline': invoice,
    'GET /api/invoices/:id/pdf': invoice,
    'GET /api/invoices/:id/xml': { ...invoice, queries: ['', '?format=cii'] },
    'POST /api/invoices/:id/send': invoice,
    'POST /api/invoices/:id/void': invoice,
    'POST /api/invoices/:id/credit-notes': invoice,
    'GET /api/credit-notes': { queries: ['', '?limit=1'] },
    'GET /api/credit-notes/:id': creditNote,
    'GET /api/credit-notes/:id/pdf': creditNote,
    'GET /api/credit-notes/:id/xml': { ...creditNote, queries: ['', '?format=cii'] },
    'POST /api/credit-notes/:id/refund': { of: aRefunded },
    'POST /api/credit-notes/:id/refund-address': { of: aRedirected },
    'POST /api/credit-notes/:id/refund-wallet': { of: aNoteWithWallet },
    'POST /v1/invoices/:id/credit-notes': invoice,
    'GET /v1/credit-notes': { queries: ['', '?limit=1'] },
    'GET /v1/credit-notes/:id': creditNote,
    'POST /api/v1/invoices': {},
    'GET /api/v1/invoices': lists('failed'),
    'GET /api/v1/invoices/:id': invoice,
    'POST /api/v1/invoices/:id/credit-notes': invoice,
    'GET /api/books': { queries: ['', '?period=2026-Q3'] },
    'GET /api/account/profile': {},
    'PUT /api/account/profile': {},
    'POST /v1/webhooks': {},
    'GET /v1/webhooks': {},
    'GET /v1/webhooks/:id': webhook,
    'PATCH /v1/webhooks/:id': webhook,
    'DELETE /v1/webhooks/:id': webhook,
    'POST /v1/webhooks/:id/rotate-secret': webhook,
    'POST /v1/webhooks/:id/test': webhook,
    'GET /v1/webhooks/:id/deliveries': { of: aTriedWebhook },
    'GET /v1/deliveries/:id': { of: aDelivery },
    'POST /v1/deliveries/:id/redeliver': { of: aDelivery },
    'POST /api/webhooks': {},
    'GET /api/webhooks': {},
    'GET /api/webhooks/:id': webhook,
    'PATCH /api/webhooks/:id': webhook,
    'DELETE /api/webhooks/:id': webhook,
    'POST /api/webhooks/:id/rotate-secret': webhook,
    'POST /api/webhooks/:id/test': webhook,
    'GET /api/webhooks/:id/deliveries': { of: aTriedWebhook },
    'GET /api/deliveries/:id': { of: aDelivery },
    'POST /api/deliveries/:id/redeliver': { of: aDelivery },
    'POST /api/keys': {},
    'GET /api/keys': {},
    'DELETE /api/keys/:id': { of: aKey },
    'POST /v1/public/invoices/:id/claim': { of: aClaimed },
    'GET /api/transfers': { queries: ['', '?status=ambiguous'], isForOperators: true },
    'POST /api/transfers/:id/assign': { of: aTransfer, isForOperators: true },
    'GET /v1/receipts/:id': { of: aReceipt },
    'GET /v1/public/receipts/:id/bundle': { of: aReceipt },
    'POST /v1/mandates': {},
    'GET /v1/mandates': lists('completed'),
    'POST /v1/mandates/canonicalize': {},
    'GET /v1/mandates/:id': mandate,
    'POST /v1/mandates/:id/sign': { ...mandate, of: anAgreementToSign },
    'POST /v1/mandates/:id/complete': mandate,
    'POST /v1/mandates/:id/dispute': mandate,
    'GET /v1/public/mandates/:id': mandate,
    'PUT /api/budget/:agentId': { of: anAgent, isOwnName: true },
    'GET /api/budget/:agentId': { of: anAgent },
    'GET /api/budget': { queries: ['', '?limit=1'] },
    'POST /api/budget/check': {},
    'POST /api/budget/reservations/:id/commit': { of: aReservation },
    'POST /api/budget/reservations/:id/release': { of: aReservation },
    'GET /api/x402/proxy': target,
    'POST /api/x402/proxy': target,
    'PUT /api/x402/proxy': target,
    'PATCH /api/x402/proxy': target,
    'DELETE /api/x402/proxy': target,
    'OPTIONS /api/x402/proxy': target,
    'POST /api/x402/invoice': paid,
    'GET /api/x402/invoice': paid,
    'GET /api/x402/settle': paid,
    'POST /api/x402/settle': { of: anInvoiceToSettle, ...paid },
    'GET /.well-known/x402': {},
    'GET /.well-known/quittance': {},
    'POST /api/tax/calculate': {},
    'POST /api/v1/tax/calculate': {},
    'GET /api/v1/tax/rates': { queries: ['', '?country=de'] },
    'POST /api/v1/auth/token': {},
    'GET /api/v1/dashboard/tax-summary': { queries: ['', '?period=2026-Q3'] },
    'GET /api/v1/dashboard/overview': { queries: ['', '?from=2026-10-01&to=2026-11-01'] },
    'POST /agent-tools/mcp': {},
    'GET /agent-tools/sections/pricing.json': {},
    'GET /agent-tools/sections/trust_signals.json': {},
  }

  /** Keeps the body for the resource `id`. */
  function withBody(id: string, body: object): string {
    bodies.set(id, body)
    return id
  }

  async function created(path: string, body: object) {
    const { json } = await app.send('POST', path, body)
    return json.data ?? json
  }

  async function anInvoiceToSettle(): Promise<string> {
    const id = await anInvoice(app)
    return withBody(id, { invoice_id: id })
  }

  async function aClaimed(): Promise<string> {
    const invoiceId = await anInvoice(app)
    return withBody(invoiceId, await signedClaim({ invoiceId }))
  }

  async function aTransfer(): Promise<string> {
    const id = await heldTransfer(app.database.sql, { usdcBase: 12_500_000n })
    return withBody(id, { invoiceId: await anInvoice(app) })
  }

  async function anInvoiceWithLogo(): Promise<string> {
    await app.send('PUT', '/api/account/profile', { logo: svgUrl(square) })
    return anInvoice(app)
  }

  async function aCreditNote(): Promise<string> {
    const path = `/api/invoices/${await anInvoice(app)}/credit-notes`
    return (await created(path, { reason: 'Returned' })).id
  }

  /** Of a settled invoice: one refund, to the wallet that `by` signs for. */
  async function aRefundable(by = privateKeyToAccount(generatePrivateKey())) {
    const invoiceId = await anInvoice(app)
    await payInvoice(app, invoiceId, { usdcBase: 12_500_000n, from: by.address })
    const noteId: string = (await credited(app, invoiceId, { reason: 'Returned' })).json.id
    const about = { noteId, chain: 'base' } as const
    return { noteId, about, by }
  }

  async function aRefunded(): Promise<string> {
    const { noteId } = await aRefundable()
    const txHash = aTxHash()
    await app.database.sql`
      update credit_notes set progress = replace(progress, '"refunds":[{', ${`"refunds":[{"proof":${JSON.stringify(
        {
          ...{ txHash, position: 0, blockNumber: 7, blockTime: new Date().toISOString() },
          from: testWallet,
        },
      )},`}) where id = ${noteId}`
    return withBody(noteId, { txHash })
  }

  async function aRedirected(): Promise<string> {
    const { noteId, about, by } = await aRefundable()
    const [payer, refundTo] = [by.address, `0x${'5c'.repeat(20)}`]
    const sequence = 1
    const message = refundAddressStatement({ ...about, payer, refundTo, sequence })
    return withBody(noteId, {
      payer,
      refundTo,
      sequence,
      signature: await by.signMessage({ message }),
    })
  }

  async function aNoteWithWallet(): Promise<string> {
    const { noteId, about, by } = await aRefundable()
    const message = refundWalletStatement({ ...about, wallet: by.address })
    return withBody(noteId, {
      wallet: by.address,
      signature: await by.signMessage({ message }),
    })
  }

  async function aWebhook(): Promise<string> {
    const wanted = { url: 'https://example.com/hooks', events: ['invoice.settled'] }
    return (await created('/v1/webhooks', wanted)).id
  }

  // An account has at most 50 webhooks.
  let deliveredTo: Promise<string> | undefined

  async function aDelivery(): Promise<string> {
    deliveredTo ??= aWebhook()
    return (await tested(await deliveredTo)).id
  }

  function tested(webhookId: string) {
    return created(`/v1/webhooks/${webhookId}/test`, { event: 'invoice.sent' })
  }

  async function aTriedWebhook(): Promise<string> {
    const id = await aWebhook()
    await tested(id)
    const attempt = {
      attempt: 1,
      startedAt: new Date().toISOString(),
      durationMs: 41,
      statusCode: 200,
      error: null,
      responseExcerpt: 'ok',
    }
    await app.database
      .sql`update delivery_batches set due_at = null, log = ${JSON.stringify([attempt])} where webhook_id = ${id}`
    return id
  }

  async function aKey(): Promise<string> {
    const accountId = app.account.account.id
    const wanted = { accountId, kind: 'inv_', name: 'one', scopes: ['invoices:read'] } as const
    return (await issueKey(app.database.sql, wanted)).id
  }

  async function anAgreement(): Promise<string> {
    return (await aMandate(app)).id
  }

  async function anAgreementToSign(): Promise<string> {
    const { id, signature } = await aMandate(app)
    return withBody(id, { signer: 'counterparty', signature })
  }

  async function anAgent(): Promise<string> {
    const id = `agent ${crypto.randomUUID()}`
    await app.send('PUT', `/api/budget/${encodeURIComponent(id)}`, { limit: 1_000 })
    return id
  }

  async function aReservation(): Promise<string> {
    const wanted = { agentId: await anAgent(), amount: 1, reserve: true }
    return (await created('/api/budget/check', wanted)).reservationId
  }

  /** The anchored receipt of an invoice that was settled some time ago. */
  async function aReceipt(): Promise<string> {
    const receiptId = `drs_${crypto.randomUUID()}`
    const settled = { ...after([{ kind: 'credit', payment: payment() }]), id: Bun.randomUUIDv7() }
    const settlement = {
      id: 'stl',
      receiptId,
      txHash: '0x01',
      blockNumber: 7,
      from: payment().from,
      confirmations: 5,
      settledAt: '2026-05-01T12:00:00.000Z',
      matchedBy: 'reference' as const,
    }
    const seed = new Uint8Array(32)
    const { claims, hash } = Receipt.ofSettlement(settled, settlement, { feeBasisPoints: 0, seed })
    await app.database.sql`
      insert into receipts (id, account_id, kind, subject_id, seed, claims, hash, issued_at)
      values (${receiptId}, ${app.account.account.id}, 'settlement', ${settled.id}, ${seed}, ${canonical(claims)}, ${hash}, now())`
    const [contract, txHash] = [`0x${'c0'.repeat(20)}`, `0x${'a7'.repeat(32)}`]
    const place = { chainId: 84532, contract, txHash, blockNumber: 7, logIndex: 0 }
    await recordAnchored(app.database.sql, receiptId, place)
    return receiptId
  }

  return { examples, bodies }
}
