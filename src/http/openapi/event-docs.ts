import { type TSchema, Type } from '@sinclair/typebox'
import { states as noteStates } from '../../domain/credit-notes/credit-note.ts'
import { states } from '../../domain/invoices/invoice.ts'
import { failures } from '../../domain/invoices/progress.ts'
import { envelope, id } from '../../domain/webhooks/event.ts'
import { sampleData } from '../../domain/webhooks/event-samples.ts'
import { type Type as EventType, events, types } from '../../domain/webhooks/events.ts'
import { refer } from './components.ts'
import { instant, kind, like, oneOf, paymentDetails, uuid } from './doc-schemas.ts'
import * as Example from './examples.ts'

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

function ofRefund(more: Record<string, TSchema>) {
  const receiptId = like(Example.receiptId)
  const note = (invoiceNumber: TSchema) =>
    Type.Object({
      id: uuid,
      creditNoteNumber: like('CN-2026-0001'),
      status: oneOf(noteStates),
      invoiceId: uuid,
      invoiceNumber,
      refund: component('Refund'),
      receiptId,
      ...more,
    })
  return Type.Union([note(number.api), note(number.v1)])
}

/** Refers to a schema of the routes. */
function component(name: string) {
  return Type.Unsafe(refer('schemas')(name))
}

const mandate = component('ListedMandate')

const dataOf: Readonly<Record<EventType, TSchema>> = {
  'invoice.created': Type.Union([component('Invoice'), component('DecimalInvoice')]),
  'invoice.sent': ofInvoice({ sentAt: instant }),
  'invoice.paid': ofInvoice({ paymentDetails }),
  'invoice.settled': ofInvoice({ txHash, paymentDetails }),
  'invoice.completed': ofInvoice({
    completedAt: instant,
    receiptId: like('drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'),
  }),
  'invoice.failed': ofInvoice({ failureReason: oneOf(failures) }),
  'settlement.confirmed': ofSettlement({ confirmations: Type.Integer({ examples: [5] }) }),
  'settlement.failed': ofSettlement({ failureReason: Type.Literal('reorged') }),
  'credit_note.issued': Type.Union([component('CreditNote'), component('DecimalCreditNote')]),
  'refund.confirmed': ofRefund({}),
  'refund.failed': ofRefund({ txHash, failureReason: Type.Literal('reorged') }),
  'mandate.proposed': mandate,
  'mandate.signed_by_proposer': mandate,
  'mandate.signed_by_both': mandate,
  'mandate.completed': mandate,
  'mandate.disputed': mandate,
}

export function webhooksOf(schemaOf: (schema: TSchema) => unknown): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, { post: deliveryOf(type, schemaOf) }]))
}

const testHeader = {
  name: 'X-Service-Test',
  in: 'header',
  required: false,
  description: 'Sent only with test events, whose invoice, credit note or mandate does not exist.',
  schema: { type: 'string', const: 'true' },
}

function deliveryOf(type: EventType, schemaOf: (schema: TSchema) => unknown): object {
  return {
    operationId: `on${type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary: events[type].description,
    security: [],
    parameters: [testHeader],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaOf(envelopeOf(type, dataOf[type])),
          examples: examplesOf(type),
        },
      },
    },
    responses: {
      '2XX': { description: 'Accepted. After any other answer the delivery is retried.' },
    },
  }
}

function envelopeOf(type: EventType, data: TSchema): TSchema {
  return Type.Object({
    id: Type.String({
      description: 'The same in every attempt. Store it to detect repetitions.',
      examples: ['5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f'],
    }),
    type: Type.Literal(type),
    createdAt: instant,
    sequence: Type.Integer({
      description:
        'Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.',
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
