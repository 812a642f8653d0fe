import { type TSchema, Type } from '@sinclair/typebox'
import { signers } from '../../domain/mandates/mandate.ts'
import { states } from '../../domain/mandates/states.ts'
import { instant, like, nullable, oneOf, page, pageQuery, uuid } from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import { wrapped, wrappedMembers } from '../response/envelope.ts'

/** What `/openapi.json` says about the operations on mandates. */

const mandateId = like(Example.mandateId)
const receiptId = nullable(
  Type.String({
    description: 'The receipt of the agreement; null until both have signed.',
    examples: [Example.receiptId],
  }),
)
const hash = Type.String({
  description: '0x and the SHA-256 of the canonical bytes.',
  examples: [Example.hash],
})
const signature = nullable(
  Type.String({
    description: 'Null until both have signed: both sign the same bytes.',
    examples: ['5e'.repeat(32)],
  }),
)
const state = oneOf(states)
const freeForm = Type.Record(Type.String(), Type.Unknown())
const txHash = nullable(like(Example.txHash))
const moment = nullable(instant)

const row = {
  id: mandateId,
  proposer_agent_id: like('agent_alpha'),
  counterparty_agent_id: like('agent_beta'),
  scope: like('Summarise 100 documents'),
  terms: freeForm,
  context: nullable(freeForm),
  state,
  protocol_mandate_hash: hash,
  protocol_version: like('v0.1'),
  proposer_signature: signature,
  counterparty_signature: signature,
  signed_by_proposer_at: moment,
  signed_by_counterparty_at: moment,
  completed_at: moment,
  disputed_at: moment,
  dispute_reason: nullable(Type.String()),
  expires_at: instant,
  drs_receipt_id: receiptId,
  created_at: instant,
  updated_at: instant,
}

const transition = Type.Object(
  {
    id: uuid,
    from_state: nullable(state),
    to_state: state,
    mandate_hash: hash,
    triggered_by: like('system'),
    metadata: freeForm,
    created_at: instant,
    anchor_status: Type.Union(
      ['none', 'pending', 'anchored', 'failed'].map((status) => Type.Literal(status)),
      {
        description:
          '`none` for the first transition, which is not anchored. `failed` is reserved: an anchor is sent until it is mined.',
      },
    ),
    anchor_tx_hash: txHash,
    anchor_block_number: nullable(Type.Integer({ examples: [24_105_337] })),
    anchor_chain: nullable(like('eip155:84532')),
  },
  { $id: 'MandateTransition' },
)

const ListedMandate = Type.Object(row, { $id: 'ListedMandate' })
const Mandate = Type.Object(
  { ...row, transitions: Type.Array(transition, { description: 'Oldest first.' }) },
  { $id: 'Mandate' },
)

const outcome = (more: Readonly<Record<string, TSchema>>) =>
  wrapped(Type.Object({ mandate_id: mandateId, status: state, ...more }))

const example = {
  proposer: 'agent_alpha',
  counterparty: 'agent_beta',
  scope: 'Summarise 100 documents',
  terms: { amount: 50, currency: 'USDC', deliverable: '100 summaries' },
  expiry: '2099-12-31T00:00:00Z',
}

export const proposeMandate: Docs = {
  summary: 'Propose a mandate',
  description:
    'Terms and context are stored and returned exactly as they were sent. If `terms.amount` and `terms.currency` do not limit ' +
    'payments as they seem to, `warnings` says so: check it before the mandate is signed.',
  exampleBody: example,
  answers: {
    201: outcome({
      proposer_signature_required: Type.Literal(true),
      expires_at: instant,
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'Absent if there are none. `amount_unreadable`: `terms.amount` is not a positive amount with at most six decimals; with a ' +
            'currency, nothing can be paid under the mandate. `amount_without_currency`: the amount limits nothing. ' +
            '`currency_unknown`: nothing can be paid under the mandate.',
          examples: [['amount_unreadable']],
        }),
      ),
    }),
  },
  idempotent: true,
  refusals: ['missing_field', 'invalid_field'],
}

export const listMandates: Docs = {
  summary: 'List mandates, newest first',
  description:
    'A page has at most about 1 MiB of mandates, and then fewer than `limit`: follow `nextCursor`. ' +
    'With `page`, such a page and those after it are refused as `INVALID_REQUEST`, because mandates would be skipped.',
  query: Type.Object({
    status: Type.Optional(state),
    state: Type.Optional({ ...state, description: 'The same as `status`.' }),
    ...pageQuery,
  }),
  answers: { 200: wrappedMembers(page(ListedMandate)) },
  refusals: ['overloaded'],
}

export const getMandate: Docs = {
  summary: 'Read a mandate with its transitions',
  query: Type.Object({
    wait: Type.Optional(
      Type.Literal('anchored', {
        description:
          'Answer once every transition so far is on chain, or after 30 seconds; sooner if the process stops.',
      }),
    ),
  }),
  answers: { 200: wrapped(Mandate) },
  refusals: ['mandate_not_found'],
}

export const signMandate: Docs = {
  summary: 'Sign a mandate',
  description:
    'The signature is the HMAC-SHA256, in hex, of the canonical bytes under the signing secret of the account. The proposer signs ' +
    'first. Repeating an accepted signature changes nothing and returns the current state.',
  exampleBody: { signer: signers[0], signature: '5e'.repeat(32) },
  answers: { 200: outcome({ drs_receipt_id: receiptId }) },
  refusals: [
    'invalid_request',
    'invalid_signer',
    'missing_signature',
    'mandate_not_found',
    'invalid_transition',
    'invalid_signature',
  ],
}

export const completeMandate: Docs = {
  summary: 'Complete a mandate',
  exampleBody: { triggered_by: 'agent_beta' },
  answers: { 200: outcome({ completed_at: instant }) },
  refusals: ['mandate_not_found', 'invalid_transition'],
}

export const disputeMandate: Docs = {
  summary: 'Dispute a mandate that both parties have signed',
  exampleBody: { triggered_by: 'agent_alpha', reason: 'Half of the summaries are missing' },
  answers: { 200: outcome({ disputed_at: instant, reason: Type.String() }) },
  refusals: ['missing_reason', 'mandate_not_found', 'invalid_transition'],
}

export const canonicalizeMandate: Docs = {
  summary: 'Get the bytes that both parties of a mandate sign',
  description: 'A helper for signers: nothing is stored, and no secret is involved.',
  exampleBody: {
    id: mandateId.examples?.[0],
    proposer_agent_id: example.proposer,
    counterparty_agent_id: example.counterparty,
    scope: example.scope,
    terms: example.terms,
    expires_at: example.expiry,
  },
  answers: {
    200: wrapped(
      Type.Object({
        canonical: Type.String({ description: 'The text whose UTF-8 bytes are signed.' }),
        hash,
      }),
    ),
  },
}

const party = Type.Object({
  role: oneOf(signers),
  agent_id: like('agent_alpha'),
  name: Type.String(),
  signed: Type.Boolean(),
})

export const getPublicMandate: Docs = {
  summary: 'Read the public state of a mandate',
  description: 'No key is needed, and nothing about the agreement is shown.',
  answers: {
    200: Type.Object(
      {
        id: mandateId,
        state,
        mandate_hash: hash,
        anchor_tx_hash: txHash,
        created_at: instant,
        parties: Type.Array(party),
      },
      { $id: 'PublicMandate' },
    ),
  },
  refusals: ['mandate_not_found'],
}
