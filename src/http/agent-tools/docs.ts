import { Type } from '@sinclair/typebox'
import { instant, like, oneOf } from '../openapi/doc-schemas.ts'
import type { Docs } from '../operation.ts'

/** What `/openapi.json` and the tools say about the answers of `/agent-tools`. */

const version = like('1.0')
const count = Type.Integer({ examples: [1_204] })

export const pricing = Type.Object({
  section_id: Type.Literal('pricing'),
  version,
  model: Type.Literal('pay_per_call'),
  tiers: Type.Array(
    Type.Object({
      name: like('pro'),
      requests_per_minute: Type.Integer({ examples: [600] }),
      requests_per_day: Type.Integer({ examples: [50_000] }),
      note: Type.Optional(Type.String()),
    }),
  ),
  tools: Type.Array(
    Type.Object({
      name: like('service_create_invoice'),
      price: like('0.01'),
      currency: Type.Literal('USDC'),
      payment: oneOf(['none', 'x402']),
    }),
  ),
})

export const trustSignals = Type.Object({
  section_id: Type.Literal('trust_signals'),
  version,
  generated_at: instant,
  metrics: Type.Object({
    drs_receipts_issued: count,
    mandates_anchored: count,
    invoices_settled: count,
  }),
  anchors: Type.Array(
    Type.Object({
      chain_id: Type.Integer({ examples: [8453] }),
      contract: like('0xc0ffee254729296a45a3885639ac7e10f9d54979'),
      sender: like('0x90f79bf6eb2c4f870365e785982e1f101e93b906'),
      block_number: Type.Integer({
        description: 'Counted up to this block, all of which is final.',
        examples: [23_000_000],
      }),
      receipts: count,
      mandates: count,
    }),
    {
      description:
        'What anybody can count on chain: the receipts of the batches that `sender` has had `contract` emit, less those that it revoked, ' +
        'and the different mandates.',
    },
  ),
  partnerships: Type.Array(Type.Unknown()),
})

export const getPricing: Docs = {
  summary: 'Read what calls cost',
  answers: { 200: pricing },
  cacheable: true,
}

export const getTrustSignals: Docs = {
  summary: 'Read what the service has done so far',
  description:
    'Totals over all accounts, counted once a night. Receipts and mandates are those on chain: `quittance trust verify` counts them there.',
  answers: { 200: trustSignals },
  cacheable: true,
}

const rpcId = Type.Union([Type.String(), Type.Integer(), Type.Null()])

export const callTool: Docs = {
  summary: 'Call the tool server',
  description:
    'Model Context Protocol over JSON-RPC 2.0: stateless, always answered as JSON. One message or a batch of at most 20, each of which ' +
    'counts for the rate limit. `Host` and `Origin` must be ours. A request with notifications only is answered with 202.',
  body: Type.Object({
    jsonrpc: Type.Literal('2.0', { description: 'The version of JSON-RPC.' }),
    id: Type.Optional({
      ...rpcId,
      description:
        'Identifies the request in its answer. Without it the message is a notification.',
    }),
    method: Type.String({
      description: 'What to do: `initialize`, `ping`, `tools/list` or `tools/call`.',
      examples: ['tools/list'],
    }),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'For `tools/call`: `name` and `arguments`.',
      }),
    ),
  }),
  exampleBody: { jsonrpc: '2.0', id: 1, method: 'ping' },
  answers: {
    200: Type.Object({
      jsonrpc: Type.Literal('2.0'),
      id: rpcId,
      result: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      error: Type.Optional(
        Type.Object({
          code: Type.Integer(),
          message: Type.String(),
          data: Type.Optional(Type.Unknown()),
        }),
      ),
    }),
    202: null,
  },
  refusals: ['forbidden'],
}
