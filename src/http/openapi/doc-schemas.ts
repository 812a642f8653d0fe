import { type TSchema, Type } from '@sinclair/typebox'
import { taxCategories } from '../../domain/invoices/lines.ts'
import { matchers } from '../../domain/invoices/progress.ts'
import { kinds } from '../../domain/invoices/terms.ts'
import { networks } from '../../domain/network.ts'
import { periodQuery } from '../request/period.ts'
import * as Example from './examples.ts'

export function nullable(schema: TSchema) {
  return Type.Union([schema, Type.Null()])
}

export function oneOf(values: readonly string[]) {
  return Type.Union(values.map((value) => Type.Literal(value)))
}

export function like(example: string) {
  return Type.String({ examples: [example] })
}

export const uuid = Type.String({
  format: 'uuid',
  examples: [Example.id],
})
export const instant = Type.String({ format: 'date-time', examples: ['2026-05-01T12:00:00.000Z'] })
export const currency = Type.String({
  description: 'An ISO 4217 code or USDC.',
  examples: ['USDC'],
})
export const minor = Type.Integer({
  description: 'In the smallest unit of the currency.',
  examples: [1_000],
})
export const rate = Type.Number({ description: 'In percent.', examples: [19] })

const address = like(Example.address)
/** Who paid. */
export const sender = nullable(
  Type.String({
    description: 'Null for USDC that was minted to the address: nobody sent it.',
    examples: [Example.address],
  }),
)
const txHash = like(Example.txHash)
const usdc = like('14.875')

const settled = {
  txHash: Type.Optional(txHash),
  settlementBlockNumber: Type.Optional(Type.Integer({ examples: [24_105_337] })),
  settlementSource: Type.Optional(oneOf(['evm-detector', 'solana-detector'])),
  from: Type.Optional(sender),
  confirmations: Type.Optional(Type.Integer({ examples: [5] })),
  settledAt: Type.Optional(instant),
  matchedBy: Type.Optional(oneOf(matchers)),
  overpaidAmount: Type.Optional(usdc),
  late: Type.Optional(
    Type.Literal(true, { description: 'The amount due was completed by a block after `dueAt`.' }),
  ),
}

const fx = Type.Object({
  rate: like('1.08'),
  source: like('ECB'),
  asOf: instant,
  stale: Type.Boolean({ description: 'The rate was more than 7 days old at creation.' }),
})

