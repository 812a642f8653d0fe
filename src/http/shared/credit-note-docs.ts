import { type TSchema, Type } from '@sinclair/typebox'
import { states } from '../../domain/credit-notes/credit-note.ts'
import { refundStatuses } from '../../domain/credit-notes/view.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import { networks } from '../../domain/network.ts'
import {
  currency,
  cursorPage,
  cursorQuery,
  instant,
  kind,
  like,
  minor,
  nullable,
  oneOf,
  sender,
  taxShareOf,
  uuid,
} from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import type { Envelope } from '../response/envelope.ts'

const sequence = Type.Integer({
  description: 'How many statements of its payer have named an address.',
  examples: [0],
})

const refund = Type.Object(
  {
    payer: sender,
    to: nullable(
      Type.String({
        description:
          'Where to send it: `payer`, unless that wallet has named another address. Null until the seller has named one for what nobody sent.',
        examples: [Example.address],
      }),
    ),
    chain: oneOf(networks),
    amount: Type.String({ description: 'Exactly this much, in USDC.', examples: ['11.90'] }),
    status: {
      ...oneOf(refundStatuses),
      description:
        '`withheld` while the payment that it gives back has been taken back by a reorganisation.',
    },
    sequence,
    paymentUri: nullable(
      Type.String({ description: 'For wallets: EIP-681, or Solana Pay. Null unless it is open.' }),
    ),
    txHash: Type.Optional(like(Example.txHash)),
    receiptId: Type.Optional(nullable(like(Example.receiptId))),
  },
  { $id: 'Refund' },
)

type Figures = { readonly amount: TSchema; readonly invoiceNumber: TSchema }

function creditNote($id: string, { amount, invoiceNumber }: Figures) {
  return Type.Object(
    {
      id: uuid,
      creditNoteNumber: Type.String({
        description:
          'Gapless per account and year; of a purchase, the number that its seller has given.',
        examples: ['CN-2026-0001'],
      }),
      status: { ...oneOf(states), description: '`refunded` once every refund is proven.' },
      invoiceId: uuid,
      invoiceNumber,
      kind,
      reason: nullable(like('Returned')),
      currency,
      subtotal: amount,
      taxAmount: amount,
      total: amount,
      amountUsdc: Type.String({
        description:
          'What it takes off the amount due, in USDC; `refunds` are the part that was paid.',
        examples: ['11.90'],
      }),
      lines: Type.Optional(
        Type.Array(
          Type.Object({
            line: Type.Integer({ description: 'Of the invoice, from 1.', examples: [1] }),
            quantity: like('1'),
            net: amount,
          }),
        ),
      ),
      taxBreakdown: Type.Array(taxShareOf(amount)),
      refunds: Type.Array(refund),
      createdAt: instant,
      updatedAt: instant,
    },
    { $id },
  )
}

const minorNote = creditNote('CreditNote', {
  amount: minor,
  invoiceNumber: like('INV-2026-0001'),
})

const decimal = Type.Number({ description: 'In units of the currency.', examples: [11.9] })

const decimalNote = creditNote('DecimalCreditNote', {
  amount: decimal,
  invoiceNumber: Type.Integer({ examples: [1] }),
})

export function docsOf(form: Form, { schema, listSchema }: Envelope) {
  const note = form === 'v1' ? decimalNote : minorNote
  const create: Docs = {
    summary: 'Credit an invoice, in whole or in part',
    description:
      'With `amount`, that much including tax, shared among the categories of tax; with `lines`, quantities of lines; with neither, all that is left. ' +
      'On an open invoice it lowers what is due, and settles it where what has come is then enough. What has been paid beyond that is to be refunded: `refunds` says to whom. ' +
      'For a purchase made through the proxy it records the credit note of its seller: `number` is required, `amount` is a part of the price.',
    exampleBody: { reason: 'Returned', lines: [{ line: 1, quantity: '1' }] },
    answers: { 201: schema(note) },
    idempotent: true,
    refusals: ['invalid_amount', 'invalid_state', 'credit_exceeded', 'limit_reached', 'overloaded'],
  }
  const get: Docs = { summary: 'Read a credit note', answers: { 200: schema(note) } }
  const list: Docs = {
    summary: 'List credit notes, newest first',
    query: Type.Object({
      invoiceId: Type.Optional(
        Type.String({ format: 'uuid', description: 'Only those of this invoice.' }),
      ),
      ...cursorQuery,
    }),
    answers: { 200: listSchema(cursorPage(note)) },
    refusals: ['overloaded'],
  }
  return { create, get, list }
}

const refunded = Type.Object(
  {
    txHash: like(Example.txHash),
    status: {
      ...oneOf(['refunded', 'pending']),
      description: '`pending` until the transfer is final.',
    },
    creditNote: minorNote,
  },
  { $id: 'ProvenRefund' },
)

export const proveRefund: Docs = {
  summary: 'Prove a refund by its transaction',
  description:
    'One transfer of exactly the amount of a refund, to its `to`, from the address that the invoice was paid at or a registered wallet. ' +
    'A transfer proves one refund, once, ever; of two equal refunds, that of the older note. Until it is final: 202. Refunds that are sent after the note was issued are also found without this.',
  exampleBody: { txHash: Example.txHash },
  answers: { 200: refunded, 202: refunded },
  refusals: ['invalid_state', 'refund_not_proven', 'unavailable', 'overloaded'],
}

export const redirectRefund: Docs = {
  summary: 'Have a refund sent to another address',
  description:
    'For a payer whose money came from an exchange, up to ten times. No key is needed: the wallet that paid signs (EIP-191 on EVM chains, which contract wallets confirm, ed25519 on Solana) ' +
    'these seven lines, each ended by a line feed: `Quittance refund address v2`, `My refund is to be sent here:`, `Credit note: <id>`, `Chain: <chain>`, `Payer: <address>`, `Refund to: <address>`, `Sequence: <one more than the refund shows>`, ' +
    'with addresses in lower case on EVM chains. The last signed address counts, until the refund is paid. ' +
    'What was minted has no payer: with a key of the account that may write invoices, `refundTo` alone names where its refund is sent.',
  exampleBody: {
    payer: Example.address,
    refundTo: Example.address,
    sequence: 1,
    signature: `0x${'1b'.repeat(65)}`,
  },
  answers: {
    200: Type.Object({
      creditNoteId: uuid,
      payer: sender,
      refundTo: like(Example.address),
      sequence,
    }),
  },
  refusals: [
    'unauthorized',
    'forbidden',
    'invalid_state',
    'invalid_signature',
    'limit_reached',
    'unavailable',
    'overloaded',
  ],
}

export const addRefundWallet: Docs = {
  summary: 'Refund a credit note from another wallet',
  description:
    'The wallet signs or, for a purchase, the address that was paid, five lines, each ended by a line feed: `Quittance refund wallet v1`, `I refund this credit note from this wallet:`, `Credit note: <id>`, `Chain: <chain>`, `Wallet: <address>`.',
  exampleBody: { wallet: Example.address, signature: `0x${'1b'.repeat(65)}` },
  answers: { 200: minorNote },
  refusals: ['invalid_state', 'invalid_signature', 'limit_reached', 'unavailable', 'overloaded'],
}
