import { type TSchema, Type } from '@sinclair/typebox'
import { states } from '../../domain/invoices/invoice.ts'
import { type Type as EventType, envelope, id, types } from '../../domain/webhooks/event.ts'
import { sampleData } from '../../domain/webhooks/event-samples.ts'
import { refer } from './components.ts'
import { instant, kind, like, oneOf, paymentDetails, uuid } from './doc-schemas.ts'

/** What `/openapi.json` says about the events that are delivered to webhooks. */

const txHash = like(`0x${'5e'.repeat(32)}`)
const settlementId = like('stl_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21')
const number = {
  api: like('INV-2026-0001'),
  v1: Type.Integer({ examples: [1] }),
}
const about = {
  api: { id: uuid, invoiceNumber: number.api, status: oneOf(states), kind },
  v1: {
    id: uuid,
    invoiceNumber: number.v1,
    status: oneOf(['PENDING', 'SETTLED', 'FAILED']),
    kind,
  },
}

const ofInvoice = (more: Record<string, TSchema>) =>
  Type.Union([Type.Object({ ...about.api, ...more }), Type.Object({ ...about.v1, ...more })])

function ofSettlement(more: Record<string, TSchema>) {
  const settlement = (invoiceNumber: TSchema) =>
    Type.Object({ settlementId, invoiceId: uuid, invoiceNumber, txHash, ...more })
  return Type.Union([settlement(number.api), settlement(number.v1)])
}

/** A schema that the routes have made a component of this name. */
const component = (name: string) => Type.Unsafe(refer('schemas')(name))

const mandate = component('ListedMandate')

/** When each event occurs, and what its `data` is. */
const events: Readonly<Record<EventType, readonly [when: string, data: TSchema]>> = {
  'invoice.created': [
    'An invoice was made',
    Type.Union([component('Invoice'), component('DecimalInvoice')]),
  ],
  'invoice.sent': [
    'An invoice was sent, or returned in a 402 of the proxy',
    ofInvoice({ sentAt: instant }),
  ],
  'invoice.paid': ['What is due was seen on chain, not final yet', ofInvoice({ paymentDetails })],
  'invoice.settled': ['The payment is final', ofInvoice({ txHash, paymentDetails })],
  'invoice.completed': [
    'The receipt of an invoice is on chain',
    ofInvoice({
      completedAt: instant,
      receiptId: like('drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'),
    }),
  ],
  'invoice.failed': [
    'An invoice was voided, or its due date has passed',
    ofInvoice({ failureReason: oneOf(['voided', 'expired']) }),
  ],
  'settlement.confirmed': [
    'The same moment as `invoice.settled`',
    ofSettlement({ confirmations: Type.Integer({ examples: [5] }) }),
  ],
  'settlement.failed': [
    'A reorganisation took a settlement back: the invoice is open again, and its receipt revoked',
    ofSettlement({ failureReason: Type.Literal('reorged') }),
  ],
  'mandate.proposed': ['A mandate was proposed', mandate],
  'mandate.signed_by_proposer': ['The proposer has signed', mandate],
  'mandate.signed_by_both': ['Both parties have signed', mandate],
  'mandate.completed': ['A mandate was completed', mandate],
  'mandate.disputed': ['A mandate was disputed', mandate],
}

/** The `webhooks` of the OpenAPI document, by event; `schemaOf` as in `createSchemas`. */
export function webhooksOf(schemaOf: (schema: TSchema) => unknown): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, { post: deliveryOf(type, schemaOf) }]))
}

const testHeader = {
  name: 'X-Service-Test',
  in: 'header',
  required: false,
  description: 'Sent with test events only, whose invoice or mandate does not exist.',
  schema: { type: 'string', const: 'true' },
}

function deliveryOf(type: EventType, schemaOf: (schema: TSchema) => unknown): object {
  const [when, data] = events[type]
  return {
    operationId: `on${type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary: when,
    security: [],
    parameters: [testHeader],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaOf(envelopeOf(type, data)),
          examples: examplesOf(type),
        },
      },
    },
    responses: { '2XX': { description: 'Taken. Anything else is tried again.' } },
  }
}

function envelopeOf(type: EventType, data: TSchema): TSchema {
  return Type.Object({
    id: Type.String({
      description: 'The same in every attempt. Store it to detect repetitions.',
      examples: ['evt_5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f'],
    }),
    type: Type.Literal(type),
    createdAt: instant,
    sequence: Type.Integer({
      description:
        'Increases with each event of an invoice or mandate, with gaps. Events may arrive in another order.',
      examples: [4],
    }),
    data,
  })
}

const subjectId: string = uuid.examples[0]
const at = new Date(instant.examples[0])

function examplesOf(type: EventType): object {
  const of = (form: 'api' | 'v1') => {
    const data = sampleData(type, subjectId, form, at)
    const sample = { subjectId, sequence: 1, type, data, createdAt: at }
    return { value: JSON.parse(envelope(id(subjectId, 1), sample)) }
  }
  if (type.startsWith('mandate.')) return { mandate: of('v1') }
  return { api: of('api'), v1: of('v1') }
}