export const paymentDetails = Type.Object(
  {
    chain: oneOf(networks),
    paymentAddress: Type.String({ description: 'Where to send USDC.', examples: address.examples }),
    usdcAddress: like('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
    amountDue: Type.String({
      description: 'The amount that must arrive, in USDC.',
      examples: usdc.examples,
    }),
    amountReceived: like('0.00'),
    reference: Type.String({
      description: 'Sent with a transfer, it identifies the invoice that the transfer pays.',
      examples: [`0x${'3d'.repeat(32)}`],
    }),
    paymentUri: Type.String({
      description: 'For wallets: EIP-681, or Solana Pay.',
      examples: [
        'ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x8f3c…',
      ],
    }),
    fx: nullable(fx),
    accepting: Type.Optional(
      Type.Boolean({
        description:
          'Whether the chain has been read in the last 5 minutes, so that a payment would be seen. In answers, of invoices that take payments; not in webhooks.',
      }),
    ),
    held: Type.Optional(
      Type.Array(
        Type.Object({
          txHash,
          amount: usdc,
          from: nullable(address),
          blockTime: instant,
          why: oneOf(['ambiguous', 'unmatched']),
        }),
        {
          description:
            'Transfers of what is due or asked that were credited to no invoice, as they may be meant for another: `ambiguous` where several fit. Their sender claims them by `POST /v1/public/invoices/{id}/claim`, or an operator assigns them. In answers to a read of one invoice, while there are any.',
        },
      ),
    ),
    ...settled,
  },
  { $id: 'PaymentDetails' },
)

const buyerHead = {
  companyName: nullable(like('Ada Example Ltd')),
  email: nullable(like('ada@example.com')),
}

export const listedBuyer = Type.Object(buyerHead)

export const counterparty = Type.Object(
  { name: nullable(like('Ada Example Ltd')), wallet: nullable(address) },
  {
    description:
      'The buyer, with the wallet that is expected to pay; of a purchase the seller: the host it was bought from, and its `payTo`.',
  },
)

const country = Type.Optional(
  Type.String({ description: 'Absent where nothing says it.', examples: ['DE'] }),
)

const buyer = Type.Object({
  ...buyerHead,
  address: nullable(like('1 Example Street, Berlin')),
  country,
  vat: nullable(like('DE123456789')),
})

const seller = Type.Object({
  name: nullable(like('Grace Example GmbH')),
  wallet: nullable(address),
  address: nullable(like('2 Example Road, Paris')),
  country,
  vat: nullable(like('FR12345678901')),
})

export const kind = {
  ...oneOf(kinds),
  description:
    '`purchase` for what the account buys through the x402 proxy, `sale` for everything else.',
}

type Figures = Readonly<Record<string, TSchema>> & {
  readonly subtotal: TSchema
  readonly total: TSchema
}

const taxCategory = oneOf(taxCategories)

export function taxShareOf(amount: TSchema) {
  return Type.Object({ category: taxCategory, rate, base: amount, tax: amount })
}

/** What only invoices with lines have; `amount` is an amount of the family. */
function linesOf(amount: TSchema) {
  const line = Type.Object({
    description: like('Translation'),
    quantity: like('2.5'),
    unit: like('HUR'),
    unitPrice: Type.String({
      description: 'A decimal: of the currency on `/v1`, else of its smallest unit.',
      examples: ['80'],
    }),
    net: amount,
    taxCategory,
    taxRate: rate,
    taxExemptionReason: nullable(like('VATEX-EU-132-1I')),
  })
  const description = 'Only of an invoice that was created with lines, and not in lists.'
  return {
    lines: Type.Optional(Type.Array(line, { description })),
    taxBreakdown: Type.Optional(
      Type.Array(taxShareOf(amount), {
        description: `${description} The tax of each category and rate.`,
      }),
    ),
  }
}

export function creditedOf(total: TSchema) {
  const description = 'What credit notes have taken back of the total. Absent without any.'
  return { amountCredited: Type.Optional({ ...total, description }) }
}

/** An invoice of one family; `figures` are its number, status and amounts. */
export function invoice($id: string, figures: Figures) {
  return Type.Object(
    {
      id: uuid,
      ...figures,
      ...creditedOf(figures.total),
      kind,
      currency,
      taxRate: {
        ...nullable(rate),
        description: 'In percent. Null where the lines have several rates.',
      },
      taxCountry: nullable(like('DE')),
      description: nullable(like('Work in April')),
      ...linesOf(figures.subtotal),
      buyer,
      seller,
      paymentDetails,
      buyerReference: Type.Optional(like('PO-7')),
      agentId: nullable(like('agent-7')),
      mandateId: nullable(Type.String()),
      payer: nullable(address),
      dueAt: nullable(instant),
      metadata: nullable(Type.Record(Type.String(), Type.Unknown())),
      receiptId: nullable(Type.String({ description: 'Null until it is settled.' })),
      createdAt: instant,
      updatedAt: instant,
    },
    { $id },
  )
}

const limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    description: 'The most items on a page.',
  }),
)

/** The query of a list that is read by cursor alone. */
export const cursorQuery = {
  limit,
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the previous page.' })),
}

export const pageQuery = {
  limit,
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: 'The number of the page; the first is 1.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'The `nextCursor` of the previous page; replaces `page`.' }),
  ),
}

const following = {
  limit: Type.Integer({ examples: [10] }),
  hasMore: Type.Boolean(),
  nextCursor: nullable(
    Type.String({
      description: 'Pass it as `cursor` to get the next page; null on the last page.',
    }),
  ),
}

export function cursorPage(data: TSchema) {
  return { data: Type.Array(data), ...following }
}

export function page(data: TSchema) {
  return {
    data: Type.Array(data),
    total: Type.Integer({ examples: [1] }),
    page: Type.Integer({ examples: [1] }),
    ...following,
  }
}

const aDate =
  'An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B)'

/** Filters and paging of invoice lists; `statuses` is the family's vocabulary. */
const periodOfExport = Object.fromEntries(
  Object.entries(periodQuery).map(([name, schema]) => [
    name,
    {
      ...schema,
      description: `Only with \`Accept: text/csv\`, of settlements. ${schema.description}`,
    },
  ]),
)

export function listQuery(statuses: readonly string[]) {
  return Type.Object({
    status: Type.Optional({ ...oneOf(statuses), description: 'Only those in this status.' }),
    startDate: Type.Optional(
      Type.String({
        description: `${aDate}. Only invoices created then or later.`,
        examples: ['2026-05-01'],
      }),
    ),
    endDate: Type.Optional(
      Type.String({
        description: `${aDate}. Only invoices created before.`,
        examples: ['2026-06-01'],
      }),
    ),
    kind: Type.Optional({
      ...kind,
      description: 'Only what is sold, or bought through the proxy.',
    }),
    agentId: Type.Optional(
      Type.String({ maxLength: 256, description: 'Only those made with this `agentId`.' }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'An invoice’s number or id, the hash of a transaction that paid it, its reference, or part of its buyer’s name or e-mail ' +
          'address or, of a purchase, of its host, which is searched among the newest 10,000 invoices.',
      }),
    ),
    ...periodOfExport,
    ...pageQuery,
  })
}
