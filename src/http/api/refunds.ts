import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { CreditNotes } from '../../actors/credit-notes/credit-notes.ts'
import { toJson } from '../../domain/credit-notes/view.ts'
import { type Operations, unparsed } from '../operation.ts'
import { line, meant } from '../request/validation.ts'
import * as Docs from '../shared/credit-note-docs.ts'

const signature = meant(
  line(16_384),
  'The signature of the documented lines; of a contract wallet, as EIP-1271 or EIP-6492 has it.',
)

const ProveRefund = Type.Object({
  txHash: meant(
    line(128),
    'The transaction of the transfer: its hash, or its signature on Solana.',
  ),
})

const RedirectRefund = Type.Object({
  payer: meant(line(64), 'The wallet that paid, and signs.'),
  refundTo: meant(line(64), 'The address to which its refund is to be sent.'),
  signature,
})

const AddRefundWallet = Type.Object({
  wallet: meant(line(64), 'The wallet of the seller from which the refund comes, and signs.'),
  signature,
})

const route = '/api/credit-notes/:id'
const addressRoute = `${route}/refund-address`

/** What sellers and payers say of refunds: section B of the contract, point 4. */
export function refundRoutes(operation: Operations, creditNotes: CreditNotes) {
  const write = { scope: 'invoices:write' } as const
  return new Elysia()
    .post(
      `${route}/refund`,
      operation(
        { ...write, body: ProveRefund, docs: Docs.proveRefund },
        async ({ principal, params, body }) => {
          const { txHash } = body.value as Static<typeof ProveRefund>
          const id = params.id ?? ''
          const { status, note } = await creditNotes.proveBy(principal.accountId, id, txHash)
          return {
            status: status === 'pending' ? 202 : 200,
            body: `{"txHash":${JSON.stringify(txHash)},"status":"${status}","creditNote":${toJson(note, 'api')}}`,
          }
        },
      ),
      unparsed,
    )
    .post(
      addressRoute,
      operation(
        { scope: null, body: RedirectRefund, docs: Docs.redirectRefund },
        async ({ params, body }) => {
          const creditNoteId = params.id ?? ''
          const said = body.value as Static<typeof RedirectRefund>
          const redirected = await creditNotes.redirect(creditNoteId, said)
          return { status: 200, body: JSON.stringify({ creditNoteId, ...redirected }) }
        },
      ),
      unparsed,
    )
    .post(
      `${route}/refund-wallet`,
      operation(
        { ...write, body: AddRefundWallet, docs: Docs.addRefundWallet },
        async ({ principal, params, body }) => {
          const said = body.value as Static<typeof AddRefundWallet>
          const note = await creditNotes.addWallet(principal.accountId, params.id ?? '', said)
          return { status: 200, body: toJson(note, 'api') }
        },
      ),
      unparsed,
    )
}
