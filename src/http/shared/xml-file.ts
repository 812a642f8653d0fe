import { Type } from '@sinclair/typebox'
import { ciiOf } from '../../documents/xml/cii.ts'
import type { EInvoice } from '../../documents/xml/einvoice.ts'
import { hasNationalRules, peppolOf } from '../../documents/xml/peppol.ts'
import { ublOf } from '../../documents/xml/ubl.ts'
import { invalidField } from '../../domain/error.ts'
import type { Answer } from '../operation.ts'
import { queryOf } from '../request/request-url.ts'
import { type Filed, fileAnswer } from './document-file.ts'

const formats = {
  ubl: ublOf,
  cii: ciiOf,
  peppol: (invoice: EInvoice) => ublOf(peppolOf(invoice)),
}

export type XmlFormat = keyof typeof formats

const names = Object.keys(formats) as readonly XmlFormat[]

export const xmlQuery = Type.Object({
  format: Type.Optional(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      { default: 'ubl' },
    ),
  ),
})

export const xmlDescription =
  'UBL 2.1, UN/CEFACT CII D16B, or Peppol BIS Billing 3.0, which is UBL with what the network asks for: `buyerReference` (or the order number of a ' +
  'purchase), names and countries of both parties, and their VAT ids, from which the electronic addresses follow. Without one of these: 409, naming each.'

/** The document as XML. Errors: `invalid_state`, where Peppol needs what is missing. */
export function xmlAnswer(request: Request, format: XmlFormat, file: Filed): Promise<Answer> {
  const { eInvoice, warnings } = file
  const isWarned = format === 'peppol' && hasNationalRules(eInvoice)
  const warned = {
    ...file,
    warnings: [...warnings, ...(isWarned ? ['peppol_national_rules'] : [])],
  }
  return fileAnswer(request, warned, {
    extension: `${format}.xml`,
    contentType: 'application/xml',
    make: () => formats[format](eInvoice),
  })
}

/** The `format` of the query. Errors: `invalid_request`. */
export function xmlFormatOf(request: Request): XmlFormat {
  const [given = 'ubl', ...more] = queryOf(request.url).getAll('format')
  const format = names.find((name) => name === given)
  if (format && more.length === 0) return format
  throw invalidField('format', `must be one of ${names.join(', ')}`)
}
