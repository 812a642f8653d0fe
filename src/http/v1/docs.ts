import { Type } from '@sinclair/typebox'
import { kinds as receiptKinds } from '../../domain/receipts/receipt.ts'
import {
  instant,
  invoice,
  like,
  listQuery,
  nullable,
  oneOf,
  page,
  uuid,
} from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import { wrapped, wrappedMembers } from '../response/envelope.ts'
import { asCsv, creationRefusals } from '../shared/invoice-docs.ts'

/** What `/openapi.json` says about the operations of `/v1`. */

const statuses = ['PENDING', 'SETTLED', 'FAILED']
const decimal = Type.Number({ description: 'In units of the currency.', examples: [14.875] })

const Invoice = invoice('DecimalInvoice', {
  invoiceNumber: Type.Integer({ description: 'Gapless per account and year.', examples: [1] }),
  status: oneOf(statuses),
  amount: Type.Union([Type.Number(), Type.String()], {
    description: 'As it was sent.',
    examples: [12.5],
  }),
  subtotal: decimal,
  taxAmount: decimal,
  total: decimal,
})

export const createInvoice: Docs = {
  summary: 'Create an invoice',
  description: 'The answer says where to pay and how much.',
  exampleBody: {
    amount: 12.5,
    currency: 'USDC',
    chain: 'base',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
    taxCountry: 'DE',
    serviceDescription: 'Work in April',
  },
  answers: { 201: wrapped(Invoice) },
  idempotent: true,
  refusals: creationRefusals,
}

export const getInvoice: Docs = {
  summary: 'Read an invoice',
  answers: { 200: wrapped(Invoice) },
}

export const listInvoices: Docs = {
  summary: 'List invoices, newest first',
  description: asCsv,
  csv: true,
  query: listQuery(statuses),
  answers: { 200: wrappedMembers(page(Invoice)) },
  refusals: ['overloaded'],
}

const chainId = Type.Integer({ examples: [84_532] })
const hash = like(Example.hash)

const anchor = Type.Object(
  {
    chainId,
    contract: like(`0x${'c0'.repeat(20)}`),
    txHash: hash,
    blockNumber: Type.Integer(),
    logIndex: Type.Integer(),
  },
  { $id: 'Anchor', description: 'Where the event of the receipt is on chain.' },
)

const Bundle = Type.Object(
  {
    receiptId: like(Example.receiptId),
    preimage: Type.String({ description: 'The exact text whose SHA-256 is `hash`.' }),
    hash,
    anchor: nullable(anchor),
    revokedAt: Type.Optional({
      ...instant,
      description:
        'When it was revoked, because a reorganisation removed its payment. Absent while it is valid.',
    }),
  },
  { $id: 'ReceiptBundle' },
)

const transfer = Type.Object({
  txHash: hash,
  blockNumber: Type.Integer(),
  from: Type.String(),
  amount: like('14.875'),
})

const refund = {
  creditNoteId: uuid,
  creditNoteNumber: like('CN-2026-0001'),
  invoiceId: uuid,
  invoiceNumber: like('INV-2026-0001'),
  chain: like('base'),
  usdcAddress: Type.String(),
  payer: Type.String(),
  from: Type.String(),
  to: Type.String(),
  amount: like('11.90'),
  txHash: hash,
  blockNumber: Type.Integer(),
  blockTime: instant,
}

const Receipt = Type.Object(
  {
    receiptId: Bundle.properties.receiptId,
    version: like('1'),
    kind: oneOf(receiptKinds),
    mandateHash: nullable(hash),
    settlement: nullable(
      Type.Object({
        settlementId: Type.String(),
        invoiceId: uuid,
        invoiceNumber: like('INV-2026-0001'),
        chain: like('base'),
        usdcAddress: Type.String(),
        paymentAddress: Type.String(),
        amountDue: like('14.875'),
        matchedBy: like('reference'),
        settledAt: instant,
        transfers: Type.Array(transfer),
      }),
    ),
    refund: Type.Optional(
      Type.Object(refund, { description: 'Of a `refund`: the transfer that gave money back.' }),
    ),
    tax: nullable(
      Type.Object({
        countryCode: nullable(like('DE')),
        rateBasisPoints: nullable(
          Type.Integer({
            description: 'Null where lines have several rates.',
            examples: [1_900],
          }),
        ),
        currency: like('USDC'),
        subtotal: like('12.5'),
        tax: like('2.375'),
        total: like('14.875'),
      }),
    ),
    payout: nullable(
      Type.Object({
        gross: Type.String({
          description: 'Everything that was received, in USDC, also beyond the amount due.',
          examples: ['14.875'],
        }),
        fee: like('0.00'),
        net: like('14.875'),
        currency: like('USDC'),
        recipient: Type.String({ description: 'The address that was paid.' }),
      }),
    ),
    issuedAt: instant,
    hash,
    anchor: nullable(anchor),
    invoiceId: nullable(uuid),
    revokedAt: nullable(instant),
    status: oneOf(['pending', 'anchored', 'revoked']),
  },
  { $id: 'Receipt' },
)

export const getReceipt: Docs = {
  summary: 'Read a receipt',
  answers: { 200: wrapped(Receipt) },
}

export const getBundle: Docs = {
  summary: 'Get the proof of a receipt',
  description: 'Everything needed to check it against the chain alone. No key is needed.',
  answers: { 200: Bundle },
}
