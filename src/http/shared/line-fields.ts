import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../domain/error.ts'
import { taxCategories } from '../../domain/invoices/lines.ts'
import type { RequestedLine } from '../../domain/invoices/requested-line.ts'
import type { Form } from '../../domain/invoices/terms.ts'
import type { Body } from '../request/json.ts'
import { itemSources, memberSource } from '../request/json-source.ts'
import { refusingNull } from '../request/null-members.ts'
import { choice, line, meant, minorUnits, optional, orNull, prose } from '../request/validation.ts'

const maxLines = 100
const maxBytes = 65_536

const aboutPrice: Readonly<Record<Form, string>> = {
  api: `The price of one unit, without tax: ${minorUnits}; or, as a text, a decimal of minor units with at most 6 places. It may be 0.`,
  v1: 'The price of one unit, without tax: a decimal with at most 6 places, as a number or a text. It may be 0.',
}

/** Numbers are read from their source texts: their schemas only document them. */
function lineOf(form: Form) {
  return Type.Object(
    {
      description: meant(prose(4_000), 'What is sold.'),
      quantity: Type.Unknown({
        type: ['number', 'string'],
        description:
          'How many units: a decimal above 0 with at most 6 places, as a number or a text.',
      }),
      unitPrice: Type.Unknown({
        type: [form === 'api' ? 'integer' : 'number', 'string'],
        description: aboutPrice[form],
      }),
      unit: orNull(
        line(16),
        'The unit: a code of UN/ECE Recommendation 20 such as `C62` (one), the default, `HUR` (hour), `DAY` or `KGM`, or of Recommendation 21 with an X in front.',
      ),
      taxCategory: orNull(
        choice(taxCategories),
        'How it is taxed. Default: `standard` where there is a `taxCountry`, else `outside_scope`.',
      ),
      taxRate: orNull(
        Type.Number({ description: 'must be a number' }),
        'In percent, for `standard` and `reduced` only: it must be that rate of the `taxCountry`, which is also the default.',
      ),
      taxExemptionReason: orNull(
        prose(1_000),
        'Why there is no tax: a text, or a VATEX code such as `VATEX-EU-132-1I`. `exempt` needs one; all lines of a category have the same.',
      ),
    },
    { description: 'must be an object with description, quantity and unitPrice' },
  )
}

const Line = lineOf('v1')

/** The fields of every family that sum up an invoice: by `amount`, by `lines`, or by both. */
export function amountFields(form: Form, amount: ReturnType<typeof Type.Unknown>) {
  return {
    amount: Type.Optional(
      refusingNull({ ...amount, description: `${amount.description}; required without \`lines\`` }),
    ),
    lines: optional(
      Type.Array(lineOf(form), {
        minItems: 1,
        maxItems: maxLines,
        description: `must be a list of 1 to ${maxLines} lines`,
      }),
      'What is sold, line by line, in at most 64 KiB. `amount` may then be left out, else it is the sum of the nets: quantity × unit price, rounded half up to the unit of the currency. Both parties then need what EN 16931 requires, such as their countries.',
    ),
  }
}

/** The JSON text of the amount, and the lines. Errors: `invalid_request` for too large ones. */
export function amountIn(body: Body) {
  const source = body.source('amount') ?? null
  const lines = linesIn(body)
  if (!lines) return { amountSource: source }
  // Here no price that could not be read is hidden behind a null: the lines have the prices.
  return { amountSource: source === 'null' ? null : source, lines }
}

function linesIn(body: Body): readonly RequestedLine[] | null {
  const { lines } = body.value
  if (lines === undefined) return null
  const source = body.source('lines') ?? ''
  if (Buffer.byteLength(source) > maxBytes)
    throw invalidField('lines', 'must not be larger than 64 KiB')
  const sources = itemSources(source)
  return (lines as Static<typeof Line>[]).map((line, at) => {
    const memberOf = (name: string) => memberSource(sources[at] ?? '', name) ?? ''
    return {
      description: line.description,
      quantitySource: memberOf('quantity'),
      unitPriceSource: memberOf('unitPrice'),
      unit: line.unit ?? null,
      category: line.taxCategory ?? null,
      taxRate: line.taxRate ?? null,
      reason: line.taxExemptionReason ?? null,
    }
  })
}
