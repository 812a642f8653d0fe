import { type Static, Type } from '@sinclair/typebox'
import type { Request } from '../../domain/credit-notes/draft.ts'
import { invalidField, invalidFields } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import type { Body } from '../request/json.ts'
import { itemSources, memberSource } from '../request/json-source.ts'
import { refusingNull } from '../request/null-members.ts'
import { cursorPageIn, decodeCursor } from '../request/paging.ts'
import { listQueryOf } from '../request/request-url.ts'
import { line, meant, optional, prose } from '../request/validation.ts'

const Line = Type.Object({
  line: meant(
    Type.Integer({ minimum: 1, maximum: 100, description: 'must be an integer from 1 to 100' }),
    'The place of the line on the invoice, from 1.',
  ),
  // Read from its source text: this schema only documents it.
  quantity: Type.Unknown({
    type: ['number', 'string'],
    description: 'A decimal above 0 with at most 6 places, as a number or a string.',
  }),
})

export const CreditInvoice = Type.Object({
  reason: optional(prose(4_000), 'Why, as documents show it. Required for sales.'),
  amount: refusingNull(
    Type.Optional(
      Type.Unknown({
        type: ['number', 'string'],
        description:
          'With tax, in the unit of the family; of a purchase, a part of its price. Default: all that is left.',
      }),
    ),
  ),
  lines: optional(
    Type.Array(Line, { minItems: 1, maxItems: 100, description: 'must be a list of 1 to 100' }),
    'Quantities of lines, in place of an amount; an invoice without lines is one line of 1.',
  ),
  number: optional(
    line(64),
    'Only for a purchase, and required: the number of its seller’s credit note.',
  ),
})

/** Errors: `invalid_request`. */
export function requestOf(form: Form, body: Body): Request {
  const { reason, lines, number } = body.value as Static<typeof CreditInvoice>
  const amountSource = body.source('amount') ?? null
  if (amountSource !== null && lines)
    throw invalidFields(['amount', 'lines'], 'cannot be sent together: send one of them')
  const sources = itemSources(body.source('lines') ?? '')
  return {
    form,
    reason: reason ?? null,
    sellerNumber: number ?? null,
    amountSource,
    lines:
      lines?.map(({ line }, at) => {
        return { line, quantitySource: memberSource(sources[at] ?? '', 'quantity') ?? '' }
      }) ?? null,
  }
}

/** Errors: `invalid_request`. */
export function readNotesQuery(url: string) {
  return listQueryOf(url, (parameter) => {
    const invoiceId = parameter('invoiceId')?.toLowerCase() ?? null
    if (invoiceId !== null && !isUuid(invoiceId)) throw invalidField('invoiceId', 'must be a UUID')
    return { invoiceId, ...cursorPageIn(parameter, idIn) }
  })
}

function idIn(cursor: string): string | null {
  const id = decodeCursor(cursor)
  return isUuid(id) ? id : null
}
