import { Type } from '@sinclair/typebox'
import { matchers } from '../../domain/invoices/progress.ts'
import { networks } from '../../domain/network.ts'
import { statuses } from '../../domain/settlement/transfer-list.ts'
import {
  instant,
  like,
  nullable,
  oneOf,
  page,
  pageQuery,
  sender,
  uuid,
} from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'

const Transfer = Type.Object(
  {
    id: like(`base:${Example.txHash}:7`),
    chain: oneOf(networks),
    txHash: like(Example.txHash),
    position: Type.Integer({ description: 'Log index, or instruction index.', examples: [7] }),
    blockNumber: Type.Integer({ examples: [24_105_337] }),
    blockTime: instant,
    from: sender,
    to: like('0x00000000000000000000000000000000000000aa'),
    amount: like('14.875'),
    status: oneOf(statuses),
    state: oneOf(['seen', 'confirmed', 'reverted']),
    invoiceId: nullable(uuid),
    matchedBy: nullable(oneOf(matchers)),
    assignedBy: nullable(
      Type.String({ format: 'uuid', description: 'The key of the operator who assigned it.' }),
    ),
    createdAt: instant,
  },
  { $id: 'Transfer' },
)

/** What `/openapi.json` says about transfers. */
export const listTransfers: Docs = {
  summary: 'List transfers to our addresses, newest first',
  description:
    'Of all accounts, which needs the permission `admin`; but with `status=held` and without it, the held transfers that fit what an open invoice of the account is due, or has asked for. ' +
    '`unmatched` or `held` transfers were credited to no invoice; `ambiguous` ones among them fit several. ' +
    'Transfers that a reorganisation took back are listed only without `status`: their `state` is `reverted`, and the rest is what was last known. A `total` above 100,000 is an estimate.',
  query: Type.Object({
    status: Type.Optional(oneOf([...statuses, 'held'])),
    chain: Type.Optional(oneOf(networks)),
    ...pageQuery,
  }),
  answers: { 200: Type.Object(page(Transfer)) },
  refusals: ['overloaded'],
}

export const assignTransfer: Docs = {
  summary: 'Assign a transfer to an invoice',
  description:
    'For a transfer that no invoice was credited with. The invoice may belong to any account, must be open or expired, and must ask for ' +
    'payment at the address the transfer went to. Repeating it gives the same answer.',
  exampleBody: { invoiceId: Example.id },
  answers: { 200: Transfer },
  refusals: ['invalid_state', 'already_credited', 'transfer_mismatch', 'limit_reached'],
}
