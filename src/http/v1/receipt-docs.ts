import { Type } from '@sinclair/typebox'
import { kinds } from '../../domain/receipts/receipt.ts'
import { instant, like, nullable, oneOf, uuid } from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import { wrapped } from '../response/envelope.ts'

const hash = like(Example.hash)
const receiptId = like(Example.receiptId)

const anchor = Type.Object(
  {
    chainId: Type.Integer({ examples: [84_532] }),
    contract: like(`0x${'c0'.repeat(20)}`),
    txHash: hash,
    blockNumber: Type.Integer(),
    logIndex: Type.Integer(),
    root: hash,
  },
  { $id: 'Anchor', description: 'The event of the batch on chain, and the root that it names.' },
)

const Claim = Type.Union([
  Type.Object(
    { salt: like(`0x${'5a'.repeat(16)}`), name: like('total'), value: Type.Unknown() },
    { description: 'A claim.' },
  ),
  Type.Object({ hash }, { description: 'A claim that is hidden.' }),
])

const Bundle = Type.Object(
  {
    version: Type.Literal(2),
    receiptId: Type.Optional(receiptId),
    hash,
    claims: Type.Array(Claim),
    index: Type.Optional(Type.Integer()),
    size: Type.Optional(Type.Integer()),
    path: Type.Optional(Type.Array(hash)),
    anchor: nullable(anchor),
  },
  { $id: 'ReceiptBundle', description: 'What its members mean is in docs/receipts.md.' },
)

const Receipt = Type.Object(
  {
    receiptId,
    kind: oneOf(kinds),
    invoiceId: nullable(uuid),
    status: oneOf(['pending', 'anchored', 'revoked']),
    issuedAt: instant,
    revokedAt: nullable(instant),
    claims: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Everything that the receipt states, by name. Amounts are decimal strings.',
      examples: [{ kind: 'settlement', currency: 'EUR', total: '14.88', gross: '16.20' }],
    }),
    hash,
    anchor: nullable(anchor),
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
  query: Type.Object({
    show: Type.Optional(
      Type.String({
        description: 'Names of the claims to show, separated by commas. The others are hidden.',
        examples: ['settled,total'],
      }),
    ),
  }),
  answers: { 200: Bundle },
}
