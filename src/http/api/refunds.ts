import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { CreditNotes } from '../../actors/credit-notes/credit-notes.ts'
import { toJson } from '../../domain/credit-notes/view.ts'
import { authorize } from '../admission/gate.ts'
import { type Operations, unparsed } from '../operation.ts'
import { check, line, meant } from '../request/validation.ts'
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

const byPayer = {
  payer: meant(line(64), 'The wallet that paid, and signs.'),
  sequence: meant(
    Type.Integer({ minimum: 1, maximum: 100, description: 'must be an integer from 1 to 100' }),
    'One more than the refund shows.',
  ),
  signature,
}

const RedirectRefund = Type.Object({
  refundTo: meant(line(64), 'The address to which the refund is to be sent.'),
  ...Type.Partial(Type.Object(byPayer)).properties,
})

const BySignature = Type.Object({ refundTo: line(64), ...byPayer })

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
        async ({ principal, requestId, params, body }) => {
          const creditNoteId = params.id ?? ''
          const { refundTo, ...statement } = body.value as Static<typeof RedirectRefund>
          if (Object.keys(statement).length > 0) {
            check(BySignature, body.value)
            const redirected = await creditNotes.redirect(creditNoteId, body.value)
            return { status: 200, body: JSON.stringify({ creditNoteId, ...redirected }) }
          }
          authorize(principal, write.scope)
          const { accountId, keyId } = principal
          const by = { keyId, requestId }
          const named = await creditNotes.nameAddress(accountId, creditNoteId, { refundTo, by })
          return { status: 200, body: JSON.stringify({ creditNoteId, ...named }) }
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
